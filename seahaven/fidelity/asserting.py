"""How does a test hold a world to what a real API was recorded to do?"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from seahaven.fidelity.cassette import Cassette
from seahaven.fidelity.differences import Differences
from seahaven.fidelity.replay import replay
from seahaven.fidelity.reporting import Report


def assert_faithful(
    world: str,
    cassette: Cassette | str | Path,
    *,
    fixture: str | None = None,
    seed: int | None = 1,
    differences: Differences | Mapping[str, Any] | str | Path | None = None,
    now: str | datetime | None = None,
    startup: Mapping[str, Any] | None = None,
    strict: bool = False,
) -> Report:
    """Fail unless a world answers as recorded, but for differences that are declared; answers the report.

    `strict` also fails for a declared difference that does not occur, and for a cassette that was cut off.
    Raises: AssertionError with the report; FidelityError for files that cannot be used.
    """
    __tracebackhide__ = True
    report = replay(world, cassette, fixture=fixture, seed=seed, differences=differences, now=now, startup=startup)
    if not report.is_faithful or (strict and (report.stale or report.warnings)):
        raise AssertionError(str(report))
    return report
