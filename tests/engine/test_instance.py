import copy
import gc
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import apsw
import psutil
import pytest
from django.db import IntegrityError

from tests.engine.episodes import dump, play, scripted
from tests.worlds.bank.models import Account
from tests.worlds.bank.tools import deposit, read_balance
from tests.worlds.lab.models import Box, Item
from worlds.engine import Ctx, DbError, InstanceClosed, ToolError, UnknownTool, WorldBug, installed
from worlds.engine.instance import live_instances

bank, lab = installed.get("bank"), installed.get("lab")
NOW = "2026-06-01T09:00:00.000Z"


@pytest.fixture
def world():
    """The lab, to register more with."""
    return copy.copy(lab)


# Calling


def test_a_tool_is_called_by_its_name_or_by_its_function():
    with bank.instance() as inst:
        assert inst.call("deposit", amount=5) == 5
        assert inst.call(deposit, 5) == inst.call(deposit, amount=0) == 10
        assert inst.call(read_balance) == {"balance": 10}
        assert [call["arguments"] for call in inst.call_log()] == [{"amount": 5}, {"amount": 5}, {"amount": 0}, {}]


def test_arguments_may_be_named_tool_or_self(world):
    @world.tool
    def odd(ctx: Ctx, tool: str, self: str) -> list:
        """Take arguments with awkward names."""
        return [tool, self]

    with world.instance() as inst:
        assert inst.call("odd", tool="a", self="b") == ["a", "b"]


def test_positional_arguments_need_the_function():
    with bank.instance() as inst:
        with pytest.raises(WorldBug, match=r"call\('deposit', …\) takes keyword arguments"):
            inst.call("deposit", 5)
        with pytest.raises(WorldBug, match="no tool of world bank"):
            inst.call(test_positional_arguments_need_the_function)
        assert inst.call_count == 0


def test_the_result_is_the_object_the_tool_returned_and_its_json_is_beside_it():
    with bank.instance() as inst:
        outcome = inst.dispatch("read_balance", {})
        assert (outcome.result, outcome.json) == ({"balance": 0}, b'{"balance":0}')


def test_a_tool_registered_later_is_there_at_once(world):
    with world.instance() as inst:

        @world.tool
        def late(ctx: Ctx) -> str:
            """Come late."""
            return "here"

        assert inst.tools()[-1]["name"] == "late"
        assert inst.call("late") == "here"


def test_tools_are_listed_in_the_order_they_were_registered():
    with bank.instance() as inst:
        names = [tool["name"] for tool in inst.tools()]
        assert names == ["deposit", "read_balance", "boom", "slow", "nothing", "spin"]
        assert set(inst.tools()[0]) == {"name", "description", "input_schema"}
        inst.tools()[0]["input_schema"].clear()
        assert inst.tools()[0]["input_schema"]["required"] == ["amount"]


# How it starts


def test_an_instance_says_what_it_is():
    start = {"seed": 7, "now": NOW, "task": {"id": "t"}, "setup_sql": "SELECT 1", "episode_id": "e1"}
    with bank.instance(**start) as inst:
        assert inst.world is bank
        assert (inst.fixture, inst.caller_seed, inst.setup_sql, inst.task) == (None, 7, "SELECT 1", {"id": "t"})
        assert (inst.episode_id, inst.state_format, inst.closed) == ("e1", "seahaven.state/1", False)
        assert (inst.clock.iso(), inst.clock.mode, inst.call_count) == (NOW, "tick", 0)
        assert isinstance(inst.seed, bytes)
        assert len(inst.seed) == 32
        assert repr(inst) == f"<Instance {inst.id} of bank/blank, 0 calls>"
    assert inst.closed


def test_without_an_episode_id_the_instance_id_stands_for_it():
    with bank.instance() as one, bank.instance() as two:
        assert one.episode_id == one.id == one.state()["episode_id"]
        assert one.id != two.id


def test_a_blank_instance_begins_at_the_hosts_time():
    with bank.instance() as inst:
        assert abs(inst.clock.now() - datetime.now(UTC)) < timedelta(seconds=5)


