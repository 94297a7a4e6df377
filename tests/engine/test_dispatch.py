import copy
from datetime import timedelta

import pytest

from tests.engine.episodes import position
from tests.worlds.lab.models import Box
from worlds.engine import Ctx, ToolError, WorldBug, installed, schedule

lab = installed.get("lab")
NOW = "2026-06-01T09:00:00.000Z"


@pytest.fixture
def world():
    """The lab with handlers that note what time it is while they run."""
    world = copy.copy(lab)
    world.readings = []

    @world.event_handler
    def note(ctx: Ctx, payload: str) -> None:
        world.readings.append((payload, ctx.clock.iso()[11:19]))
        assert ctx.call is None

    @world.event_handler
    def chain(ctx: Ctx, payload: int) -> None:
        world.readings.append((payload, ctx.clock.iso()[11:19]))
        if payload:
            ctx.schedule(timedelta(seconds=1), chain, payload - 1)

    @world.tool
    def plan(ctx: Ctx, handler: str, payload: str | int, after_s: float, fail: bool = False) -> int:
        """Schedule something."""
        event = ctx.schedule(timedelta(seconds=after_s), handler, payload)
        if fail:
            raise ToolError("no", "no")
        return event

    @world.tool
    def now(ctx: Ctx) -> str:
        """Read the clock."""
        world.readings.append(("now", ctx.clock.iso()[11:19]))
        return ctx.clock.iso()[11:19]

    return world


def boxes(inst):
    return {row["name"]: row["is_open"] for row in inst.inspect().rows("SELECT name, is_open FROM boxes")}


# In a call


def test_time_ticks_once_a_call_dispatched_failed_ones_too(world):
    with world.instance(now=NOW) as inst:
        assert inst.call("now") == "09:00:01"
        with pytest.raises(ToolError):
            inst.call("fail_after_writing", how="refusal")
        with pytest.raises(ToolError):
            inst.call("now", nonsense=1)
        with pytest.raises(ToolError):
            inst.call("no_such_tool")
        assert inst.clock.iso()[11:19] == "09:00:03"
        assert inst.call("now") == "09:00:04"


def test_events_that_came_due_run_before_the_tool_each_at_its_own_time(world):
    with world.instance(now=NOW) as inst:
        inst.call("plan", handler="note", payload="b", after_s=1.5)
        inst.call("plan", handler="note", payload="a", after_s=0.25)
        inst.call("now")
        assert world.readings == [("a", "09:00:02"), ("b", "09:00:02"), ("now", "09:00:03")]


def test_events_of_one_instant_run_in_the_order_they_were_scheduled(world):
    with world.instance(now=NOW) as inst:
        for name in "zma":
            inst.call("plan", handler="note", payload=name, after_s=60 - inst.call_count)
        inst.advance(minutes=5)
        assert [name for name, _ in world.readings] == ["z", "m", "a"]


def test_what_a_tool_makes_due_runs_in_its_own_call_and_is_logged_as_the_events(world):
    with world.instance(now=NOW) as inst:
        inst.call("make_box", name="a")
        inst.call("close_later", name="a", after_s=0)
        assert boxes(inst) == {"a": 0}
        made, closed = inst.change_log()
        assert (made["i"], "by" in made) == (0, False)
        assert (closed["i"], closed["by"], closed["seq"]) == (1, "event:close_box", 1)
        assert "is_open" in closed["after"]


def test_an_event_of_a_call_is_among_the_records_of_its_last_step():
    with lab.instance(now=NOW) as inst:
        inst.call("make_box", name="a")
        inst.call("close_later", name="a", after_s=1)
        inst.call("make_box", name="b")
        by = [record.get("by", "agent") for record in inst.state("seahaven.state+last_step/1")["state"]["db"]["log"]]
        assert by == ["event:close_box", "agent"]


def test_an_event_that_is_late_never_turns_the_clock_back(world):
    with world.instance(now=NOW) as inst:
        inst.call("plan", handler="note", payload="past", after_s=-3600)
        inst.call("now")
        with inst.bulk() as ctx:
            ctx.schedule("2020-01-01T00:00:00Z", "note", "long past")
        inst.call("now")
        assert world.readings == [
            ("past", "09:00:01"),
            ("now", "09:00:02"),
            ("long past", "09:00:02"),
            ("now", "09:00:03"),
        ]


