import copy
import logging
import uuid
from contextlib import suppress
from typing import Any

import orjson
import pytest
from django.db import IntegrityError, transaction
from pydantic import BaseModel

from tests.engine.episodes import dump
from tests.worlds.lab.models import Box
from worlds.engine import ArgumentError, Ctx, DbError, ToolError, UnknownTool, WorldBug, installed
from worlds.engine.calls import record_of

lab = installed.get("lab")
NOW = "2026-06-01T09:00:00.000Z"


@pytest.fixture
def world():
    """The lab, to register more with."""
    return copy.copy(lab)


def names(inst):
    return [row["name"] for row in inst.inspect().rows("SELECT name FROM boxes ORDER BY name")]


def write(name):
    Box.objects.create(id=f"id of {name}", name=name)


# One call is one transaction


@pytest.mark.parametrize(
    ("how", "error", "published"),
    [
        ("refusal", ToolError, "no"),
        ("bug", ValueError, "internal error"),
        ("set", WorldBug, "internal error"),
        ("queryset", WorldBug, "internal error"),
        ("dangling", IntegrityError, "internal error"),
    ],
)
def test_a_tool_that_fails_leaves_no_row_no_record_and_no_memory_but_is_counted(how, error, published):
    with lab.instance(now=NOW) as inst:
        inst.call("remember", what="kept")
        before, log = dump(inst), inst.change_log()
        with pytest.raises(error):
            inst.call("fail_after_writing", how=how)
        assert (dump(inst), inst.change_log()) == (before, log)
        assert inst.call_count == 2
        assert inst.state("seahaven.state+calls/1")["state"]["calls"][1] == {
            "tool": "fail_after_writing",
            "arguments": {"how": how},
            "error": published,
        }
        assert inst.call("remember", what="too") == {"memory": ["kept", "too"]}
        assert inst._at.root.state == {"memory": ["kept", "too"]}


def test_what_a_failed_call_does_to_a_list_in_memory_is_undone_too(world):
    @world.tool
    def forget_half(ctx: Ctx) -> None:
        """Change a list in place, then fail."""
        ctx.state["memory"].pop()
        raise ToolError("no", "no")

    with world.instance() as inst:
        inst.call("remember", what="a")
        with pytest.raises(ToolError):
            inst.call("forget_half")
        assert inst.call("remember", what="b") == {"memory": ["a", "b"]}


def test_the_real_words_of_a_bug_stay_in_the_process():
    with lab.instance() as inst:
        with pytest.raises(ValueError, match="a secret detail"):
            inst.call("fail_after_writing", how="bug")
        with pytest.raises(ToolError):
            inst.call("fail_after_writing", how="refusal")
        bug, refusal = inst.call_log()
        assert (bug["error"], bug["tool_error"]) == ("ValueError: a secret detail", None)
        assert refusal["tool_error"] == {"code": "refused", "message": "no", "details": {}}
        for name in ("seahaven.state/1", "seahaven.state+calls/1"):
            assert b"secret" not in inst.state_json(name, results=True)


def test_a_tool_without_a_transaction_keeps_what_it_wrote_before_it_failed_and_it_is_logged():
    with lab.instance() as inst:
        with pytest.raises(ToolError):
            inst.call("write_twice_and_fail")
        assert names(inst) == ["first"]
        (record,) = inst.change_log()
        assert (record["i"], record["op"], record["table"]) == (0, "insert", "boxes")


def test_a_tool_without_a_transaction_may_begin_one(world):
    @world.tool(transaction=False)
    def half(ctx: Ctx) -> None:
        """Commit one row, undo another, keep a third."""
        with ctx.db.transaction():
            write("a")
        with suppress(ZeroDivisionError), transaction.atomic():
            write("b")
            raise ZeroDivisionError
        write("c")

    with world.instance() as inst:
        inst.call("half")
        assert names(inst) == ["a", "c"]
        assert [record["i"] for record in inst.change_log()] == [0, 0]


