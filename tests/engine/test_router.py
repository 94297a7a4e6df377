"""Does every model find the store of the instance it runs in, and nothing else?"""

import asyncio
import threading

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connections, router, transaction
from django.db.utils import ConnectionHandler

from tests.engine.workbench import lab, perform
from worlds.crm.models import Lead
from worlds.engine.errors import ToolError, WorldBug
from worlds.engine.router import WorldRouter


@pytest.fixture
def box():
    from tests.worlds.lab.models import Box

    return Box


def aliases():
    """What stands behind the aliases on this thread, without opening anything."""
    here = connections._connections  # type: ignore[attr-defined]
    return {alias: getattr(here, alias, None) for alias in connections.settings}


# Outside.


@pytest.mark.parametrize(
    "use",
    [
        lambda box: box.objects.count(),
        lambda box: box.objects.first(),
        lambda box: box.objects.create(id="1", name="n"),
        lambda box: box.objects.filter(name="x").update(name="y"),
        lambda box: box.objects.all().delete(),
        lambda box: box(id="1", name="n").save(),
        lambda box: box.objects.bulk_create([box(id="1", name="n")]),
        lambda box: list(box.objects.raw("SELECT * FROM boxes")),
        lambda box: box(id="1").items.count(),
        lambda box: box(id="1").tags.add("red"),
    ],
)
def test_a_world_s_model_outside_a_call_is_refused_by_name_with_what_to_do(box, use):
    with pytest.raises(WorldBug, match=r"lab\.\w+ belongs to a world and no instance is running here; call a tool"):
        use(box)


def test_naming_the_alias_outside_a_call_does_not_help(box):
    with pytest.raises(OperationalError, match="no instance is running on this thread"):
        box.objects.using("world").count()


def test_outside_calls_other_models_live_in_the_control_database():
    assert router.db_for_read(User) == router.db_for_write(User) == "default"


def test_after_an_exception_of_any_kind_models_are_refused_again(box):
    def refuse(ctx):
        raise ToolError("no", "no")

    def stop(ctx):
        raise KeyboardInterrupt

    with lab() as inst:
        for act, error in ((refuse, ToolError), (stop, KeyboardInterrupt), (lambda ctx: 1 / 0, ZeroDivisionError)):
            with pytest.raises(error):
                perform(inst, act)
            with pytest.raises(WorldBug, match="no instance is running here"):
                box.objects.count()


# Inside.


def test_inside_a_call_every_alias_is_the_store(box):
    def act(ctx):
        box.objects.create(id="1", name="one")
        box.objects.using("default").create(id="2", name="two")
        box.objects.using("world").create(id="3", name="three")
        with transaction.atomic(using="default"), connections["default"].cursor() as cursor:
            cursor.execute("INSERT INTO tags (code) VALUES ('red')")
        return connections["default"] is connections["world"], box.objects.count()

    with lab() as inst:
        assert perform(inst, act) == (True, 3)
        assert len(inst.change_log()) == 4


@pytest.mark.parametrize(
    ("model", "edit"),
    [
        (User, r'keep its app in this world: World\("lab", …, apps=\("auth",\)\)'),
        (Lead, r"reach the world it belongs to: with ctx\.worlds\.<name>\.entered\(\)"),
    ],
)
def test_a_model_that_has_no_table_in_the_world_is_refused_with_what_to_do(model, edit):
    with lab() as inst, pytest.raises(WorldBug, match=rf"{model._meta.label} has no table in world lab; .*{edit}"):
        perform(inst, lambda ctx: model.objects.count())


def test_a_call_opens_no_connection_but_its_own(box, monkeypatch):
    monkeypatch.setattr(ConnectionHandler, "create_connection", lambda self, alias: pytest.fail(f"opened {alias}"))
    before = aliases()
    fresh = threading.local()
    monkeypatch.setattr(connections, "_connections", fresh)
    with lab() as inst:
        inst.call("make_box", name="a")
        inst.call("put_item", box="a", label="x")
        inst.call("draw")
        inst.call("close_later", name="a", after_s=1)
        inst.advance(seconds=5)
        with pytest.raises(ToolError):
            inst.call("fail_after_writing", how="refusal")
        inst.state()
        inst.diff()
        with inst.fork() as fork:
            fork.call("list_boxes")
        inst.rewind(call=0)
        with inst.inspecting():
            assert box.objects.count() == 1
    assert vars(fresh) == {}
    monkeypatch.undo()
    assert aliases() == before


def test_relations_hold_within_a_node_and_not_across(box):
    assert WorldRouter().allow_relation(box(), User()) is None

    def act(ctx):
        return router.allow_relation(box(), box()), router.allow_relation(box(), User())

    with lab() as inst:
        assert perform(inst, act) == (True, False)


def test_tables_of_worlds_are_made_in_stores_only():
    rules = WorldRouter()
    assert rules.allow_migrate("default", "lab") is False
    assert rules.allow_migrate("default", "engine") is False
    assert rules.allow_migrate("default", "auth") is None
    assert rules.allow_migrate("world", "lab") is False
    with lab() as inst:
        allowed = perform(
            inst, lambda ctx: [rules.allow_migrate("world", app) for app in ("lab", "engine", "bank", "auth")]
        )
    assert allowed == [True, True, False, False]


# Threads, instances, event loops.


def test_two_instances_in_turn_keep_their_rows_apart(box):
    with lab() as one, lab() as other:
        one.call("make_box", name="a")
        other.call("make_box", name="b")
        one.call("make_box", name="c")
        assert [b["name"] for b in one.call("list_boxes")] == ["a", "c"]
        assert [b["name"] for b in other.call("list_boxes")] == ["b"]


def test_many_threads_each_with_an_instance_never_meet():
    failures = []

    def work(n):
        try:
            with lab(seed=n) as inst:
                for i in range(15):
                    inst.call("make_box", name=f"{n}-{i}")
                    names = [box["name"] for box in inst.call("list_boxes")]
                    assert sorted(names) == sorted(f"{n}-{k}" for k in range(i + 1))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_one_instance_may_be_used_from_many_threads():
    with lab() as inst:
        threads = [
            threading.Thread(target=lambda n=n: [inst.call("make_box", name=f"{n}-{i}") for i in range(10)])
            for n in range(6)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(inst.call("list_boxes")) == 60
        assert sorted({record["i"] for record in inst.change_log()}) == list(range(60))


def test_a_call_on_one_thread_lends_its_store_to_no_other(box):
    found = []

    def elsewhere():
        try:
            box.objects.count()
        except WorldBug as error:
            found.append(str(error))

    def act(ctx):
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()

    with lab() as inst:
        perform(inst, act)
    assert "no instance is running here" in found[0]


async def test_calls_work_on_a_thread_that_runs_an_event_loop(box):
    def act(ctx):
        with transaction.atomic():
            box.objects.create(id="1", name="one")
        transaction.on_commit(lambda: None)
        with connections["world"].cursor() as cursor:
            cursor.execute("SELECT count(*) FROM boxes")
        return box.objects.count()

    with lab() as inst:
        assert perform(inst, act) == 1
        inst.call("make_box", name="two")
        inst.advance(seconds=1)
        with inst.inspecting():
            assert box.objects.count() == 2
        with inst.bulk():
            box.objects.all().delete()
        await asyncio.sleep(0)
        assert len(await asyncio.to_thread(inst.call, "list_boxes")) == 0
    with pytest.raises(WorldBug, match="no instance is running here"):
        box.objects.count()
