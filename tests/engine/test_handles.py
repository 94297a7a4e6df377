import threading

import pytest

from tests.engine.town import lab, opened, shop, town
from tests.engine.workbench import fails, perform, raising
from tests.worlds.bank.models import Account
from tests.worlds.bank.tools import deposit
from tests.worlds.lab.models import Box
from worlds.engine import ArgumentError, Ctx, HttpRequest, HttpResponse, ToolError, World, WorldBug


@pytest.fixture
def inst():
    with opened() as inst:
        yield inst


def test_an_embedded_tool_is_called_by_its_own_name_or_its_function(inst):
    def act(ctx):
        return ctx.worlds.bank.call("deposit", amount=3), ctx.worlds["bank"].call(deposit, 4)

    assert perform(inst, act) == (3, 7)
    assert [(c["i"], c["world"], c["table"]) for c in inst.change_log()] == [(0, "bank", "accounts")]
    assert [call["tool"] for call in inst.call_log()] == ["perform"]


def test_lists_and_prefixes_bind_the_agent_and_not_the_host(inst):
    assert "south_perform" not in [tool["name"] for tool in inst.tools()]
    with pytest.raises(KeyError, match="no such act"):  # it got as far as the tool itself
        perform(inst, lambda ctx: ctx.worlds.south.call("perform", act="no such act"))


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda ctx: ctx.worlds.bnak, "world town embeds no world 'bnak'; did you mean 'bank'?"),
        (lambda ctx: ctx.worlds.bank.worlds.deeper, "world bank embeds no world, so ctx.worlds.deeper is not there"),
        (lambda ctx: ctx.worlds.bank.call("deposti"), "embedded world bank has no tool 'deposti'; did you mean 'depo"),
        (lambda ctx: ctx.worlds.bank.call("deposit", 3), "takes keyword arguments"),
        (lambda ctx: ctx.worlds.bank.call(perform), "perform is no tool of world bank"),
        (lambda ctx: ctx.worlds.bank.http(HttpRequest.of("GET", "/")), "world bank has no HTTP API"),
    ],
)
def test_what_is_not_there_is_a_bug_of_the_hosts(inst, act, message):
    with pytest.raises(WorldBug, match=message):
        perform(inst, act)


def test_a_refusal_of_the_embedded_world_is_the_agents_to_read(inst):
    with pytest.raises(ToolError, match="boom: x") as caught:
        perform(inst, lambda ctx: ctx.worlds.bank.call("boom", why="x"))
    assert caught.value.code == "boom"
    with pytest.raises(ArgumentError, match="deposit"):
        perform(inst, lambda ctx: ctx.worlds.bank.call("deposit", amount="much"))


def test_code_can_run_as_the_embedded_world(inst):
    def act(ctx):
        with ctx.worlds.bank.entered() as bank:
            Account.objects.create(id="main", balance=5)
            token = bank.ids.token(4)
        return ctx.worlds.bank.db.one("SELECT balance FROM accounts"), token, Box.objects.count()

    found, token, boxes = perform(inst, act)
    assert (found, len(token), boxes) == ({"balance": 5}, 4, 0)
    with inst.inspecting("bank"):
        assert Account.objects.get().balance == 5


def test_sql_through_a_handle_is_part_of_the_call(inst):
    def act(ctx):
        db = ctx.worlds.bank.db
        db.execute("INSERT INTO accounts (id, balance) VALUES ('a', 1)")
        fails(
            KeyError,
            db.transaction(),
            lambda: db.execute("UPDATE accounts SET balance = 2"),
            lambda: Box.objects.create(id="undone", name="undone"),
            raising(KeyError()),
        )
        raise ToolError("refused", str(db.one("SELECT balance FROM accounts")))

    with pytest.raises(ToolError, match="{'balance': 1}"):
        perform(inst, act)
    assert inst.change_log() == []


def test_a_handle_ends_with_its_call(inst):
    kept = perform(inst, lambda ctx: ctx.worlds.bank)
    for use in (lambda: kept.call("deposit", amount=1), lambda: kept.db, lambda: kept.state, lambda: kept.worlds):
        with pytest.raises(WorldBug, match="kept after its call ended"):
            use()
    with pytest.raises(WorldBug, match="kept after its call ended"):
        perform(inst, lambda ctx: kept.call("deposit", amount=1))


def test_a_handle_stays_on_its_thread(inst):
    def act(ctx):
        bank, caught = ctx.worlds.bank, []

        def elsewhere():
            try:
                bank.call("deposit", amount=1)
            except WorldBug as error:
                caught.append(str(error))

        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        return caught

    assert perform(inst, act) == ["a handle of ctx.worlds was used on another thread; a call runs on one"]