@pytest.mark.parametrize("fails", [True, False])
def test_a_transaction_left_open_is_undone_and_said_and_the_next_call_works(world, fails):
    @world.tool(transaction=False)
    def careless(ctx: Ctx) -> None:
        """Begin, and never end."""
        ctx.db.execute("BEGIN")
        write("a")
        if fails:
            raise ToolError("no", "no")

    with world.instance() as inst:
        with pytest.raises(ToolError if fails else WorldBug, match="no|careless began a transaction and did not end"):
            inst.call("careless")
        assert names(inst) == []
        assert inst.change_log() == []
        inst.call("make_box", name="b")
        assert names(inst) == ["b"]


def test_a_layer_that_answers_for_a_careless_tool_finds_its_transaction_undone(world):
    @world.tool(transaction=False)
    def careless(ctx: Ctx) -> None:
        """Begin, and never end."""
        ctx.db.execute("BEGIN")
        write("a")

    @world.middleware
    def soothe(ctx, call, next_):
        with suppress(WorldBug):
            next_(call)
        assert not ctx.db.in_transaction
        write("b")

    with world.instance() as inst:
        inst.call("careless")
        assert names(inst) == ["b"]


@pytest.mark.parametrize("statement", ["COMMIT", "ROLLBACK"])
def test_a_tool_that_ends_the_calls_transaction_itself_fails_and_the_next_call_works(world, statement):
    @world.tool
    def meddle(ctx: Ctx) -> None:
        """End what is not its own."""
        ctx.db.execute(statement)

    with world.instance() as inst:
        with pytest.raises(Exception, match="no transaction is active|ended inside it"):
            inst.call("meddle")
        inst.call("make_box", name="b")
        assert names(inst) == ["b"]


def test_part_of_a_call_can_be_undone(world):
    @world.tool
    def partly(ctx: Ctx) -> None:
        """Keep the outer row only."""
        write("outer")
        with suppress(DbError), ctx.db.transaction():
            write("inner")
            ctx.db.execute("INSERT INTO boxes (id) VALUES (NULL)")

    with world.instance() as inst:
        inst.call("partly")
        assert names(inst) == ["outer"]


def test_what_waits_for_the_commit_is_part_of_the_call(world):
    @world.tool
    def later(ctx: Ctx, fail: bool = False) -> None:
        """Write when the call is about to commit."""
        write(f"now {fail}")
        transaction.on_commit(lambda: write(f"later {fail}"))
        if fail:
            transaction.on_commit(lambda: 1 / 0)

    with world.instance() as inst:
        inst.call("later")
        assert names(inst) == ["later False", "now False"]
        assert {record["i"] for record in inst.change_log()} == {0}
        with pytest.raises(ZeroDivisionError):
            inst.call("later", fail=True)
        assert len(names(inst)) == 2


def test_a_swallowed_failure_inside_a_call_is_a_bug_and_undone(world):
    @world.tool
    def swallow(ctx: Ctx) -> None:
        """Go on after a broken block."""
        write("a")
        with pytest.raises(IntegrityError), transaction.atomic(savepoint=False):
            write("a")

    with world.instance() as inst:
        with pytest.raises(WorldBug, match="the error was swallowed"):
            inst.call("swallow")
        assert names(inst) == []


def test_an_unknown_tool_leaves_no_trace(world):
    seen = []

    @world.middleware
    def watch(ctx, call, next_):
        seen.append(call.name)
        return next_(call)

    with world.instance(now=NOW) as inst:
        before = inst.state_json("seahaven.state+calls/1")
        with pytest.raises(UnknownTool, match="Did you mean 'make_box'"):
            inst.call("make_bx")
        assert inst.tools()
        assert (inst.state_json("seahaven.state+calls/1"), seen) == (before, [])


# Middleware


