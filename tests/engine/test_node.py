import copy
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest
from pydantic import BaseModel

from worlds.engine import Ctx, WorldBug, installed

lab = installed.get("lab")
NOW = "2026-06-01T09:00:00.000Z"


class Note(BaseModel):
    text: str


@pytest.fixture
def world():
    world = copy.copy(lab)
    world.payloads = []

    @world.event_handler(name="keep")
    def keep_it(ctx: Ctx, payload) -> None:
        world.payloads.append((payload, ctx.clock.iso()))

    world.keep_it = keep_it
    return world


def scheduled(world, at, payload=None, handler="keep"):
    """When an event scheduled for `at` ran."""
    with world.instance(now=NOW) as inst:
        with inst.bulk() as ctx:
            ctx.schedule(at, handler, payload)
        inst.advance(days=2)
    (found,) = world.payloads
    return found


@pytest.mark.parametrize(
    "at",
    [
        timedelta(hours=1),
        "2026-06-01T10:00:00.000Z",
        "2026-06-01T12:00:00+02:00",
        datetime(2026, 6, 1, 10, tzinfo=UTC),
    ],
)
def test_an_event_is_scheduled_for_an_instant_or_a_time_from_now(world, at):
    assert scheduled(world, at)[1] == "2026-06-01T10:00:00.000Z"


@pytest.mark.parametrize(
    ("payload", "arrives"),
    [(None, None), ({"a": [1, "é"]}, {"a": [1, "é"]}), (Note(text="x"), {"text": "x"}), ((1, 2), [1, 2])],
)
def test_a_payload_arrives_as_json(world, payload, arrives):
    assert scheduled(world, timedelta(1), payload)[0] == arrives


def test_a_handler_is_named_by_its_function_or_by_its_name(world):
    scheduled(world, timedelta(1), handler=world.keep_it)
    assert len(world.payloads) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((timedelta(1), "keepp"), "'keepp' is no event handler of world lab; decorate it with @event_handler"),
        ((timedelta(1), test_a_handler_is_named_by_its_function_or_by_its_name), "is no event handler of world lab"),
        ((timedelta(1), "keep", {1, 2}), "the payload of event keep returned a set"),
        (("soon", "keep"), "the time of event keep is 'soon', which is no instant"),
        ((datetime(2026, 6, 1), "keep"), "has no time zone"),
        ((5, "keep"), "must be text or a datetime, not int"),
    ],
)
def test_what_cannot_be_scheduled_is_refused_at_once(world, arguments, message):
    with world.instance(now=NOW) as inst:
        with pytest.raises(WorldBug, match=message), inst.bulk() as ctx:
            ctx.schedule(*arguments)
        assert inst.inspect().one("SELECT count(*) AS n FROM seahaven_events") == {"n": 0}


def test_a_savepoint_inside_a_call_takes_memory_back_with_the_rows(world):
    with world.instance() as inst, inst.bulk() as ctx:
        node = inst._at.root
        ctx.state["a"] = [1]
        with suppress(ZeroDivisionError), node.transaction():
            ctx.db.execute("INSERT INTO tags (code) VALUES ('x')")
            ctx.state["a"].append(2)
            raise ZeroDivisionError
        assert (ctx.state, ctx.db.rows("SELECT * FROM tags")) == ({"a": [1]}, [])