def test_worlds_list_their_names(inst):
    assert perform(inst, lambda ctx: list(ctx.worlds)) == ["bank", "north", "south"]


# Middleware on the way


def layered(log):
    """host -> middle -> lab, each with a layer of its own."""

    def layer(label):
        def fn(ctx, call, next_):
            log.append((label, call.name, call.node, ctx.call.name))
            return next_(call)

        return fn

    inner = World("inner", version="1.0.0")
    inner.app_labels = lab.app_labels

    def look(ctx: Ctx, n: int = 0) -> int:
        """Look."""
        log.append(("tool", ctx.call and ctx.call.name, n))
        Box.objects.create(id=f"b{n}", name=f"b{n}")
        return n

    inner.tool(look)
    inner.middleware(layer("inner"))
    middle = shop("middle", deep=inner)
    middle.middleware(layer("middle"), in_transaction=True)
    host = shop("host", mid=middle)
    host.middleware(layer("host"))

    def reach(ctx: Ctx) -> int:
        """Reach."""
        return ctx.worlds.mid.call("deep_look", n=8)

    host.tool(reach)
    return host


def test_an_agents_call_passes_the_layers_of_every_host_each_under_its_own_name():
    log: list = []
    with opened(layered(log)) as inst:
        inst.call("mid_deep_look", n=3)
    node = "mid/deep"
    assert log == [
        ("host", "mid_deep_look", node, "mid_deep_look"),
        ("inner", "look", node, "look"),
        ("middle", "deep_look", node, "deep_look"),
        ("tool", "look", 3),
    ]


def test_a_hosts_call_passes_the_owners_layers_only():
    log: list = []
    with opened(layered(log)) as inst:
        inst.call("reach")
    assert [entry[0] for entry in log] == ["host", "inner", "tool"]


# HTTP APIs


def with_http():
    def handle(ctx, request):
        if request.path == "/bug":
            Box.objects.create(id="bug", name="bug")
            raise ValueError("broken")
        if request.path == "/wrong":
            return {"not": "a response"}
        Box.objects.create(id=ctx.ids.token(8), name=request.header("X-Name") or request.json()["name"])
        return HttpResponse.of_json({"count": Box.objects.count(), "now": ctx.clock.iso()}, 402)

    api = World("api", version="1.0.0")
    api.app_labels = lab.app_labels
    api.http_api(handle)
    host = shop("host", api=api)

    def ask(ctx: Ctx, name: str, fail: bool = False) -> int:
        """Ask."""
        answer = ctx.worlds.api.http(HttpRequest.of("post", "/boxes", body=f'{{"name": "{name}"}}'))
        if fail:
            raise ToolError("refused", "no")
        return answer.json()["count"]

    host.tool(ask)
    return host


def test_an_embedded_http_api_is_reachable_through_the_instance():
    with opened(with_http()) as inst:
        answer = inst.http(HttpRequest.of("POST", "/boxes", headers={"X-Name": "one"}), "api")
        assert (answer.status, answer.json()) == (402, {"count": 1, "now": "2026-06-01T09:00:01.000Z"})
        assert [(c["i"], c["world"], c["by"]) for c in inst.change_log()] == [(None, "api", "http")]
        assert (inst.call_count, inst.call("ask", name="two")) == (0, 2)
        with pytest.raises(ToolError):
            inst.call("ask", name="three", fail=True)
        for path, message in (
            ("/bug", "broken"),
            ("/wrong", "answered dict to GET /wrong; it must be an HttpResponse"),
        ):
            with pytest.raises(Exception, match=message):
                inst.http(HttpRequest.of("GET", path), "api")
        assert inst.inspect().one("SELECT count(*) AS n FROM api.boxes") == {"n": 2}
        inst.rewind(call=0)
        assert inst.inspect().one("SELECT count(*) AS n FROM api.boxes") == {"n": 2}


def test_a_path_that_is_not_there_is_named_with_the_ones_that_are():
    with opened() as inst, pytest.raises(WorldBug, match="no world at 'noth'; did you mean 'north'"):
        inst.http(HttpRequest.of("GET", "/"), "noth")


@pytest.mark.parametrize("status", [199, 600, "200", True])
def test_a_status_no_server_sends_is_refused(status):
    with pytest.raises(WorldBug, match="it must be a number from 200 to 599"):
        HttpResponse(status)


@pytest.mark.parametrize("header", [("a b", "x"), ("", "x"), ("x", "a\r\nset-cookie: b")])
def test_a_header_no_server_sends_is_refused(header):
    with pytest.raises(WorldBug, match="which cannot be sent"):
        HttpResponse(200, (header,))


def test_an_answer_without_content_has_no_body():
    assert HttpResponse(204, body=b"x").body == b""


def test_town_is_composed_of_what_it_says():
    assert town.name == "town"