def test_now_may_be_a_datetime_of_any_zone():
    with bank.instance(now=datetime.fromisoformat("2026-06-01T11:00:00.123999+02:00")) as inst:
        assert inst.clock.iso() == "2026-06-01T09:00:00.123Z"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": -1}, "seed is -1; it must be an integer from 0 to"),
        ({"seed": True}, "seed is True"),
        ({"seed": "1"}, "seed is '1'"),
        ({"now": "yesterday"}, "now is 'yesterday', which is no instant"),
        ({"now": datetime(2026, 6, 1)}, "now is 2026-06-01T00:00:00, which has no time zone"),
        ({"clock_mode": "slow"}, "clock_mode is 'slow'; choose one of"),
        ({"state_format": "mine/1"}, "state format 'mine/1' is unknown to world lab"),
        ({"fixture": "nope"}, "world lab has no fixture 'nope'"),
        ({"fixture": "../x"}, "is not a fixture id"),
        ({"startup": ["owner"]}, "startup must be a mapping"),
        ({"startup": {1: "x"}}, "startup has the key 1"),
        ({"startup": {"ower": "Ada"}}, "startup keyword 'ower' is unknown to world lab; did you mean 'owner'"),
        ({"startup": {"owner": {1}}}, "startup keyword owner returned a set"),
        ({"task": {"when": datetime(2026, 6, 1, tzinfo=UTC)}}, "the task returned a datetime"),
        ({"setup_sql": ["SELECT 1"]}, "setup_sql must be one text"),
        ({"startup": {"fail": True}}, "the shop stays shut"),
        ({"setup_sql": "INSERT INTO nowhere VALUES (1)"}, "."),
    ],
)
def test_a_start_that_does_not_fit_is_refused_and_nothing_is_left(options, message):
    gc.collect()
    before = set(live_instances())
    with pytest.raises(Exception, match=message):
        lab.instance(**options)
    assert set(live_instances()) == before


def test_different_seeds_worlds_and_fixtures_give_different_chance():
    seeds = {(world, seed): world.instance(seed=seed) for world in (bank, lab) for seed in (None, 0, 1)}
    assert len({inst.seed for inst in seeds.values()}) == 6
    for (world, seed), inst in seeds.items():
        with world.instance(seed=seed) as again:
            assert again.seed == inst.seed
        inst.destroy()


# Bulk


def test_bulk_writes_rows_outside_every_call_in_one_transaction():
    with lab.instance(now=NOW) as inst:
        with inst.bulk() as ctx:
            assert ctx.call is None
            assert ctx.db.in_transaction
            Box.objects.create(id="a", name="a")
        with inst.bulk(by="curator"):
            Box.objects.filter(id="a").update(name="b")
        assert [(r["i"], r["by"], r["op"]) for r in inst.change_log()] == [
            (None, "setup", "insert"),
            (None, "curator", "update"),
        ]
        assert (inst.call_count, inst.clock.iso()) == (0, NOW)


def test_a_bulk_that_fails_leaves_nothing():
    with lab.instance() as inst:
        with inst.bulk() as ctx:
            ctx.state["kept"] = [1]
        before = dump(inst)
        with suppress(ZeroDivisionError), inst.bulk() as ctx:
            Box.objects.create(id="a", name="a")
            ctx.state["kept"].append(2)
            ctx.schedule(timedelta(1), "close_box")
            raise ZeroDivisionError
        with pytest.raises(IntegrityError, match="FOREIGN KEY"), inst.bulk():
            Item.objects.create(box_id="nobody", label="x")
        assert (dump(inst), inst.change_log(), inst._at.root.state) == (before, [], {"kept": [1]})


def test_nothing_else_can_be_asked_of_an_instance_inside_its_bulk():
    with lab.instance() as inst:
        for use in (inst.state, inst.fork, inst.checkpoint, inst.change_log, lambda: inst.call("draw"), inst.inspect):
            with pytest.raises(WorldBug, match="inside a tool call"), inst.bulk():
                use()
        with pytest.raises(WorldBug, match="inside a tool call"), inst.bulk():
            inst.freeze("x", "y")


