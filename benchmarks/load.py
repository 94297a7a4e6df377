"""What does a client see of an OpenEnv server under load?

Knows nothing of the server but OpenEnv's frames; every time is wall time on the client's side.
"""

from __future__ import annotations

import asyncio
import contextlib
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import orjson
from websockets.asyncio.client import ClientConnection, connect

Frame = dict[str, Any]


@dataclass
class Load:
    """What a closed loop of sessions achieved."""

    seconds: float
    counts: list[int] = field(default_factory=list)
    latencies: list[float] = field(default_factory=list)
    errors: int = 0

    @property
    def per_s(self) -> float:
        return sum(self.counts) / self.seconds

    @property
    def fairness(self) -> float:
        """The slowest session's share of the fastest one's."""
        most = max(self.counts, default=0)
        return min(self.counts) / most if most else 0.0

    def ms(self, quantile: float) -> float:
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, int(len(ordered) * quantile))] * 1000 if ordered else 0.0


class Session:
    """One connection."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.ws: ClientConnection

    async def open(self) -> Session:
        self.ws = await connect(
            self.url, max_size=None, open_timeout=60, ping_interval=None, compression=None, proxy=None
        )
        return self

    async def ask(self, frame: Frame | bytes) -> Any:
        await self.ws.send(frame if isinstance(frame, bytes) else orjson.dumps(frame), text=True)
        return orjson.loads(await self.ws.recv(decode=False))

    async def reset(self, data: Frame) -> Any:
        answer = await self.ask({"type": "reset", "data": data})
        if answer["type"] == "error":
            raise RuntimeError(f"reset was refused: {answer['data']}")
        return answer

    async def call(self, tool: str, arguments: Frame) -> Any:
        return await self.ask(call_frame(tool, arguments))

    async def close(self) -> None:
        with contextlib.suppress(Exception):
            await self.ws.send('{"type": "close"}')
            await self.ws.close()


def call_frame(tool: str, arguments: Frame) -> bytes:
    return orjson.dumps({"type": "step", "data": {"type": "call_tool", "tool_name": tool, "arguments": arguments}})


def failed(answer: Any) -> bool:
    if answer["type"] == "error":
        return True
    observation = answer.get("data", {}).get("observation") or {}
    return bool(observation.get("error"))


async def open_all(
    url: str, count: int, reset: Frame | None, in_flight: int = 500
) -> tuple[list[Session], list[float]]:
    """`count` sessions opened (and reset), so many at a time; answers them and how long each took, in seconds."""
    took: list[float] = []
    places = asyncio.Semaphore(in_flight)

    async def one(number: int) -> Session:
        async with places:
            began = time.perf_counter()
            session = await Session(url).open()
            if reset is not None:
                await session.reset({**reset, "seed": number})
            took.append(time.perf_counter() - began)
            return session

    return list(await asyncio.gather(*(one(number) for number in range(count)))), took


async def closed_loop(sessions: list[Session], frame_of: Callable[[int, int], bytes], seconds: float) -> Load:
    """Every session asks as fast as it is answered, for `seconds` after a warm-up."""
    load = Load(seconds, [0] * len(sessions))
    begin = time.perf_counter() + min(1.0, seconds / 3)
    end = begin + seconds

    async def drive(index: int, session: Session) -> None:
        number = 0
        while (asked := time.perf_counter()) < end:
            answer = await session.ask(frame_of(index, number))
            number += 1
            now = time.perf_counter()
            if asked >= begin and now <= end:
                load.counts[index] += 1
                load.latencies.append(now - asked)
            load.errors += failed(answer)

    await asyncio.gather(*(drive(index, session) for index, session in enumerate(sessions)))
    return load


async def close_all(sessions: list[Session]) -> None:
    await asyncio.gather(*(session.close() for session in sessions))


async def resets_ms(url: str, data: Frame, times: int = 60) -> float:
    """The median time of a reset that replaces an instance."""
    session = await Session(url).open()
    taken = []
    for seed in range(times):
        began = time.perf_counter()
        await session.reset({**data, "seed": seed})
        taken.append((time.perf_counter() - began) * 1000)
    await session.close()
    return statistics.median(taken[5:])


async def turnover_per_s(url: str, data: Frame, *, at_once: int, seconds: float) -> float:
    """Sessions opened, reset and closed in a second."""
    done, end = 0, time.perf_counter() + seconds

    async def worker() -> None:
        nonlocal done
        while time.perf_counter() < end:
            session = await Session(url).open()
            await session.reset(data)
            await session.close()
            done += 1

    await asyncio.gather(*(worker() for _ in range(at_once)))
    return done / seconds
