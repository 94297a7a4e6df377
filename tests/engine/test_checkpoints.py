from contextlib import nullcontext, suppress

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from tests.engine.episodes import BOXES, calls, dump, moves, play, position
from tests.worlds.lab.models import Box
from worlds.engine import HttpRequest, HttpResponse, World, WorldBug, installed
from worlds.engine.checkpoints import Moment, Step, Steps

lab = installed.get("lab")
NOW = "2026-06-01T09:00:00.000Z"


def new(**options):
    return lab.instance(seed=3, episode_id="e", **{"now": NOW, **options})


@pytest.fixture
def kept(settings):
    def keep(number):
        settings.SEAHAVEN_CHECKPOINTS_KEPT = number

    return keep


@given(st.lists(moves, max_size=14), st.data())
@hypothesis_settings(max_examples=100)
@pytest.mark.parametrize("number", [64, 3, 0])
def test_after_going_back_and_forth_an_instance_is_what_playing_the_moves_that_stand_makes(number, script, data):
    """The one law of forks, checkpoints and rewinds, whether pages are put back or calls are replayed."""
    from django.conf import settings

    before, settings.SEAHAVEN_CHECKPOINTS_KEPT = settings.SEAHAVEN_CHECKPOINTS_KEPT, number
    inst, history, saved = new(), [], []
    try:
        for move in script:
            play(inst, move)
            history.append((move, inst.call_count))
            match data.draw(st.sampled_from(["go on", "go on", "save", "restore", "rewind", "rewind", "fork"])):
                case "save":
                    saved.append((inst.checkpoint(), list(history)))
                case "restore" if saved:
                    checkpoint, past = data.draw(st.sampled_from(saved), label="restored")
                    inst.rewind(checkpoint)
                    history = list(past)
                case "rewind":
                    call = data.draw(st.integers(-1, inst.call_count - 1), label="rewound to")
                    # With few checkpoints kept a bulk may stand in the way, and then nothing moves.
                    with nullcontext() if number == 64 else suppress(WorldBug):
                        inst.rewind(call=call)
                        history = _just_after(history, call)
                case "fork":
                    parent, inst = inst, inst.fork()
                    parent.destroy()
        expected = new()
        for move, _ in history:
            play(expected, move)
        assert position(inst) == position(expected)
        expected.destroy()
    finally:
        settings.SEAHAVEN_CHECKPOINTS_KEPT = before
        inst.destroy()


def _just_after(history, call):
    """The moves up to and with the one that made call `call`; advances and bulks after it came later."""
    if call == -1:
        return []
    return history[: next(at for at, (_, count) in enumerate(history) if count == call + 1) + 1]


@given(st.lists(calls, min_size=1, max_size=10))
@hypothesis_settings(max_examples=20)
def test_rewinding_to_every_call_gives_its_document_and_the_same_future(script):
    with new() as inst:
        seen = {-1: position(inst)}
        made = []
        for move in script:
            before = inst.call_count
            play(inst, move)
            if inst.call_count > before:
                seen[inst.call_count - 1] = position(inst)
                made.append(move)
        end = position(inst)
        for call in range(-1, inst.call_count):
            with inst.fork() as twin:
                twin.rewind(call=call)
                assert position(twin) == seen[call]
                for move in made[call + 1 :]:
                    play(twin, move)
                assert position(twin) == end
        for call in reversed(range(-1, inst.call_count)):
            inst.rewind(call=call)
            assert position(inst) == seen[call]


def test_rewinding_further_back_than_checkpoints_are_kept_replays_failures_events_and_advances(kept):
    kept(2)
    script = [
        ("call", "make_box", {"name": "alpha"}),
        ("call", "close_later", {"name": "alpha", "after_s": 2, "again_after_s": 3}),
        ("call", "fail_after_writing", {"how": "bug"}),
        ("advance", 10),
        ("call", "draw", {}),
        ("bulk", "beta"),
        ("call", "remember", {"what": "x"}),
        ("call", "break_later", {"after_s": 1}),
        ("call", "draw", {}),
        ("call", "draw", {}),
        ("call", "draw", {}),
    ]
    with new() as inst:
        seen = []
        for move in script:
            play(inst, move)
            if move[0] == "call":
                seen.append(position(inst))
        assert [call["error"] for call in inst.call_log()].count(None) == 7
        for call in reversed(range(len(seen))):
            inst.rewind(call=call)
            assert position(inst) == seen[call], call