def test_the_first_layer_registered_is_the_outermost_and_those_in_the_transaction_are_inside(world):
    order = []

    def layer(name):
        def around(ctx, call, next_):
            order.append(f"+{name} {ctx.db.in_transaction}")
            try:
                return next_(call)
            finally:
                order.append(f"-{name}")

        return around

    world.middleware(layer("in1"), in_transaction=True)
    world.middleware(layer("out1"))
    world.middleware(layer("out2"))
    world.middleware(layer("in2"), in_transaction=True)
    with world.instance() as inst:
        inst.call("list_boxes")
    inside = ["+in1 True", "+in2 True", "-in2", "-in1"]
    assert order == ["+out1 False", "+out2 False", *inside, "-out2", "-out1"]


@pytest.mark.parametrize(
    ("in_transaction", "wraps", "left"), [(False, False, ["audit"]), (True, False, []), (False, True, [])]
)
def test_a_layers_writes_stand_when_the_tool_fails_unless_it_shares_or_makes_a_transaction(
    world, in_transaction, wraps, left
):
    @world.middleware(in_transaction=in_transaction)
    def audit(ctx, call, next_):
        if not wraps:
            write("audit")
            return next_(call)
        with ctx.db.transaction():
            write("audit")
            return next_(call)

    with world.instance() as inst:
        with pytest.raises(ToolError):
            inst.call("fail_after_writing", how="refusal")
        assert names(inst) == left
        assert len(inst.change_log()) == len(left)


def test_a_layer_that_makes_a_transaction_may_catch_the_failure_and_keep_its_own_rows(world):
    @world.middleware
    def audit(ctx, call, next_):
        with ctx.db.transaction():
            write("audit")
            try:
                return next_(call)
            except ToolError as error:
                return {"failed": error.code}

    with world.instance() as inst:
        assert inst.call("fail_after_writing", how="refusal") == {"failed": "refused"}
        assert names(inst) == ["audit"]


@pytest.mark.parametrize("how", ["refusal", "bug", "set"])
def test_a_layer_that_answers_for_a_failed_tool_finds_its_rows_and_its_memory_undone(world, how):
    @world.middleware
    def soothe(ctx, call, next_):
        try:
            return next_(call)
        except Exception as error:
            return {"error": type(error).__name__}

    with world.instance() as inst:
        assert inst.call("fail_after_writing", how=how)["error"]
        assert (names(inst), inst._at.root.state) == ([], {})
        assert inst.call_log()[0]["error"] is None


@pytest.mark.parametrize("in_transaction", [True, False])
def test_a_layer_that_goes_no_further_still_makes_a_call(world, in_transaction):
    @world.middleware(in_transaction=in_transaction)
    def refuse(ctx, call, next_):
        return {"cached": call.arguments} if call.name == "list_boxes" else next_(call)

    with world.instance(now=NOW) as inst:
        outcome = inst.dispatch("list_boxes", {"any": "thing"})
        assert (outcome.result, outcome.json) == ({"cached": {"any": "thing"}}, b'{"cached":{"any":"thing"}}')
        inst.call("make_box", name="a")
        assert [record["i"] for record in inst.change_log()] == [1]
        assert inst.clock.iso() == "2026-06-01T09:00:02.000Z"


def test_rewritten_arguments_reach_the_layers_below_and_the_tool_but_not_the_record(world):
    seen = []

    @world.middleware
    def rewrite(ctx, call, next_):
        seen.append(dict(ctx.call.arguments))
        return next_(call.with_arguments(name="changed"))

    @world.middleware(in_transaction=True)
    def below(ctx, call, next_):
        assert ctx.call is call
        seen.append(dict(ctx.call.arguments))
        return next_(call)

    with world.instance() as inst:
        assert inst.call("make_box", name=5)["name"] == "changed"
        assert seen == [{"name": 5}, {"name": "changed"}]
        assert inst.call_log()[0]["arguments"] == {"name": 5}


def test_layers_see_raw_arguments_and_may_say_every_violation_in_their_own_words(world):
    @world.middleware
    def own_words(ctx, call, next_):
        try:
            return next_(call)
        except ArgumentError as error:
            raise ToolError("bad", f"{len(error.violations)} mistakes") from error

    with world.instance() as inst, pytest.raises(ToolError, match="2 mistakes"):
        inst.call("make_box", name=5, prize="1")


