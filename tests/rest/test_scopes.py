"""Who may do what, with which secret?"""

import pytest

from tests.rest.api import KEYS, Api

#: What each operation is, and the least a key must be good for.
OPERATIONS = {
    "worlds": ("GET", "/worlds", None, "agent"),
    "world tools": ("GET", "/worlds/bank/tools", None, "agent"),
    "fixtures": ("GET", "/worlds/bank/fixtures", None, "agent"),
    "open": ("POST", "/instances", {}, "agent"),
    "list": ("GET", "/instances", None, "agent"),
    "see": ("GET", "{it}", None, "agent"),
    "tools": ("GET", "{it}/tools", None, "agent"),
    "call": ("POST", "{it}/calls", {"tool": "nothing"}, "agent"),
    "calls": ("GET", "{it}/calls", None, "evaluator"),
    "changes": ("GET", "{it}/changes", None, "evaluator"),
    "stream": ("GET", "{it}/changes.ndjson", None, "evaluator"),
    "diff": ("GET", "{it}/diff", None, "evaluator"),
    "state": ("GET", "{it}/state", None, "evaluator"),
    "tables": ("GET", "{it}/tables", None, "evaluator"),
    "rows": ("GET", "{it}/tables/accounts/rows", None, "evaluator"),
    "sql": ("POST", "{it}/sql", {"query": "SELECT 1"}, "evaluator"),
    "fork": ("POST", "{it}/fork", {}, "evaluator"),
    "checkpoints": ("GET", "{it}/checkpoints", None, "evaluator"),
    "checkpoint": ("POST", "{it}/checkpoints", {}, "evaluator"),
    "rewind": ("POST", "{it}/rewind", {"call": -1}, "evaluator"),
    "advance": ("POST", "{it}/advance", {"days": 1}, "evaluator"),
    "freeze": ("POST", "{it}/freeze", {"fixture": "..", "description": "x"}, "admin"),
    "end": ("DELETE", "{it}", None, "admin"),
}
#: What a token is good for although it is of one instance: the catalogue is no secret, and a list has its own in it.
CATALOGUE = {"worlds", "world tools", "fixtures", "list"}
RANK = ["agent", "evaluator", "admin"]


@pytest.fixture
def anybodys(guarded):
    """An instance that the admin opened."""
    return Api(guarded, KEYS["admin"]).opened()


def status(api, operation, instance):
    method, path, body, _ = OPERATIONS[operation]
    return api.ask(method, path.format(it=instance.path), body)


def may(answer):
    if answer.status == 403:
        assert answer.error["code"] == "forbidden"
        return False
    # 422: a freeze that got so far that its fixture has no good name.
    assert answer.status in (200, 201, 204, 422), answer.body
    return True


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("scope", RANK)
def test_a_key_is_good_for_what_its_scope_says(guarded, anybodys, scope, operation):
    api = Api(guarded, KEYS[scope])
    needed = OPERATIONS[operation][3]
    # An agent's key is good for instances that it opened.
    instance = api.opened() if scope == "agent" and operation in ("see", "tools", "call") else anybodys
    assert may(status(api, operation, instance)) is (RANK.index(scope) >= RANK.index(needed))


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("kind", ["agent", "owner"])
@pytest.mark.parametrize("where", ["server", "guarded"])
def test_a_token_is_good_for_its_own_instance(request, where, kind, operation):
    server = request.getfixturevalue(where)
    api = Api(server, KEYS["admin"] if where == "guarded" else None)
    own, other = api.opened(), api.opened()
    holder = api.having(own.told[f"{kind}_token"])
    needed = OPERATIONS[operation][3]
    is_allowed = operation != "open" and (kind == "owner" or needed == "agent")
    assert may(status(holder, operation, other)) is (operation in CATALOGUE)
    assert may(status(holder, operation, own)) is is_allowed


def test_an_agents_key_is_good_only_where_it_opened_the_instance(guarded, anybodys):
    api = Api(guarded, KEYS["agent"])
    own = api.opened()
    assert own.told["owner_token"] is None
    assert own.call("nothing").json["changes"] is None
    assert own.get("/state").status == 403
    for operation in ("see", "tools", "call"):
        refused = status(api, operation, anybodys)
        assert refused.is_refusal == (403, "forbidden")
        assert "only where it opened the instance" in refused.error["message"]
    assert {each["id"] for each in api.get("/instances").json["results"]} >= {own.id}
    assert anybodys.id not in {each["id"] for each in api.get("/instances?limit=1000").json["results"]}
    assert own.delete().status == 204


