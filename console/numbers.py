"""How busy is this server, now and in the last minutes?

Nothing counts on the path of a call: whoever looks at the page counts moves while they look.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from worlds.engine.hosting import HOSTS, Hosted

#: How far back a line goes.
SPAN_S = 180.0
#: Two readings are not nearer to each other, however many people look.
APART_S = 0.9
#: The box a line is drawn in.
WIDTH, HEIGHT = 240, 44
#: Without a question for so long, moves are not counted any more.
STOPS_AFTER_S = 15.0


@dataclass(frozen=True, slots=True)
class Reading:
    at: float
    instances: int
    moves: int
    memory_mb: float


class Series(NamedTuple):
    """One number and its way here: a polyline in a box of WIDTH by HEIGHT, and the area below it."""

    label: str
    now: str
    most: str
    line: str
    area: str


class Numbers:
    """The readings of this process."""

    def __init__(self) -> None:
        self._readings: deque[Reading] = deque()
        self._moves = 0
        self._lock = threading.Lock()
        self._asked_at = 0.0

    def now(self) -> list[Series]:
        """Take a reading; answers it beside those before."""
        now = time.monotonic()
        self._asked_at = now
        if self._count not in HOSTS.watchers:
            HOSTS.watchers = [*HOSTS.watchers, self._count]
            self._readings.clear()
        taken = Reading(now, len(HOSTS), self._moves, memory_mb())
        if not self._readings or now - self._readings[-1].at >= APART_S:
            self._readings.append(taken)
        while self._readings[0].at < now - SPAN_S:
            self._readings.popleft()
        # What is shown ends with the present, in place of a reading that was taken only just before.
        known = [*list(self._readings)[:-1], taken]
        times = [reading.at for reading in known]
        rates = [
            (later.moves - earlier.moves) / (later.at - earlier.at)
            for earlier, later in zip(known, known[1:], strict=False)
        ]
        return [
            _series("Live instances", "{:,.0f}", times, [float(reading.instances) for reading in known]),
            _series("Calls a second", "{:,.1f}", times[1:], rates),
            _series("Memory", "{:,.0f} MB", times, [reading.memory_mb for reading in known]),
        ]

    def _count(self, hosted: Hosted, what: str) -> None:
        if what == "moved":
            with self._lock:
                self._moves += 1
            if time.monotonic() - self._asked_at > STOPS_AFTER_S:
                HOSTS.watchers = [each for each in HOSTS.watchers if each != self._count]


def _series(label: str, form: str, times: Sequence[float], values: Sequence[float]) -> Series:
    most = max(values, default=0.0)
    line = ""
    area = ""
    if len(values) > 1:
        scale = (HEIGHT - 4) / (most or 1)
        spots = [
            (WIDTH * (1 - (times[-1] - at) / SPAN_S), HEIGHT - 1 - value * scale)
            for at, value in zip(times, values, strict=True)
        ]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
        area = f"{spots[0][0]:.1f},{HEIGHT} {line} {WIDTH},{HEIGHT}"
    return Series(label, form.format(values[-1] if values else 0.0), form.format(most), line, area)


def memory_mb() -> float:
    """Memory of this process that is in RAM, in MB; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


NUMBERS = Numbers()