# Time


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "advance takes to=<instant>, or"),
        ({"to": NOW, "seconds": 1}, "advance takes to=<instant>, or"),
        ({"seconds": -1}, "time moves forward only: cannot advance by -1 s"),
        ({"to": "2026-05-31T00:00:00Z"}, "time moves forward only"),
        ({"to": "soon"}, "to is 'soon', which is no instant"),
        ({"to": datetime(2027, 1, 1)}, "has no time zone"),
        ({"fortnights": 1}, "advance takes seconds=, minutes="),
        ({"seconds": "1"}, "as numbers"),
        ({"seconds": float("nan")}, "as numbers"),
        ({"days": float("inf")}, "as numbers"),
        ({"days": 3_000_000}, "time ends with the year 9999"),
    ],
)
def test_a_step_in_time_that_makes_no_sense_is_refused_and_moves_nothing(options, message):
    with bank.instance(now=NOW) as inst:
        with pytest.raises(WorldBug, match=message):
            inst.advance(**options)
        assert inst.clock.iso() == NOW


@pytest.mark.parametrize(
    ("options", "reading"),
    [
        ({"weeks": 1, "days": 1, "hours": 1, "minutes": 1, "seconds": 1.5}, "2026-06-09T10:01:01.500Z"),
        ({"to": "2026-06-01T12:00:00+02:00"}, "2026-06-01T10:00:00.000Z"),
        ({"to": datetime(2026, 6, 2, tzinfo=UTC)}, "2026-06-02T00:00:00.000Z"),
        ({"seconds": 0}, NOW),
    ],
)
@pytest.mark.parametrize("mode", ["tick", "fixed"])
def test_time_moves_by_a_step_or_to_an_instant(mode, options, reading):
    with bank.instance(now=NOW, clock_mode=mode) as inst:
        assert inst.advance(**options) == 0
        assert (inst.clock.iso(), inst.state()["now"], inst.call_count) == (reading, reading, 0)


def test_a_wall_clock_cannot_be_moved():
    with bank.instance(clock_mode="wall") as inst, pytest.raises(WorldBug, match="a wall clock follows the host"):
        inst.advance(seconds=1)


# Nothing is shared


def test_changing_what_was_given_or_answered_changes_nothing():
    startup, parameters = {"owner": "Ada"}, [1]
    task = {"id": "t", "parameters": parameters}
    with lab.instance(now=NOW, startup=startup, task=task, episode_id="e") as inst:
        inst.call("make_box", name="a", facts={"x": [1]})
        before = inst.state_json("seahaven.state+calls/1", results=True)
        startup["owner"] = "Eve"
        parameters.append(2)
        document = inst.state()
        document["state"]["db"]["log"][0]["after"].clear()
        document["startup"].clear()
        document["composition"]["main"].clear()
        inst.call_log()[0]["arguments"].clear()
        inst.change_log()[0].clear()
        inst.composition()["main"].clear()
        assert inst.state_json("seahaven.state+calls/1", results=True) == before


def test_a_startup_hook_that_changes_its_keyword_does_not_change_the_document(world):
    @world.instance_startup
    def eat(ctx: Ctx, *, items: list) -> None:
        items.clear()

    with world.instance(startup={"items": [1, 2]}) as inst:
        assert inst.state()["startup"] == {"items": [1, 2]}


# The end


def test_destroying_twice_is_destroying_once():
    inst = bank.instance()
    assert inst in live_instances()
    inst.destroy()
    inst.destroy()
    assert inst.closed
    assert inst not in live_instances()


USES = {
    "call": lambda inst: inst.call("deposit", amount=1),
    "call_unknown": lambda inst: inst.call("nope"),
    "dispatch": lambda inst: inst.dispatch("deposit", {"amount": 1}),
    "tools": lambda inst: inst.tools(),
    "bulk": lambda inst: inst.bulk().__enter__(),
    "call_log": lambda inst: inst.call_log(),
    "change_log": lambda inst: inst.change_log(),
    "diff": lambda inst: inst.diff(),
    "state": lambda inst: inst.state(),
    "state_json": lambda inst: inst.state_json(),
    "inspect": lambda inst: inst.inspect(),
    "inspecting": lambda inst: inst.inspecting().__enter__(),
    "advance": lambda inst: inst.advance(seconds=1),
    "fork": lambda inst: inst.fork(),
    "checkpoint": lambda inst: inst.checkpoint(),
    "rewind": lambda inst: inst.rewind(call=-1),
    "freeze": lambda inst: inst.freeze("x", "y"),
}


