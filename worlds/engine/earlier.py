"""How were things just after an earlier call, while the instance itself goes on?

A fork goes back in its stead, so that nobody notices. What it takes to get there is less when such a fork is kept from
another time, for a call not much earlier; on a long way back some are made to be kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from worlds.engine.calls import CallRecord
from worlds.engine.errors import WorldBug
from worlds.engine.instance import Instance

#: What stands for the beginning, before any call.
START = -1
#: On a long way back a point is made every so many calls.
STRIDE = 400


@dataclass(frozen=True, slots=True)
class Earlier:
    """An instance as it was just after a call. It is read, and forked; nobody moves it."""

    call: int
    #: The call itself: another instance, or one that was rewound since, has made another of that number.
    record: CallRecord | None
    instance: Instance


class Way(NamedTuple):
    """A fork that is still to go back, and the latest of those kept that lies on the way."""

    twin: Instance
    call: int
    record: CallRecord | None
    near: Earlier | None


def find(inst: Instance, call: int, kept: Sequence[Earlier]) -> Earlier | Way:
    """The one among `kept`, earlier points of `inst`, that is wanted; or the way there, which `go` goes.

    Raises: WorldBug for a call that was not made.
    """
    with inst.reading() as at:
        if not START <= call < len(at.calls):
            raise WorldBug(f"there is no call {call}: {len(at.calls)} calls were made, counted from 0")
        valid = [
            each
            for each in kept
            if each.call == START or (each.call < len(at.calls) and at.calls[each.call] is each.record)
        ]
        record = None if call == START else at.calls[call]
    exact = next((each for each in valid if each.call == call), None)
    if exact is not None:
        return exact
    after = next((each for each in valid if each.call > call and _reaches(each.instance, call)), None)
    if after is not None and not _reaches(inst, call):
        return Way(after.instance.fork(), call, record, None)
    near = max((each for each in valid if START < each.call < call), key=lambda each: each.call, default=None)
    return Way(inst.fork(), call, record, near)


def _reaches(inst: Instance, call: int) -> bool:
    """Is it a small step back to there?"""
    with inst.reading() as at:
        return at.steps.reaches(call)


def go(way: Way) -> list[Earlier]:
    """Go back, on any thread; the point that is wanted is the last of those it answers.

    Raises: WorldBug for a call too old to reach, as `rewind` does.
    """
    made: list[Earlier] = []
    try:
        if not _reaches(way.twin, way.call):
            with way.twin.reading() as at:
                records = at.calls[: way.call]
                begins = max((each.calls for each in at.origins if each.calls <= way.call and each.snapshot), default=0)
            near = way.near
            since = max(begins, near.call if near else 0)
            for call in range(since + STRIDE, way.call, STRIDE):
                near = _reach(way.twin.fork(), call, records[call], near)
                made.append(near)
            way = way._replace(near=near)
        made.append(_reach(way.twin, way.call, way.record, way.near))
    except BaseException:
        way.twin.destroy()
        raise
    return made


def _reach(twin: Instance, call: int, record: CallRecord | None, near: Earlier | None) -> Earlier:
    if near is not None:
        snapshot = near.instance.checkpoint()
        with twin.reading() as at:
            at.know(snapshot)
    twin.rewind(call=call)
    return Earlier(call, record, twin)