@pytest.mark.parametrize("in_transaction", [True, False])
def test_a_result_changed_in_place_is_the_one_that_every_door_sends(world, in_transaction):
    @world.middleware(in_transaction=in_transaction)
    def stamp(ctx, call, next_):
        result = next_(call)
        result["served_by"] = "lab"
        return result

    with world.instance() as inst:
        outcome = inst.dispatch("make_box", {"name": "a"})
        assert outcome.result["served_by"] == "lab"
        assert orjson.loads(outcome.json) == outcome.result
        assert inst.call_log(results=True)[0]["result"] == outcome.result


@pytest.mark.parametrize(("in_transaction", "left"), [(True, []), (False, ["a"])])
def test_a_layers_answer_must_be_json_and_only_inside_the_transaction_does_it_undo_the_rows(
    world, in_transaction, left
):
    @world.middleware(in_transaction=in_transaction)
    def spoil(ctx, call, next_):
        return {next_(call)["name"]}

    with world.instance() as inst:
        with pytest.raises(WorldBug, match="returned a set"):
            inst.call("make_box", name="a")
        assert names(inst) == left
        assert len(inst.change_log()) == len(left)


def test_a_layer_may_try_again_each_time_in_a_new_transaction(world):
    @world.middleware
    def again(ctx, call, next_):
        try:
            return next_(call)
        except ToolError:
            return next_(call.with_arguments(fail=False))

    @world.tool
    def flaky(ctx: Ctx, fail: bool) -> dict:
        """Fail when told to."""
        write(f"fail is {fail}")
        if fail:
            raise ToolError("no", "no")
        return {}

    with world.instance() as inst:
        inst.call("flaky", fail=True)
        assert names(inst) == ["fail is False"]
        assert inst.call_count == 1


def test_a_transaction_a_layer_leaves_open_is_undone_and_said(world):
    @world.middleware
    def careless(ctx, call, next_):
        result = next_(call)
        ctx.db.execute("BEGIN")
        write("lost")
        return result

    with world.instance() as inst:
        with pytest.raises(WorldBug, match="middleware around list_boxes began a transaction and did not end it"):
            inst.call("list_boxes")
        assert names(inst) == []


# What is kept of a call


class Point(BaseModel):
    x: int


class Loop(list):
    def __init__(self):
        super().__init__([self])


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ({"a": [1, None, "é", {"b": 1.5}]}, {"a": [1, None, "é", {"b": 1.5}]}),
        ({"a": {3, 1, 2}}, {"a": [1, 2, 3]}),
        ({"a": Point(x=1)}, {"a": {"x": 1}}),
        ({"a": uuid.UUID(int=1)}, {"a": "00000000-0000-0000-0000-000000000001"}),
        ({"a": 2**70, "b": 1}, {"a": str(2**70), "b": 1}),
        ({"a": "\ud800", "b": 1}, {"a": "\\ud800", "b": 1}),
        ({"a": {1: "x"}}, {"a": {"1": "x"}}),
        ({"a": float("nan")}, {"a": None}),
        ({"a": b"x"}, {"a": "b'x'"}),
        ({"\ud800": 1}, {"\\ud800": 1}),
        ({"a": Loop()}, {"a": "[[...]]"}),
    ],
)
def test_every_call_is_recorded_whatever_its_arguments(arguments, shown):
    assert record_of("t", arguments).as_dict() == {"tool": "t", "arguments": shown, "error": None}


def test_arguments_that_json_cannot_carry_are_kept_beside_as_they_were():
    given: dict[str, Any] = {"a": {1, 2}, "b": (1, [2])}
    record = record_of("t", given)
    given["b"][1].append(3)
    assert record.arguments_again() == {"a": {1, 2}, "b": (1, [2])}
    record.arguments_again()["b"][1].clear()
    assert record.arguments_again()["b"] == (1, [2])
    plain = record_of("t", {"a": [1]})
    assert (plain.given, plain.arguments_again()) == (None, {"a": [1]})
    endless = record_of("t", {"a": iter([1])})
    assert next(endless.arguments_again()["a"]) == 1


