import copy
from dataclasses import FrozenInstanceError
from typing import Any, get_origin

import pytest

from worlds.engine import Call, Ctx, WorldBug, installed

lab = installed.get("lab")
NOW = "2026-06-01T09:00:00.000Z"


class MyWorlds:
    pass


@pytest.fixture
def seen():
    """The `ctx` of one call, and what it was at that time."""
    world = copy.copy(lab)
    kept: dict[str, Any] = {}

    @world.tool
    def look(ctx: Ctx[Any], key: str) -> None:
        """Keep what is seen."""
        kept.update(ctx=ctx, call=ctx.call, now=ctx.clock.iso(), instance=ctx.instance, state=ctx.state)
        kept["seqs"] = [ctx.seq() for _ in range(3)]
        with pytest.raises(AttributeError, match=r"ctx is read-only, .*keep it in ctx.state\['viewer'\]"):
            ctx.viewer = "ada"
        with pytest.raises(AttributeError):
            ctx.state = {}  # type: ignore[misc]
        with pytest.raises(AttributeError):
            ctx.clock.advance(1)  # type: ignore[attr-defined]
        with pytest.raises(WorldBug, match="world lab embeds no world, so ctx.worlds.payments is not there"):
            ctx.worlds.payments.call("x")
        with pytest.raises(WorldBug, match="ctx.worlds.payments"):
            ctx.worlds["payments"]

    with world.instance(now=NOW, seed=3) as inst:
        inst.call("look", key="a")
        kept["inst"] = inst
        yield kept


def test_a_tool_sees_its_call_its_instance_and_the_time(seen):
    inst = seen["inst"]
    call = seen["call"]
    assert (call.name, call.arguments, call.node, call.tool.name) == ("look", {"key": "a"}, "main", "look")
    assert seen["now"] == "2026-06-01T09:00:01.000Z"
    assert (seen["instance"].id, seen["instance"].fixture, seen["instance"].seed) == (inst.id, None, inst.seed)
    assert seen["state"] == {}


def test_neither_the_call_nor_the_instance_can_be_changed(seen):
    with pytest.raises(FrozenInstanceError):
        seen["call"].name = "other"
    with pytest.raises(FrozenInstanceError):
        seen["instance"].id = "other"
    assert "seed" not in repr(seen["instance"])


def test_the_counter_gives_larger_numbers_each_time(seen):
    assert seen["seqs"] == [1, 2, 3]
    with seen["inst"].bulk() as ctx:
        assert ctx.seq() == 4


def test_a_call_with_other_arguments_is_a_copy():
    call = Call("t", {"a": 1, "b": 2}, None)
    changed = call.with_arguments(b=3, c=4)
    assert (changed.arguments, call.arguments) == ({"a": 1, "b": 3, "c": 4}, {"a": 1, "b": 2})
    assert (changed.name, changed.node) == ("t", "main")


def test_a_context_may_be_annotated_with_the_worlds_it_embeds():
    assert get_origin(Ctx[MyWorlds]) is Ctx


def test_draws_from_one_stream_leave_the_others_alone():
    world = copy.copy(lab)

    @world.tool
    def ids(ctx: Ctx, python: int = 0, sql: int = 0, seq: int = 0) -> list:
        """Draw ids after other draws."""
        for _ in range(python):
            ctx.random.random()
        for _ in range(sql):
            ctx.db.one("SELECT random(), randomblob(9)")
        for _ in range(seq):
            ctx.seq()
        return [ctx.ids.uuid(), ctx.ids.token(8), ctx.ids.random.random()]

    drawn = []
    for others in ({}, {"python": 3}, {"sql": 4}, {"seq": 2}):
        with world.instance(seed=9) as inst:
            drawn.append(inst.call("ids", **others))
    assert drawn[1:] == drawn[:1] * 3
