"""How busy is this server, now and in the last minutes?

Nothing counts on the path of a call: whoever looks at the page counts moves while they look.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path

from worlds.engine.hosting import HOSTS, Hosted

#: Readings that are kept, one for each time somebody asked.
KEPT = 90
WIDTH, HEIGHT = 240, 40
#: Without a question for so long, moves are not counted any more.
STOPS_AFTER_S = 15.0


@dataclass(frozen=True, slots=True)
class Reading:
    at: float
    instances: int
    moves: int
    memory_mb: float


@dataclass(frozen=True, slots=True)
class Now:
    """What the page shows; `line` is a polyline of moves a second, in a box of WIDTH by HEIGHT."""

    instances: int
    moves_per_s: float
    memory_mb: float
    line: str
    most_per_s: float


class Numbers:
    """The readings of this process."""

    def __init__(self) -> None:
        self._readings: deque[Reading] = deque(maxlen=KEPT)
        self._moves = 0
        self._lock = threading.Lock()
        self._asked_at = 0.0

    def now(self) -> Now:
        """Take a reading; answers it beside those before."""
        now = time.monotonic()
        self._asked_at = now
        if self._count not in HOSTS.watchers:
            HOSTS.watchers = [*HOSTS.watchers, self._count]
            self._readings.clear()
        self._readings.append(Reading(now, len(HOSTS), self._moves, memory_mb()))
        rates = self._rates()
        latest = self._readings[-1]
        most = max(rates, default=0.0)
        return Now(latest.instances, rates[-1] if rates else 0.0, latest.memory_mb, _line(rates, most), most)

    def _rates(self) -> list[float]:
        pairs = zip(self._readings, list(self._readings)[1:], strict=False)
        return [(later.moves - earlier.moves) / max(later.at - earlier.at, 0.001) for earlier, later in pairs]

    def _count(self, hosted: Hosted, what: str) -> None:
        if what == "moved":
            with self._lock:
                self._moves += 1
            if time.monotonic() - self._asked_at > STOPS_AFTER_S:
                HOSTS.watchers = [each for each in HOSTS.watchers if each != self._count]


def _line(rates: list[float], most: float) -> str:
    if len(rates) < 2:
        return ""
    step = WIDTH / (KEPT - 1)
    left = WIDTH - step * (len(rates) - 1)
    scale = (HEIGHT - 2) / (most or 1)
    return " ".join(f"{left + step * i:.1f},{HEIGHT - 1 - rate * scale:.1f}" for i, rate in enumerate(rates))


def memory_mb() -> float:
    """Memory of this process that is in RAM, in MB; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


NUMBERS = Numbers()
