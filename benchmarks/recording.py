"""What does it cost to record episodes, and where are their documents kept best?

python -m benchmarks recording                     starts our server twice, without recording and with, in turn
python -m benchmarks recording --steps 5,50 …      with episodes of so many steps
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gzip
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from django.conf import settings

import seahaven
from benchmarks import load
from benchmarks.measure import machine, show
from benchmarks.serving import our_server

SHARES = ("0", "0.05", "1")


class Figures(NamedTuple):
    """Of one run: what the server computed for a step, resets included, which says more than time on a busy machine."""

    cpu_us: float
    steps_per_s: float
    median_ms: float
    slow_ms: float


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(
        prog="benchmarks recording", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--fixture", default="small_startup")
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--steps", default="20,200", help="steps of an episode: a reset, the steps, a reset …")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--rounds", type=int, default=3, help="the figures of the best of so many, taken in turn")
    options = parser.parse_args(arguments)
    print(machine())
    storage(options.fixture)
    rows = []
    for steps in map(int, options.steps.split(",")):
        best: dict[str, Figures] = {}
        for _ in range(options.rounds):
            for share in SHARES:
                with recording_server(share) as (url, pid):
                    found = asyncio.run(_episodes(url, pid, options, steps))
                best[share] = min(found, best.get(share, found))
        for share, (cpu, rate, median, slow) in best.items():
            rows.append((f"{steps} steps, {share}", cpu, f"{cpu / best['0'].cpu_us - 1:+.1%}", rate, median, slow))
    columns = ("an episode, the share recorded", "CPU µs a step", "of none", "steps/s", "p50 ms", "p99 ms")
    show(f"Episodes of {options.clients} clients over the WebSocket", columns, rows)


@contextlib.contextmanager
def recording_server(share: str) -> Iterator[tuple[str, int]]:
    """Our server, with a control database of its own, that records so many of its episodes."""
    images = Path(settings.SEAHAVEN_VAR_DIR) / "images"
    images.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "images").symlink_to(images)
        before = dict(os.environ)
        os.environ |= {"SEAHAVEN_RECORD_EPISODES": share, "SEAHAVEN_VAR_DIR": folder, "SEAHAVEN_WORLDS": "worlds.crm"}
        try:
            subprocess.run([sys.executable, "manage.py", "migrate", "--verbosity", "0"], check=True)
            with our_server("uvicorn") as (url, pid):
                yield f"{url.replace('http', 'ws', 1)}/ws", pid
        finally:
            os.environ.clear()
            os.environ |= before


async def _episodes(url: str, pid: int, options: argparse.Namespace, steps: int) -> Figures:
    """Episodes one after the other, on every connection."""
    sessions, _ = await load.open_all(url, options.clients, {"fixture": options.fixture})
    began, cpu_s = time.perf_counter(), _cpu_s(pid)
    end = began + options.seconds
    taken: list[float] = []

    async def drive(index: int, session: load.Session) -> None:
        episode = 0
        while time.perf_counter() < end:
            episode += 1
            await session.reset({"fixture": options.fixture, "seed": episode})
            for number in range(steps):
                asked = time.perf_counter()
                await session.call("create_lead", {"email": f"r{index}.{number}@example.com"})
                taken.append((time.perf_counter() - asked) * 1000)

    await asyncio.gather(*(drive(index, session) for index, session in enumerate(sessions)))
    took_s = time.perf_counter() - began
    await load.close_all(sessions)
    await asyncio.sleep(0.5)  # until what waits is written, which is paid for, too
    cpu_us = (_cpu_s(pid) - cpu_s) * 1e6 / len(taken)
    taken.sort()
    return Figures(cpu_us, len(taken) / took_s, statistics.median(taken), taken[int(len(taken) * 0.99)])


def _cpu_s(pid: int) -> float:
    """What a process has computed so far, all of its threads together."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def storage(fixture: str) -> None:
    """Documents as files beside rows, and inside rows: how long one takes, and how long the database is kept locked."""
    rows = []
    for calls in (20, 500, 5000):
        with seahaven.world("crm").instance(fixture, seed=1) as inst:
            for number in range(calls):
                inst.call("create_lead", email=f"s{number}@example.com")
            began = time.perf_counter()
            document = inst.export_json()
            exported = (time.perf_counter() - began) * 1000
        began = time.perf_counter()
        packed = gzip.compress(document, 3)
        packing = (time.perf_counter() - began) * 1000
        count = 200 if calls < 5000 else 40
        sizes = (len(document) / 1000, len(packed) / 1000)
        rows.append((f"{calls} calls", *sizes, exported, packing, *_stored(packed, count)))
    columns = ("", "kB", "packed kB", "export ms", "pack ms", "file ms", "locked ms", "in the row ms", "locked ms")
    show("Keeping a document, 20 in a transaction", columns, rows)


def _stored(packed: bytes, count: int) -> tuple[float, float, float, float]:
    with tempfile.TemporaryDirectory() as folder:
        database = sqlite3.connect(Path(folder) / "control.sqlite3", isolation_level=None)
        database.execute("CREATE TABLE episodes (id INTEGER PRIMARY KEY, about TEXT, document BLOB)")

        def as_file(number: int) -> bytes | None:
            draft = Path(folder) / f"{number}.draft"
            draft.write_bytes(packed)
            os.replace(draft, Path(folder) / f"{number}.json.gz")
            return None

        figures = (*_timed(database, as_file, count), *_timed(database, lambda _: packed, count))
        database.close()
    return figures


def _timed(database: sqlite3.Connection, keep: Callable[[int], bytes | None], count: int) -> tuple[float, float]:
    locked = []
    began = time.perf_counter()
    for start in range(0, count, 20):
        values = [("x" * 300, keep(number)) for number in range(start, start + 20)]
        asked = time.perf_counter()
        database.execute("BEGIN IMMEDIATE")
        database.executemany("INSERT INTO episodes (about, document) VALUES (?, ?)", values)
        database.execute("COMMIT")
        locked.append((time.perf_counter() - asked) * 1000)
    return (time.perf_counter() - began) * 1000 / count, max(locked)