@pytest.mark.parametrize("use", USES)
def test_a_destroyed_instance_refuses_every_use(use):
    inst = bank.instance()
    inst.destroy()
    with pytest.raises(InstanceClosed, match=f"instance {inst.id} is closed: it was destroyed"):
        USES[use](inst)


def test_destroying_waits_for_the_call_that_runs():
    inst = bank.instance()
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(inst.call, "slow", s=0.2)
        while inst.call_count == 0:
            time.sleep(0.001)
        inst.destroy()
        assert running.done() or running.result(0.05) == {"slept": 0.2}
        assert running.result() == {"slept": 0.2}


def test_an_abandoned_instance_refuses_at_once_even_while_its_call_runs():
    inst = bank.instance()
    with ThreadPoolExecutor(2) as pool:
        running = pool.submit(inst.call, "slow", s=0.2)
        while inst.call_count == 0:
            time.sleep(0.001)
        waiting = pool.submit(inst.call, "nothing")
        inst.abandon("its call would not end")
        with pytest.raises(InstanceClosed, match="its call would not end"):
            waiting.result()
        assert running.result() == {"slept": 0.2}
    inst.destroy()


def test_an_instance_is_not_destroyed_by_its_own_tool(world):
    @world.tool
    def saw(ctx: Ctx) -> None:
        """Saw off the branch it sits on."""
        inst.destroy()

    with world.instance() as inst:
        with pytest.raises(WorldBug, match="destroyed by its own tool"):
            inst.call("saw")
        inst.call("draw")


@pytest.mark.parametrize("use", ["instance", "call", "state", "fork"])
def test_tools_can_make_and_use_no_instance(world, use):
    @world.tool
    def reach(ctx: Ctx) -> None:
        """Reach for another instance."""
        lab.instance() if use == "instance" else getattr(other, use)(*(["draw"] if use == "call" else []))

    with lab.instance() as other, world.instance() as inst:
        with pytest.raises(WorldBug, match="inside a tool call"):
            inst.call("reach")
        assert other.call_count == 0


def test_a_statement_that_runs_can_be_interrupted_from_another_thread(world):
    @world.tool
    def count(ctx: Ctx) -> int:
        """Count for a long time."""
        began.set()
        return ctx.db.one(
            "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n LIMIT 1000000000) SELECT max(i) FROM n"
        )["max(i)"]

    began = threading.Event()
    with world.instance() as inst, ThreadPoolExecutor(1) as pool:
        counting = pool.submit(inst.call, "count")
        began.wait()
        while not counting.done():
            inst.interrupt()
            time.sleep(0.01)
        with pytest.raises(DbError) as refused:
            counting.result()
        assert "interrupt" in refused.value.sqlite_message
        assert inst.call("list_boxes") == []


# Threads


def test_calls_of_several_threads_on_one_instance_never_overlap(world):
    inside: list[int] = []

    @world.tool
    def alone(ctx: Ctx, n: int) -> None:
        """Complain when somebody else is here."""
        assert inside == []
        inside.append(n)
        time.sleep(0.001)
        Box.objects.create(id=str(n), name=str(n))
        inside.clear()

    with world.instance() as inst, ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: inst.call("alone", n=n), range(40)))
        assert inst.call_count == 40
        assert [record["i"] for record in inst.change_log()] == list(range(40))
        assert inst.call_log()[7]["arguments"]["n"] == int(inst.change_log()[7]["key"]["id"])


def test_calls_of_different_instances_run_beside_each_other():
    with bank.instance() as one, bank.instance() as two, ThreadPoolExecutor(2) as pool:
        began = time.monotonic()
        for running in [pool.submit(inst.call, "slow", s=0.4) for inst in (one, two)]:
            running.result()
        assert time.monotonic() - began < 0.75