def test_arguments_nested_beyond_reason_are_recorded_too():
    nested: list = []
    for _ in range(100_000):
        nested = [nested]
    assert record_of("t", {"a": nested}).as_dict()["arguments"] == {"a": "a list of too many levels"}
    while nested:  # or freeing it would recurse as deep
        nested = nested.pop()


def test_an_integer_no_database_holds_is_refused_like_any_other_argument():
    with installed.get("bank").instance() as inst:
        with pytest.raises(ToolError):
            inst.call("boom", why=2**70)
        assert inst.call_log()[0]["arguments"] == {"why": str(2**70)}


def test_what_a_tool_does_to_its_arguments_leaves_the_record_alone(world):
    @world.tool
    def consume(ctx: Ctx, items: list[int]) -> int:
        """Empty the list it was given."""
        items.clear()
        assert ctx.call is not None
        ctx.call.arguments.clear()
        return 0

    with world.instance() as inst:
        given = [1, 2]
        inst.call("consume", items=given)
        assert inst.call_log()[0]["arguments"] == {"items": [1, 2]}


def test_results_are_kept_up_to_the_size_that_is_set(settings):
    settings.SEAHAVEN_RESULT_KEPT_KIB = 1
    with lab.instance() as inst:
        inst.call("remember", what="x" * 500)
        inst.call("remember", what="x" * 600)
        kept = [call["result"] for call in inst.call_log(results=True)]
        assert kept == [{"memory": ["x" * 500]}, None]
        assert "result" not in inst.call_log()[0]


# What the log file says


def lines(caplog, level):
    return [record for record in caplog.records if record.name == "seahaven.calls" and record.levelno == level]


def test_a_good_call_is_one_line(caplog):
    caplog.set_level(logging.DEBUG, "seahaven.calls")
    with lab.instance() as inst:
        inst.call("list_boxes")
        (line,) = lines(caplog, logging.INFO)
        words = line.getMessage().split()
        assert words[:2] == ["list_boxes", "ok"]
        assert words[3:] == ["ms", f"instance={inst.id}", "world=lab", "node=main"]
        assert len(caplog.records) == 1


def test_a_refusal_is_one_line_with_its_code_and_its_reason_only_when_debugging(caplog, world):
    @world.tool
    def refuse(ctx: Ctx) -> None:
        """Refuse because of something."""
        try:
            dict[str, int]()["x"]
        except KeyError as error:
            raise ToolError("not_there", "It is not there") from error

    caplog.set_level(logging.DEBUG, "seahaven.calls")
    with world.instance() as inst, pytest.raises(ToolError):
        inst.call("refuse")
    assert [line.getMessage().split()[1] for line in lines(caplog, logging.INFO)] == ["not_there"]
    assert lines(caplog, logging.ERROR) == []
    (reason,) = lines(caplog, logging.DEBUG)
    assert isinstance(reason.exc_info[1].__cause__, KeyError)


def test_a_bug_is_logged_once_with_its_traceback(caplog):
    caplog.set_level(logging.INFO, "seahaven.calls")
    with lab.instance() as inst, pytest.raises(ValueError, match="secret"):
        inst.call("fail_after_writing", how="bug")
    (trace,) = lines(caplog, logging.ERROR)
    assert trace.exc_info[0] is ValueError
    assert [line.getMessage().split()[1] for line in lines(caplog, logging.INFO)] == ["ValueError"]


def test_a_replay_is_not_logged_again(caplog, settings):
    settings.SEAHAVEN_CHECKPOINTS_KEPT = 0
    with lab.instance() as inst:
        for _ in range(3):
            with pytest.raises(ValueError, match="secret"):
                inst.call("fail_after_writing", how="bug")
        caplog.clear()
        inst.rewind(call=1)
        assert caplog.records == []