def test_an_event_in_the_past_scheduled_in_the_start_runs_in_the_first_call_at_the_start(world):
    @world.instance_startup
    def early(ctx: Ctx) -> None:
        ctx.schedule("2020-01-01T00:00:00Z", "note", "early")

    with world.instance(now=NOW) as inst:
        assert world.readings == []
        inst.call("now")
        assert world.readings == [("early", "09:00:00"), ("now", "09:00:01")]


def test_a_schedule_made_by_a_call_that_fails_is_undone_with_it(world):
    with world.instance(now=NOW) as inst:
        with pytest.raises(ToolError):
            inst.call("plan", handler="note", payload="x", after_s=1, fail=True)
        assert inst.advance(hours=1) == 0
        assert world.readings == []


def test_an_event_crossed_off_does_not_run(world):
    with world.instance(now=NOW) as inst:
        event = inst.call("plan", handler="note", payload="x", after_s=10)
        assert inst.call("forget_event", event=event) == {"was_there": True}
        assert inst.call("forget_event", event=event) == {"was_there": False}
        inst.advance(hours=1)
        assert world.readings == []


def test_a_handler_that_fails_leaves_no_row_fails_the_call_once_and_does_not_come_back():
    with lab.instance(now=NOW) as inst:
        inst.call("break_later", after_s=1)
        with pytest.raises(ValueError, match="the handler is broken"):
            inst.call("make_box", name="a")
        assert boxes(inst) == {}
        assert inst.call_log()[1]["error"] == "ValueError: the handler is broken"
        inst.call("make_box", name="a")
        assert boxes(inst) == {"a": 1}
        assert inst.advance(days=1) == 0


def test_events_after_one_that_failed_wait_for_the_next_call(world):
    with world.instance(now=NOW) as inst:
        inst.call("break_later", after_s=5)
        inst.call("plan", handler="note", payload="x", after_s=10)
        with pytest.raises(ValueError, match="broken"):
            inst.advance(minutes=1)
        assert inst.clock.iso()[11:19] == "09:01:02"
        assert world.readings == []
        inst.call("now")
        assert world.readings == [("x", "09:01:02"), ("now", "09:01:03")]


def test_a_refusal_in_a_handler_is_a_bug_and_not_the_answer_to_somebodys_call():
    with lab.instance(now=NOW) as inst:
        inst.call("close_later", name="nowhere", after_s=1)
        with pytest.raises(WorldBug, match="event 'close_box' failed with no_such_box: There is no box named nowhere"):
            inst.call("list_boxes")
        document = inst.state("seahaven.state+calls/1")
        assert document["state"]["calls"][1]["error"] == "internal error"


def test_an_event_whose_handler_is_gone_is_named(world):
    with world.instance(now=NOW) as inst:
        inst.call("plan", handler="note", payload="x", after_s=1)
        del world._handlers["note"]
        with pytest.raises(WorldBug, match="event 'note' came due and world lab has no such @event_handler"):
            inst.call("list_boxes")
        inst.call("list_boxes")


def test_an_event_that_schedules_itself_for_the_same_instant_is_stopped(world, monkeypatch):
    @world.event_handler
    def forever(ctx: Ctx, payload: None) -> None:
        ctx.schedule(timedelta(0), forever)

    monkeypatch.setattr(schedule, "MOST_AT_ONCE", 20)
    with world.instance(now=NOW) as inst:
        with inst.bulk() as ctx:
            ctx.schedule(timedelta(0), forever)
        with pytest.raises(WorldBug, match="21 events came due at once; does 'forever' schedule itself"):
            inst.advance(seconds=1)


def test_what_a_handler_left_in_memory_is_undone_when_it_fails(world):
    @world.event_handler
    def forgetful(ctx: Ctx, payload: None) -> None:
        ctx.state["memory"].append("half")
        raise ValueError("no")

    with world.instance(now=NOW) as inst:
        inst.call("remember", what="a")
        with inst.bulk() as ctx:
            ctx.schedule(timedelta(seconds=5), forgetful)
        with pytest.raises(ValueError, match="no"):
            inst.advance(minutes=1)
        assert inst.call("remember", what="b") == {"memory": ["a", "b"]}