def test_an_advance_in_which_an_event_failed_is_replayed_too(kept):
    kept(1)
    with new() as inst:
        inst.call("make_box", name="alpha")
        inst.call("break_later", after_s=5)
        inst.call("close_later", name="alpha", after_s=9)
        play(inst, ("advance", 60))
        inst.call("draw")
        seen = position(inst)
        inst.call("draw")
        inst.call("draw")
        inst.rewind(call=3)
        assert position(inst) == seen


def test_a_replay_asks_the_http_api_again_where_it_was_asked(kept):
    kept(1)
    with new() as inst:
        inst.http(HttpRequest.of("POST", "/boxes", body='{"name": "alpha"}'))
        inst.call("close_later", name="alpha", after_s=2)
        inst.http(HttpRequest.of("POST", "/boxes", body='{"name": "alpha"}'))
        play(inst, ("request", ("POST", "/bug", "")))
        inst.advance(seconds=1)
        inst.call("draw")
        seen, exported = position(inst), inst.export()
        for _ in range(3):
            inst.call("draw")
            inst.http(HttpRequest.of("POST", "/boxes", body='{"name": "beta"}'))
        inst.rewind(call=1)
        assert (position(inst), inst.export()) == (seen, exported)
        assert [type(move).__name__ for move in inst._at.between] == ["Request", "Request", "Request", "Advance"]


def test_a_request_that_is_answered_otherwise_in_a_replay_is_a_bug(kept):
    kept(1)
    world, answers = World("counter", version="1.0.0"), iter(range(100))
    world.http_api(lambda ctx, request: HttpResponse.of_json(next(answers)))
    world.embed(lab, name="lab", tool_prefix="")
    with world.instance(now=NOW, episode_id="e") as inst:
        inst.call("draw")
        inst.http(HttpRequest.of("GET", "/a"))
        inst.call("draw")
        inst.call("draw")
        seen = position(inst)
        with pytest.raises(WorldBug, match="the request GET /a before call 1 was answered otherwise"):
            inst.rewind(call=1)
        assert position(inst) == seen


def test_a_rewind_behind_a_bulk_forgets_it_even_where_it_is_replayed(kept):
    kept(1)
    with new() as inst:
        inst.call("make_box", name="alpha")
        with inst.bulk():
            Box.objects.create(id="b", name="beta")
        inst.call("draw")
        inst.call("draw")
        inst.rewind(call=0)
        assert [box["name"] for box in inst.call("list_boxes")] == ["alpha"]
        inst.call("draw")
        inst.call("draw")
        inst.rewind(call=1)
        assert [box["name"] for box in inst.call("list_boxes")] == ["alpha"]


def test_a_bulk_that_is_too_old_to_start_from_is_not_replayed_over(kept):
    kept(2)
    with new() as inst:
        early = None
        for number in range(6):
            with inst.bulk():
                Box.objects.create(id=str(number), name=str(number))
            inst.call("draw")
            inst.call("draw")
            early = early or inst.checkpoint()
        seen = position(inst)
        with pytest.raises(WorldBug, match=r"call 3 is older than the 2 checkpoints kept, and a bulk\(\) before it"):
            inst.rewind(call=3)
        assert position(inst) == seen
        inst.rewind(call=7)
        assert len(inst.call("list_boxes")) == 4
        inst.rewind(call=-1)
        assert inst.call("list_boxes") == []
        inst.rewind(early)
        assert len(inst.call("list_boxes")) == 1


@pytest.mark.parametrize("between", ["bulk", "advance"])
def test_what_was_stepped_back_over_does_not_come_back_in_a_later_replay(kept, between):
    kept(3)
    with new() as inst, new() as straight:
        inst.call("draw")
        play(inst, ("bulk", "beta") if between == "bulk" else ("advance", 60))
        inst.rewind(call=0)
        for branch in (inst, straight):
            while branch.call_count < 8:
                branch.call("draw")
            branch.rewind(call=1)
        assert position(inst) == position(straight)


def test_many_bulks_in_a_row_keep_one_point_to_start_from():
    with new() as inst:
        inst.call("draw")
        for number in range(200):
            with inst.bulk():
                Box.objects.create(id=str(number), name=str(number))
        assert len(inst._at.origins) == 2


