"""How is a time taken so that it can be believed, and how is it shown?"""

from __future__ import annotations

import gc
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

console = Console(width=118)


def median_us(work: Callable[[], Any], times: int, *, warm_up: int = 20) -> float:
    """The median time of `work`, in microseconds, without the garbage collector's part."""
    for _ in range(min(warm_up, times)):
        work()
    taken = []
    gc.collect()
    gc.disable()
    try:
        for _ in range(times):
            began = time.perf_counter_ns()
            work()
            taken.append(time.perf_counter_ns() - began)
    finally:
        gc.enable()
    return statistics.median(taken) / 1000


def side_by_side_us(one: Callable[[], Any], other: Callable[[], Any], times: int) -> tuple[float, float]:
    """The medians of two kinds of work done in turn, so that their ratio holds when the machine's speed drifts."""
    taken: tuple[list[int], list[int]] = ([], [])
    for work in (one, other) * 10:
        work()
    gc.collect()
    gc.disable()
    try:
        for _ in range(times):
            for work, into in ((one, taken[0]), (other, taken[1])):
                began = time.perf_counter_ns()
                work()
                into.append(time.perf_counter_ns() - began)
    finally:
        gc.enable()
    return statistics.median(taken[0]) / 1000, statistics.median(taken[1]) / 1000


def rss_mb(pid: int | None = None) -> float:
    """Memory of a process that is in RAM, in MB; pages of mapped files count while they are touched."""
    fields = Path(f"/proc/{pid or os.getpid()}/statm").read_text().split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def private_mb(pid: int | None = None) -> float:
    """Memory of a process that is its own: what is in RAM less what is mapped from files."""
    fields = Path(f"/proc/{pid or os.getpid()}/statm").read_text().split()
    return (int(fields[1]) - int(fields[2])) * os.sysconf("SC_PAGE_SIZE") / 1e6


def machine() -> str:
    """One line on what was measured."""
    from importlib.metadata import version

    cpu = next(
        (line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line),
        platform.processor(),
    )
    packages = ", ".join(f"{name} {version(name)}" for name in ("django", "apsw", "uvicorn"))
    return f"{cpu}, {os.cpu_count()} cores; Python {platform.python_version()}, {packages}"


def show(title: str, columns: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    """Print a table."""
    table = Table(*columns, title=title, title_justify="left", title_style="bold")
    for index in range(1, len(table.columns)):
        table.columns[index].justify = "right"
    for row in rows:
        table.add_row(*map(_shown, row))
    console.print(table)


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}"
    return str(value)