# In `advance`


def test_advance_runs_what_comes_due_in_order_of_time_and_says_how_many(world):
    with world.instance(now=NOW) as inst:
        inst.call("plan", handler="note", payload="late", after_s=120)
        inst.call("plan", handler="note", payload="soon", after_s=30)
        assert inst.advance(seconds=10) == 0
        assert inst.advance(minutes=5) == 2
        assert world.readings == [("soon", "09:00:32"), ("late", "09:02:01")]
        assert inst.clock.iso()[11:19] == "09:05:12"


def test_an_event_may_schedule_others_that_come_due_in_the_same_advance(world):
    with world.instance(now=NOW) as inst:
        inst.call("plan", handler="chain", payload=5, after_s=10)
        assert inst.advance(seconds=12) == 3
        assert world.readings == [(5, "09:00:11"), (4, "09:00:12"), (3, "09:00:13")]
        assert inst.advance(hours=1) == 3


def test_records_of_events_between_calls_belong_to_no_call_and_say_whose_they_are():
    with lab.instance(now=NOW) as inst:
        inst.call("make_box", name="a")
        inst.call("close_later", name="a", after_s=30)
        inst.advance(minutes=1)
        record = inst.change_log()[-1]
        assert (record["i"], record["by"], record["table"]) == (None, "event:close_box", "boxes")
        assert inst.state("seahaven.state+last_step/1")["state"]["db"]["log"] == []
        box = Box(facts=inst.diff().typed()[0].after["facts"])
        assert box.facts["closed_at"] == "2026-06-01T09:00:32.000Z"


def test_the_orm_and_sql_read_the_events_own_time(world):
    @world.event_handler
    def stamp(ctx: Ctx, payload: None) -> None:
        Box.objects.create(id="x", name=ctx.db.one("SELECT CURRENT_TIMESTAMP AS t")["t"])

    with world.instance(now=NOW) as inst:
        with inst.bulk() as ctx:
            ctx.schedule(timedelta(seconds=30), stamp)
        inst.advance(hours=1)
        row = inst.inspect().one("SELECT name, made_at, changed_at, db_made_at FROM boxes")
        assert set(row.values()) == {"2026-06-01T09:00:30.000Z"}


@pytest.mark.parametrize("mode", ["fixed", "running"])
def test_events_run_in_other_clock_modes_too(world, mode):
    with world.instance(now=NOW, clock_mode=mode) as inst:
        inst.call("plan", handler="note", payload="x", after_s=60)
        assert inst.advance(minutes=2) == 1
        assert world.readings[0][1] in ("09:01:00", "09:01:01", "09:01:02")


# Elsewhere


def test_forks_checkpoints_and_rewinds_carry_the_schedule(world):
    with world.instance(now=NOW) as inst:
        event = inst.call("plan", handler="note", payload="x", after_s=30)
        here = inst.checkpoint()
        with inst.fork() as twin:
            assert twin.advance(minutes=1) == 1
        inst.call("forget_event", event=event)
        assert inst.advance(minutes=1) == 0
        inst.rewind(here)
        assert inst.advance(minutes=1) == 1
        inst.rewind(call=0)
        assert inst.advance(minutes=1) == 1
        inst.rewind(call=-1)
        assert inst.advance(minutes=1) == 0


def test_a_replay_runs_events_again_as_they_ran(settings):
    settings.SEAHAVEN_CHECKPOINTS_KEPT = 1
    with lab.instance(now=NOW, episode_id="e") as inst:
        inst.call("make_box", name="a")
        inst.call("close_later", name="a", after_s=3, again_after_s=4)
        inst.advance(seconds=20)
        inst.call("change_box", name="a", is_open=True)
        inst.call("list_boxes")
        seen = position(inst)
        for _ in range(4):
            inst.call("list_boxes")
        inst.rewind(call=3)
        assert position(inst) == seen
