"""Does an MCP server keep a thousand sessions apart, and does it free those that come and go?

python -m benchmarks mcp-sessions                              starts our server: 5,000 come and go, 1,000 at once
python -m benchmarks mcp-sessions --url http://host/mcp/crm    asks another server, whose memory is not seen
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import time
from pathlib import Path

from benchmarks.load import Load
from benchmarks.mcp_load import STREAMS, HttpClient
from benchmarks.measure import machine, rss_mb, show
from benchmarks.serving import our_server

#: A session that was dropped is idle for so long before it ends.
IDLE_S = 20
_THEIRS = "SELECT email FROM leads WHERE email LIKE '%@session.example' ORDER BY email"


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(
        prog="benchmarks mcp-sessions", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--url", help="a world of a server that runs already")
    parser.add_argument("--server", default="uvicorn", choices=("uvicorn", "daphne"))
    parser.add_argument("--fixture", default="small_startup")
    parser.add_argument("--sessions", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--churn", type=int, default=5000, help="so many are opened, and closed or dropped")
    parser.add_argument("--accept", default=STREAMS, help="application/json asks for no streams")
    options = parser.parse_args(arguments)
    print(machine())
    if options.url:
        asyncio.run(_all(options, options.url, None))
        return
    os.environ["SEAHAVEN_MCP_IDLE_S"] = str(IDLE_S)
    with our_server(options.server) as (url, pid):
        asyncio.run(_all(options, f"{url}/mcp/crm", pid))


async def _all(options: argparse.Namespace, url: str, pid: int | None) -> None:
    url = f"{url}?fixture={options.fixture}"
    await _come_and_go(url, min(1000, options.churn), pid)  # what is made once is made
    freed = await _come_and_go(url, options.churn, pid)
    apart = await _apart(options, url, pid)
    if not (apart and freed):
        sys.exit("a session was dropped, or saw the rows of another")


async def _apart(options: argparse.Namespace, url: str, pid: int | None) -> bool:
    """Sessions that all write, and read back what is there: it is theirs alone."""
    before = rss_mb(pid) if pid else 0.0
    began = time.perf_counter()
    clients = await _opened(url, options.sessions, options.accept)
    opened_s, each_kb = time.perf_counter() - began, (rss_mb(pid) - before) * 1000 / len(clients) if pid else 0.0
    load, mixed = Load(options.seconds, [0] * len(clients)), 0
    end = time.perf_counter() + options.seconds

    async def drive(index: int, client: HttpClient) -> None:
        nonlocal mixed
        emails: list[str] = []
        while (asked := time.perf_counter()) < end:
            emails.append(f"s{index}.{len(emails):06}@session.example")
            try:
                await client.call("create_lead", {"email": emails[-1]})
                answer = await client.call("run_sql", {"query": _THEIRS})
            except Exception as error:
                load.errors += 1
                print(f"session {index}: {error!r}", file=sys.stderr)
                return
            mixed += [row[0] for row in answer["rows"]] != emails[:200]  # the tool answers no more
            load.counts[index] += 2
            load.latencies.append((time.perf_counter() - asked) / 2)

    await asyncio.gather(*(drive(index, client) for index, client in enumerate(clients)))
    row = (
        len(clients), len(clients) / opened_s, each_kb, load.per_s, load.ms(0.5), load.ms(0.99),
        load.fairness, load.errors, mixed,
    )  # fmt: skip
    columns = ("sessions", "opened/s", "kB each", "calls/s", "p50 ms", "p99 ms", "least/most", "drops", "mix-ups")
    show(f"Sessions apart, {options.seconds:g} s", columns, [row])
    await asyncio.gather(*(client.close() for client in clients))
    return not load.errors and not mixed


async def _come_and_go(url: str, count: int, pid: int | None) -> bool:
    """Sessions that are opened and used once; every third is dropped without a word."""
    before = _held(pid)
    began = time.perf_counter()
    places = asyncio.Semaphore(32)

    async def visit(number: int) -> None:
        async with places:
            client = await HttpClient(url).open(listens=number % 2 == 0)
            await client.call("run_sql", {"query": "SELECT 1"})
            await (client.drop() if number % 3 == 0 else client.close())

    await asyncio.gather(*map(visit, range(count)))
    took = time.perf_counter() - began
    if pid:
        await asyncio.sleep(IDLE_S + 15)  # and the garbage is collected then, too
    after = _held(pid)
    columns = ("sessions", "per s", "descriptors before", "after", "memory before, MB", "after", "threads")
    row = (count, count / took, before[0], after[0], before[1], after[1], after[2])
    show("Sessions that come and go", columns, [row])
    return after[0] <= before[0] + 2


def _held(pid: int | None) -> tuple[int, float, int]:
    """Descriptors, memory in MB and threads of a process."""
    if pid is None:
        return 0, 0.0, 0
    process = Path(f"/proc/{pid}")
    return len(list((process / "fd").iterdir())), rss_mb(pid), len(list((process / "task").iterdir()))


async def _opened(url: str, count: int, accept: str) -> list[HttpClient]:
    places = asyncio.Semaphore(64)

    async def one(number: int) -> HttpClient:
        async with places:
            return await HttpClient(f"{url}&seed={number}", accept=accept).open(listens=True)

    return list(await asyncio.gather(*map(one, range(count))))