def test_memory_that_cannot_be_copied_is_a_bug_and_no_rewind_goes_wrong_over_it():
    import copy
    import threading

    from worlds.engine import Ctx

    world = copy.copy(lab)

    @world.tool
    def hold(ctx: Ctx) -> None:
        """Keep a lock in memory."""
        ctx.state["lock"] = threading.Lock()

    with world.instance(now=NOW) as inst:
        inst.call("make_box", name="alpha")
        for use in (lambda: inst.call("hold"), lambda: inst.rewind(call=0), inst.fork, lambda: inst.call("draw")):
            with pytest.raises(WorldBug, match="ctx.state of world lab holds what has no copy .*lock"):
                use()
        inst._at.root.state.clear()
        inst.call("draw")
        inst.rewind(call=0)
        assert [box["name"] for box in inst.call("list_boxes")] == ["alpha"]


def test_the_start_is_before_a_bulk_that_came_before_every_call(kept):
    for number in (64, 0):
        kept(number)
        with new() as inst:
            with inst.bulk():
                Box.objects.create(id="b", name="beta")
            inst.call("draw")
            inst.rewind(call=-1)
            assert inst.change_log() == []
            assert inst.call("list_boxes") == []


@pytest.mark.parametrize("door", ["checkpoint", "fork"])
def test_an_advance_just_before_a_checkpoint_or_a_fork_is_part_of_every_replay(kept, door):
    kept(1)
    with new() as inst:
        inst.call("draw")
        inst.advance(hours=1)
        if door == "checkpoint":
            inst.rewind(inst.checkpoint())
        else:
            inst = inst.fork()
        inst.call("draw")
        seen = position(inst)
        inst.call("draw")
        inst.call("draw")
        inst.rewind(call=1)
        assert position(inst) == seen
        inst.destroy()


def test_a_checkpoint_can_be_gone_back_to_as_often_as_wanted():
    with new() as inst:
        inst.call("make_box", name="alpha")
        here, seen = inst.checkpoint(), position(inst)
        for _ in range(3):
            inst.call("drop_box", name="alpha")
            inst.call("remember", what="x")
            inst.rewind(here)
            assert position(inst) == seen


def test_a_checkpoint_serves_the_forks_of_its_instance_too():
    with new() as inst:
        inst.call("make_box", name="alpha")
        here, seen = inst.checkpoint(), position(inst)
        with inst.fork() as twin:
            twin.call("drop_box", name="alpha")
            twin.rewind(here)
            assert position(twin) == seen


def test_a_checkpoint_of_another_instance_is_refused_and_changes_nothing():
    with new() as inst, installed.get("bank").instance() as other, new() as stranger:
        inst.call("make_box", name="alpha")
        seen = position(inst)
        for foreign in (other, stranger):
            with pytest.raises(WorldBug, match="checkpoint was taken of another instance; .*fork"):
                inst.rewind(foreign.checkpoint())
        assert position(inst) == seen


@pytest.mark.parametrize("mode", ["fixed", "running", "wall", "tick"])
def test_rewinding_puts_rows_log_and_memory_back_in_every_clock_mode(mode):
    with new(clock_mode=mode, now=None if mode == "wall" else NOW) as inst:
        inst.call("make_box", name="alpha")
        inst.call("remember", what="a")
        rows, log, reading = dump(inst), inst.change_log(), inst.clock.ms()
        inst.call("drop_box", name="alpha")
        inst.call("remember", what="b")
        inst.rewind(call=1)
        assert (dump(inst), inst.change_log()) == (rows, log)
        assert inst.call("remember", what="c") == {"memory": ["a", "c"]}
        assert abs(inst.clock.ms() - reading) < 5000


def test_a_running_clock_goes_on_from_the_reading_it_is_rewound_to():
    with new(clock_mode="running") as inst:
        inst.call("draw")
        here = inst.checkpoint()
        reading = inst.clock.ms()
        inst.advance(days=3)
        inst.rewind(here)
        assert 0 <= inst.clock.ms() - reading < 5000


@pytest.mark.parametrize("mode", ["running", "wall"])
def test_a_call_older_than_the_checkpoints_is_refused_where_the_clock_does_not_replay(kept, mode):
    kept(1)
    with new(clock_mode=mode, now=None) as inst:
        for _ in range(3):
            inst.call("draw")
        seen = position(inst)["log"], dump(inst), inst.call_count
        with pytest.raises(WorldBug, match=rf"call 0 is older than the 1 checkpoints kept, and a {mode} clock"):
            inst.rewind(call=0)
        assert (inst.change_log(), dump(inst), inst.call_count) == seen