def test_instances_in_many_threads_at_once_give_identical_documents():
    script = scripted(11, length=14)

    def episode(_):
        with lab.instance(seed=5, now=NOW, episode_id="e") as inst:
            for move in script:
                play(inst, move)
            with inst.fork() as twin:
                return inst.state_json("seahaven.state+calls/1", results=True), twin.state_json(), dump(inst)

    with ThreadPoolExecutor(16) as pool:
        first, *others = pool.map(episode, range(200))
    assert all(other == first for other in others)


def test_an_instance_is_used_on_any_thread_one_after_another():
    with bank.instance() as inst:
        for _ in range(5):
            with ThreadPoolExecutor(1) as pool:
                pool.submit(inst.call, "deposit", amount=1).result()
        with inst.inspecting():
            assert Account.objects.get().balance == 5


def test_reading_from_other_threads_while_calls_run_is_safe():
    with lab.instance(now=NOW) as inst, ThreadPoolExecutor(6) as pool:

        def read(_):
            seen = inst.inspect().one("SELECT count(*) AS n FROM boxes")["n"]
            with inst.inspecting():
                assert seen <= Box.objects.count()
            return len(inst.state()["state"]["db"]["log"])

        readers = [pool.submit(read, n) for n in range(60)]
        for n in range(60):
            inst.call("make_box", name=str(n))
        assert all(0 <= reader.result() <= 60 for reader in readers)


def test_descriptors_and_memory_are_flat_over_thousands_of_instances():
    process = psutil.Process()

    def run(times):
        for _ in range(times):
            with bank.instance(seed=1) as inst:
                inst.call("deposit", amount=1)
                inst.inspect().rows("SELECT 1")
        gc.collect()
        return process.num_fds(), process.memory_info().rss

    run(1000)
    descriptors, memory = run(500)
    again, grown = run(3500)
    assert again == descriptors
    assert grown - memory < 8 * 1024 * 1024, f"{(grown - memory) / 1024:.0f} KiB more"


def test_instances_that_nobody_destroys_go_with_their_last_reference():
    def forget():
        inst = bank.instance(seed=1)
        inst.call("deposit", amount=1)
        inst.inspect().rows("SELECT 1")
        inst.fork()

    forget()
    gc.collect()
    before = len(apsw.connections())
    for _ in range(20):
        forget()
    gc.collect()
    assert len(apsw.connections()) == before


def test_forks_checkpoints_and_refused_starts_leak_nothing():
    process = psutil.Process()

    def run(times):
        for _ in range(times):
            with lab.instance(seed=1, now=NOW) as inst:
                inst.call("make_box", name="a")
                inst.checkpoint()
                inst.fork().destroy()
                inst.call("make_box", name="b")
                inst.rewind(call=0)
                with inst.inspecting():
                    Box.objects.count()
            with pytest.raises(ToolError):
                lab.instance(startup={"fail": True})
        gc.collect()
        return process.num_fds(), process.memory_info().rss

    run(200)
    descriptors, memory = run(100)
    again, grown = run(400)
    assert again == descriptors
    assert grown - memory < 8 * 1024 * 1024, f"{(grown - memory) / 1024:.0f} KiB more"


def test_unknown_tools_are_told_apart_from_the_end_of_the_instance():
    with bank.instance() as inst, pytest.raises(UnknownTool, match=r"Unknown tool: 'deposti'. Did you mean 'deposit'"):
        inst.call("deposti")


def test_a_destroyed_instance_leaves_nothing_for_the_garbage_collector():
    def episode(seed):
        with installed.get("lab").instance(seed=seed, now="2026-06-01T09:00:00Z") as inst:
            inst.call("make_box", name="A")
            inst.call("list_boxes")

    for seed in range(5):
        episode(seed)
    gc.collect()
    gc.disable()
    try:
        before = len(gc.get_objects())
        for seed in range(50):
            episode(seed)
        assert len(gc.get_objects()) - before < 50
    finally:
        gc.enable()
