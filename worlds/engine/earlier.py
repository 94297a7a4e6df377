"""How were things just after an earlier call, while the instance itself goes on?

A fork goes back in its stead, so that nobody notices. What it takes to get there is less when such a fork is kept from
another time, for a call not much earlier.
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
    near = max((each for each in valid if each.call < call), key=lambda each: each.call, default=None)
    return Way(inst.fork(), call, record, near)


def go(way: Way) -> Earlier:
    """Go back, on any thread.

    Raises: WorldBug for a call too old to reach, as `rewind` does.
    """
    try:
        if way.near is not None and way.near.call != START:
            snapshot = way.near.instance.checkpoint()
            with way.twin.reading() as at:
                at.know(snapshot)
        way.twin.rewind(call=way.call)
    except BaseException:
        way.twin.destroy()
        raise
    return Earlier(way.call, way.record, way.twin)
