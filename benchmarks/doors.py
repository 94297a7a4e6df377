"""How many calls a second does each door take, all measured in one run?

python -m benchmarks doors                       starts our server and measures it
python -m benchmarks doors --clients 1,64 …      with so many clients at once, each with an instance of its own
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import seahaven
from benchmarks import load, rest
from benchmarks.mcp_load import JSON, HttpClient, PipeClient
from benchmarks.measure import machine, show
from benchmarks.serving import our_server

#: Makes one call; what a tool answers is read and thrown away.
Call = Callable[[str, dict[str, Any]], Awaitable[Any]]
Opened = list[tuple[Call, Callable[[], Awaitable[None]]]]
FIRST_LEAD = "SELECT id FROM leads ORDER BY id LIMIT 1"


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(
        prog="benchmarks doors", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--server", default="uvicorn", choices=("uvicorn", "daphne"))
    parser.add_argument("--fixture", default="small_startup")
    parser.add_argument("--clients", default="1,64")
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument(
        "--rounds", type=int, default=2, help="each figure is the best of so many rounds, taken in turn"
    )
    options = parser.parse_args(arguments)
    print(machine())
    counts = [int(count) for count in options.clients.split(",")]
    with our_server(options.server) as (url, _):
        rates = asyncio.run(_measure(options, url, counts))
    columns = ["door", *(f"{name}, {count}" for count in counts for name in ("reads/s", "writes/s"))]
    rows = [
        (door, *(rates.get((door, count, name), "—") for count in counts for name in ("read", "write")))
        for door in dict.fromkeys(door for door, _, _ in rates)
    ]
    show("Calls a second through each door, by the number of clients", columns, rows)


async def _measure(options: argparse.Namespace, url: str, counts: list[int]) -> dict[tuple[str, int, str], float]:
    with seahaven.world("crm").instance(options.fixture) as inst:
        row = inst.inspect().one(FIRST_LEAD)
    assert row is not None
    doors: dict[str, Callable[[int, str], Awaitable[Opened]]] = {
        "in the same process": _in_process,
        "OpenEnv, WebSocket": partial(_sockets, f"{url.replace('http', 'ws', 1)}/ws"),
        "REST": partial(_rest, url),
        "MCP, stdio": _pipes,
        "MCP, HTTP": partial(_mcp, f"{url}/mcp/crm?fixture={options.fixture}"),
    }
    rates: dict[tuple[str, int, str], float] = {}
    for count in counts:
        for _ in range(options.rounds):
            for door, opening in doors.items():
                clients = await opening(count, options.fixture)
                if not clients:
                    continue
                for name, tool, arguments in (
                    ("read", "get_lead", {"lead_id": row["id"]}),
                    ("write", "create_lead", None),
                ):
                    rate = await _closed_loop(clients, tool, arguments, options.seconds)
                    rates[door, count, name] = max(rate, rates.get((door, count, name), 0.0))
                await asyncio.gather(*(close() for _, close in clients))
    return rates


async def _closed_loop(clients: Opened, tool: str, arguments: dict[str, Any] | None, seconds: float) -> float:
    """Every client asks as fast as it is answered; calls a second after a warm-up."""
    done = 0
    begin = time.perf_counter() + min(1.0, seconds / 3)
    end = begin + seconds

    async def drive(index: int, call: Call) -> None:
        nonlocal done
        number = 0
        while (asked := time.perf_counter()) < end:
            number += 1
            await call(tool, {"email": f"d{index}.{number}@example.com"} if arguments is None else arguments)
            done += asked >= begin and time.perf_counter() <= end

    await asyncio.gather(*(drive(index, call) for index, (call, _) in enumerate(clients)))
    return done / seconds


async def _in_process(count: int, fixture: str) -> Opened:
    """Instances that one thread calls in turn, as a trainer without a server does."""
    logging.disable(logging.CRITICAL)
    opened: Opened = []
    for number in range(count):
        inst = seahaven.world("crm").instance(fixture, seed=number)

        async def call(tool: str, arguments: dict[str, Any], inst: Any = inst) -> Any:
            await asyncio.sleep(0)
            return inst.call(tool, **arguments)

        async def close(inst: Any = inst) -> None:
            inst.destroy()

        opened.append((call, close))
    return opened


async def _sockets(url: str, count: int, fixture: str) -> Opened:
    sessions, _ = await load.open_all(url, count, {"fixture": fixture})
    return [(session.call, session.close) for session in sessions]


async def _rest(url: str, count: int, fixture: str) -> Opened:
    clients = await asyncio.gather(*(rest.Client(url).open({"fixture": fixture}) for _ in range(count)))
    return [(client.result, partial(_closed, client)) for client in clients]


async def _closed(client: rest.Client) -> None:
    await client.close()


async def _pipes(count: int, fixture: str) -> Opened:
    if count > 8:
        return []  # a process each: what is measured then is the machine's scheduler
    clients = [await PipeClient("--world", "crm", "--fixture", fixture).open() for _ in range(count)]
    return [(client.call, client.close) for client in clients]


async def _mcp(url: str, count: int, fixture: str) -> Opened:
    clients = await asyncio.gather(*(HttpClient(url, accept=JSON).open() for _ in range(count)))
    return [(client.call, client.close) for client in clients]
