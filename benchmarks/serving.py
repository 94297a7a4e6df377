"""What does an OpenEnv server take for resets, steps and many sessions at once?

python -m benchmarks serving                                    starts our server and measures it
python -m benchmarks serving --url ws://host:8000/ws …          measures another, without the echo consumer
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from benchmarks import load
from benchmarks.measure import machine, rss_mb, show


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(
        prog="benchmarks serving", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--url", help="the WebSocket of a server that runs already")
    parser.add_argument("--server", default="uvicorn", choices=("uvicorn", "daphne"))
    parser.add_argument("--small", default="small_startup")
    parser.add_argument("--large", default="huge_co", help="left out when the server has it not")
    parser.add_argument("--read", default="get_lead")
    parser.add_argument("--read-args", type=json.loads, help='default: a lead of the fixture, {"lead_id": …}')
    parser.add_argument("--write", default="create_lead")
    parser.add_argument("--write-args", default='{"email": "a{session}.{number}@example.com"}')
    parser.add_argument("--sessions", default="1,64,500")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--rounds", type=int, default=2, help="each figure is the better of so many rounds")
    options = parser.parse_args(arguments)
    print(machine())
    if options.url:
        asyncio.run(Serving(options, options.url, None, None).all())
        return
    with our_server(options.server) as (url, pid):
        base = url.replace("http", "ws", 1)
        asyncio.run(Serving(options, f"{base}/ws", f"{base}/echo", pid).all())


@contextmanager
def our_server(server: str) -> Iterator[tuple[str, int]]:
    """Our server on a free port."""
    command = [sys.executable, "-m", "benchmarks.server", "0", server]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        url = process.stdout.readline().strip()
        if not url:
            sys.exit("the server did not start")
        yield url, process.pid
    finally:
        process.terminate()
        process.wait(20)


class Serving:
    """The measurements, against one server."""

    def __init__(self, options: argparse.Namespace, url: str, echo: str | None, pid: int | None) -> None:
        self.options = options
        self.url = url
        self.echo = echo
        self.pid = pid
        self.read_args: dict[str, Any] = options.read_args or {}

    async def all(self) -> None:
        fixtures = [self.options.small]
        if await self._has(self.options.large):
            fixtures.append(self.options.large)
        await self._find_a_lead()
        await self.resets(fixtures)
        await self.opening()
        await self.steps()
        await self.a_sleeper()

    async def _has(self, fixture: str) -> bool:
        session = await load.Session(self.url).open()
        answer = await session.ask({"type": "reset", "data": {"fixture": fixture}})
        await session.close()
        return bool(answer["type"] == "observation")

    async def _find_a_lead(self) -> None:
        if self.read_args or self.options.read != "get_lead":
            return
        session = await load.Session(self.url).open()
        await session.reset({"fixture": self.options.small})
        answer = await session.call("run_sql", {"query": "SELECT id FROM leads ORDER BY id LIMIT 1"})
        self.read_args = {"lead_id": answer["data"]["observation"]["result"]["data"]["rows"][0][0]}
        await session.close()

    async def resets(self, fixtures: list[str]) -> None:
        rows = []
        for fixture in fixtures:
            data = {"fixture": fixture}
            reset = await load.resets_ms(self.url, data)
            turnover = await load.turnover_per_s(self.url, data, at_once=16, seconds=self.options.seconds)
            rows.append((fixture, reset, turnover))
        show(
            "Episodes over the WebSocket",
            ("fixture", "reset, median ms", "connect+reset+close per s, 16 at once"),
            rows,
        )

    async def opening(self) -> None:
        rows = []
        for in_flight in (32, 500):
            before = rss_mb(self.pid) if self.pid else 0.0
            began = time.perf_counter()
            sessions, took = await load.open_all(self.url, 500, {"fixture": self.options.small}, in_flight)
            seconds = time.perf_counter() - began
            memory = (rss_mb(self.pid) - before) / len(sessions) if self.pid else 0.0
            row = (in_flight, statistics.median(took) * 1000, max(took) * 1000, len(sessions) / seconds, memory * 1000)
            rows.append(row)
            await load.close_all(sessions)
        columns = ("in flight", "median ms", "slowest ms", "opened per s", "memory each, kB")
        show("Opening 500 sessions", columns, rows)

    async def steps(self) -> None:
        read = load.call_frame(self.options.read, self.read_args)

        def write(session: int, number: int) -> bytes:
            text = self.options.write_args.replace("{session}", str(session)).replace("{number}", str(number))
            return load.call_frame(self.options.write, json.loads(text))

        rows: list[tuple[Any, ...]] = []
        nothing = load.call_frame("benchmark_nothing", {})
        for count in map(int, self.options.sessions.split(",")):
            echo = await self._loop(self.echo, count, lambda *_: read) if self.echo else None
            for name, frame_of in (("nothing", lambda *_: nothing), ("read", lambda *_: read), ("write", write)):
                if name == "nothing" and not echo:
                    continue  # a tool of our own server's alone
                steps = await self._loop(self.url, count, frame_of)
                assert steps is not None
                share = f"{steps.per_s / echo.per_s:.0%}" if echo else "-"
                rates = (echo.per_s if echo else "-", steps.per_s, share)
                rows.append((f"{count} {name}", *rates, steps.ms(0.5), steps.ms(0.99), steps.fairness, steps.errors))
        columns = ("sessions, tool", "echo/s", "steps/s", "of echo", "p50 ms", "p99 ms", "least/most", "errors")
        show("Steps in a closed loop", columns, rows)

    async def _loop(self, url: str | None, count: int, frame_of: Any) -> load.Load | None:
        if url is None:
            return None
        reset = None if url == self.echo else {"fixture": self.options.small}
        best: load.Load | None = None
        for _ in range(self.options.rounds):
            sessions, _ = await load.open_all(url, count, reset)
            result = await load.closed_loop(sessions, frame_of, self.options.seconds)
            await load.close_all(sessions)
            if best is None or result.per_s > best.per_s:
                best = result
        return best

    async def a_sleeper(self) -> None:
        """What a tool that sleeps costs the others; only on a server that has the test worlds."""
        base = self.url.rsplit("/ws", 1)[0]
        try:
            sleeper = await load.Session(f"{base}/worlds/bank/ws").open()
            await sleeper.reset({})
        except Exception:
            return
        read = load.call_frame(self.options.read, self.read_args)
        rows = []
        for name, sleeping in (("nobody sleeps", False), ("one tool sleeps 2 s, again and again", True)):
            stop = time.perf_counter() + self.options.seconds + 1.5

            task = asyncio.ensure_future(_doze(sleeper, stop)) if sleeping else None
            sessions, _ = await load.open_all(self.url, 64, {"fixture": self.options.small})
            result = await load.closed_loop(sessions, lambda *_: read, self.options.seconds)
            await load.close_all(sessions)
            if task:
                await task
            rows.append((name, result.per_s, result.ms(0.5), result.ms(0.99)))
        show("64 sessions beside a slow tool", ("", "steps/s", "p50 ms", "p99 ms"), rows)
        await sleeper.close()


async def _doze(session: load.Session, stop: float) -> None:
    while time.perf_counter() < stop:
        await session.call("slow", {"s": 2.0})