def test_a_replay_that_goes_otherwise_is_a_bug_and_leaves_the_instance_where_it_was(kept):
    kept(1)
    world = lab_with_a_tool_that_remembers_outside()
    with world.instance(now=NOW, episode_id="e") as inst:
        for _ in range(4):
            inst.call("only_once_in_this_process", key=str(inst.call_count))
        seen = position(inst)
        with pytest.raises(WorldBug, match=r"call 0 \(only_once_in_this_process\) ended with None and replays to 'no'"):
            inst.rewind(call=1)
        assert position(inst) == seen


def lab_with_a_tool_that_remembers_outside():
    import copy

    from worlds.engine import Ctx, ToolError

    world, done = copy.copy(lab), set()

    @world.tool
    def only_once_in_this_process(ctx: Ctx, key: str) -> None:
        """Break the rule that nothing outlives an instance."""
        if key in done:
            raise ToolError("no", "no")
        done.add(key)
        Box.objects.create(id=key, name=key)

    return world


@pytest.mark.parametrize("call", [2, -2, True, "1", 1.0])
def test_rewinding_to_what_is_no_call_of_the_run_is_refused(call):
    with new() as inst:
        inst.call("draw")
        inst.call("draw")
        with pytest.raises(WorldBug, match=r"cannot rewind to call .*: 2 calls were made, counted from 0"):
            inst.rewind(call=call)


def test_rewind_takes_a_checkpoint_or_a_call_and_not_both():
    with new() as inst:
        inst.call("draw")
        for options in ({}, {"to": inst.checkpoint(), "call": 0}):
            with pytest.raises(WorldBug, match="rewind takes one of the two"):
                inst.rewind(**options)


def test_arguments_that_json_cannot_carry_are_replayed_as_they_were(kept):
    import copy
    from typing import Annotated, Any

    from pydantic import Field

    from worlds.engine import Ctx

    world = copy.copy(lab)

    @world.tool
    def keep(ctx: Ctx, raw: bytes, pair: tuple[int, int], number: Annotated[Any, Field()] = None) -> None:
        """Keep what Python alone can pass."""
        assert isinstance(pair, tuple)
        Box.objects.create(id=ctx.ids.token(4), name=f"{raw!r} {pair} {number}")

    kept(1)
    with world.instance(now=NOW) as inst:
        inst.call("keep", raw=b"\xff\x00", pair=(1, 2), number=float("inf"))
        rows = dump(inst)
        inst.call("draw")
        inst.call("draw")
        inst.rewind(call=0)
        assert dump(inst) == rows


def test_steps_keep_the_latest_and_know_when_the_start_is_out_of_reach():
    def moment(calls):
        return Moment(calls, 0, 0, (0, 0, 0, 0), (), (), None)

    steps = Steps(2)
    assert steps.reaches(-1)
    for call in range(2):
        steps.add(Step(call, (("main", call),), moment(call + 1)))
    assert [steps.reaches(call) for call in (-1, 0, 1, 2)] == [True, True, True, False]
    twin = steps.copy()
    steps.add(Step(2, (("main", 2),), moment(3)))
    assert [steps.reaches(call) for call in (-1, 0, 1, 2)] == [False, False, True, True]
    assert twin.reaches(-1)
    assert steps.pop_to(1) == ([("main", 2)], moment(2))
    assert twin.pop_to(-1) == ([("main", 1), ("main", 0)], None)


@given(st.lists(calls, max_size=6), st.lists(calls, max_size=6), st.lists(calls, max_size=4))
@hypothesis_settings(max_examples=20)
def test_the_same_calls_on_an_instance_on_its_fork_and_on_the_forks_fork_give_equal_documents(first, second, other):
    with new() as inst:
        for move in first:
            play(inst, move)
        with inst.fork() as twin, twin.fork() as grandchild, inst.fork() as elsewhere:
            for move in other:
                play(elsewhere, move)
            for branch in (grandchild, inst, twin):
                for move in second:
                    play(branch, move)
            assert position(inst) == position(twin) == position(grandchild)
            assert inst.state() == twin.state()


def test_a_fork_draws_from_every_stream_where_its_parent_stands():
    with new() as inst:
        inst.call("draw")
        with inst.fork() as twin:
            assert [twin.call("draw") for _ in range(3)] == [inst.call("draw") for _ in range(3)]


def test_a_fork_outlives_its_parent():
    inst = new()
    inst.call("make_box", name=BOXES[0])
    twin = inst.fork()
    inst.destroy()
    assert [box["name"] for box in twin.call("list_boxes")] == [BOXES[0]]
    twin.destroy()
