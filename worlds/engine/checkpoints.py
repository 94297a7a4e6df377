"""How does an instance get back to where it was?

After each call a `Step` keeps the pages as they were before it, so that going back costs what was written. A
`Snapshot` is a whole position of its own, for forks, named checkpoints and as the start of a replay.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from worlds.engine.calls import CallRecord
from worlds.engine.changes import ChangeLog
from worlds.engine.db.pages import Pages
from worlds.engine.moves import Between


class Moment(NamedTuple):
    """Everything but pages that decides what happens next."""

    calls: int
    records: int
    seq: int
    clock: tuple[int, int, int, int]
    streams: tuple[int, ...]
    states: tuple[dict[str, Any], ...]
    #: No event is due before this; None when none waits, 0 when nobody looked.
    due_ms: int | None


class Step(NamedTuple):
    """One move of an instance: a call, or what was done between two (`call` is None). `undos` go back to before it."""

    call: int | None
    undos: tuple[tuple[str, Any], ...]
    after: Moment


class Steps:
    """The latest steps of an instance, as many as are kept."""

    __slots__ = ("_steps", "dropped")

    def __init__(self, kept: int, steps: Sequence[Step] = (), *, dropped: bool = False) -> None:
        self._steps: deque[Step] = deque(steps, maxlen=max(kept, 0))
        #: Has a step been let go since the start, so that the start itself is out of reach?
        self.dropped = dropped

    def add(self, step: Step) -> None:
        if len(self._steps) == self._steps.maxlen:
            self.dropped = True
        self._steps.append(step)

    def reaches(self, call: int) -> bool:
        """Is the position just after `call` among what is kept? (-1 is the start.)"""
        if call == -1:
            return not self.dropped
        return any(step.call == call for step in reversed(self._steps))

    def pop_to(self, call: int) -> tuple[list[tuple[str, Any]], Moment | None]:
        """Drop the steps after `call`; answers their undos, latest first, and the moment reached (None: the start)."""
        undos: list[tuple[str, Any]] = []
        while self._steps and self._steps[-1].call != call:
            undos += reversed(self._steps.pop().undos)
        return undos, (self._steps[-1].after if self._steps else None)

    def clear(self) -> None:
        """Let every step go: no way leads back over something that could not be kept."""
        self._steps.clear()
        self.dropped = True

    def copy(self) -> Steps:
        return Steps(self._steps.maxlen or 0, self._steps, dropped=self.dropped)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A whole position of an instance."""

    moment: Moment
    pages: dict[str, Pages]
    log: ChangeLog
    calls: list[CallRecord]
    between: list[Between]
    steps: Steps
    #: Where a replay to a call before this point may start.
    origins: tuple[Origin, ...]
    #: The instance it was taken of, and its forks; others have other seeds, fixtures or worlds.
    lineage: object


class Origin(NamedTuple):
    """A point that no replay can get past, and start from if it is still kept: the beginning, or the end of a bulk."""

    calls: int
    snapshot: Snapshot | None