def test_what_only_graders_should_know_is_not_told_to_agents(guarded):
    instance = Api(guarded, KEYS["evaluator"]).opened(seed=7, task={"answer": 42})
    assert (instance.get().json["seed"], instance.get().json["task"]) == (7, {"answer": 42})
    agent = instance.seen_by(instance.told["agent_token"])
    told = agent.get().json
    assert (told["seed"], told["task"], told["id"]) == (None, None, instance.id)
    called = agent.call("deposit", amount=3).json
    assert (called["result"], called["changes"]) == (3, None)
    assert [each["id"] for each in agent.api.get("/instances").json["results"]] == [instance.id]


def test_whoever_opened_an_instance_may_end_and_freeze_it(guarded):
    api = Api(guarded, KEYS["evaluator"])
    instance = api.opened()
    assert instance.post("/freeze", {"fixture": "..", "description": "x"}).status == 403
    owner = instance.seen_by(instance.told["owner_token"])
    assert owner.post("/freeze", {"fixture": "..", "description": "x"}).is_refusal == (422, "cannot_freeze")
    assert instance.delete().status == 204
    assert Api(guarded, KEYS["admin"]).opened().seen_by(KEYS["evaluator"]).delete().is_refusal == (403, "forbidden")


def test_a_fork_belongs_to_whoever_has_its_parent(guarded):
    parent = Api(guarded, KEYS["evaluator"]).opened()
    fork = parent.seen_by(parent.told["owner_token"]).post("/fork").json
    holder = Api(guarded, fork["owner_token"])
    assert holder.get(f"/instances/{fork['id']}/state").status == 200
    assert holder.get(f"{parent.path}/state").status == 403
    assert Api(guarded, KEYS["evaluator"]).delete(f"/instances/{fork['id']}").status == 204


def test_without_a_key_everything_but_the_document_is_refused(guarded, anybodys):
    stranger = Api(guarded)
    for operation in OPERATIONS:
        refused = status(stranger, operation, anybodys)
        assert refused.is_refusal == (401, "unauthorized"), operation
        assert refused.headers["WWW-Authenticate"] == "Bearer"
        assert "An API key is needed" in refused.error["message"]
    for path in ("/openapi.json", "/docs", ""):
        assert stranger.get(path or "/api/v1").status == 200
    assert stranger.get("/nowhere").status == 404


def test_a_secret_is_shown_in_any_of_three_ways(guarded):
    stranger, key = Api(guarded), KEYS["admin"]
    assert stranger.get("/worlds", Authorization=f"Bearer {key}").status == 200
    assert stranger.get("/worlds", **{"X-API-Key": key}).status == 200
    assert stranger.get(f"/worlds?key={key}").status == 200
    # A header that is meant for a proxy on the way does no harm to one that is meant for this server.
    assert stranger.get("/worlds", Authorization="Bearer of-a-proxy", **{"X-API-Key": key}).status == 200
    following = stranger.get(f"/worlds?key={key}&limit=1").json["next"]
    assert stranger.get(following).status == 200


@pytest.mark.parametrize(
    "secret", ["nonsense", "agent-x.y", "owner-", "-", "admin:" + KEYS["admin"], KEYS["admin"][:-1], "é" * 20]
)
def test_a_wrong_secret_is_nobodys(guarded, secret):
    answer = Api(guarded).get("/worlds", **{"X-API-Key": secret.encode().decode("latin-1")})
    assert answer.is_refusal == (401, "unauthorized")


def test_a_wrong_token_of_a_real_instance_is_nobodys(server, api):
    instance = api.opened()
    for token in (instance.told["owner_token"][:-1] + "?", f"owner-{instance.id}", f"agent-{instance.id}."):
        answer = api.having(token).get(instance.path)
        assert answer.is_refusal == (401, "unauthorized")
    swapped = instance.told["agent_token"].replace("agent-", "owner-")
    assert api.having(swapped).get(f"{instance.path}/state").status == 401
