"""How many calls a second does MCP take, on pipes and over HTTP?

python -m benchmarks mcp-calls                                 our server, and commands of its own for the pipes
python -m benchmarks mcp-calls --url http://host/mcp/crm       another server, over HTTP alone
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.load import Load
from benchmarks.mcp_load import JSON, STREAMS, HttpClient, PipeClient
from benchmarks.measure import machine, show
from benchmarks.serving import our_server

Client = HttpClient | PipeClient
#: By number of the client and of the call.
ArgumentsOf = Callable[[int, int], Mapping[str, Any]]


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(
        prog="benchmarks mcp-calls", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--url", help="a world of a server that runs already")
    parser.add_argument("--server", default="uvicorn", choices=("uvicorn", "daphne"))
    parser.add_argument("--fixture", default="small_startup")
    parser.add_argument("--clients", default="1,64")
    parser.add_argument("--seconds", type=float, default=5)
    options = parser.parse_args(arguments)
    print(machine())
    if options.url:
        asyncio.run(_all(options, options.url))
        return
    with our_server(options.server) as (url, _):
        asyncio.run(_all(options, f"{url}/mcp/crm"))


async def _all(options: argparse.Namespace, url: str) -> None:
    url = f"{url}?fixture={options.fixture}"
    kinds: dict[str, Callable[[], Client]] = {
        "HTTP, streams": lambda: HttpClient(url, accept=STREAMS),
        "HTTP, JSON": lambda: HttpClient(url, accept=JSON),
    }
    if not options.url:
        kinds["pipes"] = lambda: PipeClient("--world", "crm", "--fixture", options.fixture)
    rows = []
    for count in map(int, options.clients.split(",")):
        for kind, make in kinds.items():
            clients = [await make().open() for _ in range(count)]
            work = await _work(clients[0])
            for name, (tool, arguments_of) in work.items():
                load = await _closed_loop(clients, tool, arguments_of, options.seconds)
                rows.append((f"{count} {kind}, {name}", load.per_s, load.ms(0.5), load.ms(0.99), load.fairness))
            await asyncio.gather(*(client.close() for client in clients))
    show("Calls over MCP in a closed loop", ("clients", "calls/s", "p50 ms", "p99 ms", "least/most"), rows)


async def _work(client: Client) -> dict[str, tuple[str, ArgumentsOf]]:
    """A tool that reads and one that writes, and what they are called with."""
    answer = await client.call("run_sql", {"query": "SELECT id FROM leads ORDER BY id LIMIT 1"})
    lead = {"lead_id": answer["rows"][0][0]}
    return {
        "read": ("get_lead", lambda client, number: lead),
        "write": ("create_lead", lambda client, number: {"email": f"c{client}.{number}@example.com"}),
    }


async def _closed_loop(clients: list[Any], tool: str, arguments_of: ArgumentsOf, seconds: float) -> Load:
    load = Load(seconds, [0] * len(clients))
    begin = time.perf_counter() + min(1.0, seconds / 3)
    end = begin + seconds

    async def drive(index: int, client: Client) -> None:
        number = 0
        while (asked := time.perf_counter()) < end:
            await client.call(tool, arguments_of(index, number))
            number += 1
            now = time.perf_counter()
            if asked >= begin and now <= end:
                load.counts[index] += 1
                load.latencies.append(now - asked)

    await asyncio.gather(*(drive(index, client) for index, client in enumerate(clients)))
    return load
