"""What does the REST API take for calls, beside the WebSocket of the same server?

python -m benchmarks rest                        starts our server and measures it
python -m benchmarks rest --clients 1,16,64 …    with so many clients at once
"""

from __future__ import annotations

import argparse
import asyncio
import time
from typing import Any
from urllib.parse import urlsplit

import orjson

from benchmarks import load
from benchmarks.measure import machine, show
from benchmarks.serving import our_server

PREFIX = "/api/v1"


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(
        prog="benchmarks rest", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--server", default="uvicorn", choices=("uvicorn", "daphne"))
    parser.add_argument("--fixture", default="small_startup")
    parser.add_argument("--clients", default="1,64")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--rounds", type=int, default=2, help="each figure is the better of so many rounds")
    options = parser.parse_args(arguments)
    print(machine())
    with our_server(options.server) as (url, _):
        asyncio.run(_measure(options, url))


class Client:
    """One connection that is kept open, and an instance of its own."""

    def __init__(self, url: str) -> None:
        self._address = urlsplit(url)
        self._path = "/instances"

    async def open(self, start: dict[str, Any]) -> Client:
        address = self._address
        self._reader, self._writer = await asyncio.open_connection(address.hostname, address.port)
        told = orjson.loads(await self._ask("POST", orjson.dumps(start)))
        self.id = str(told["id"])
        self._path = f"/instances/{self.id}/calls"
        return self

    async def ask(self, body: bytes) -> Any:
        """Make a call; answers what the WebSocket's session would, as far as it is looked at."""
        answer = orjson.loads(await self._ask("POST", body))
        return {"type": "error" if answer["error"] else "observation"}

    async def result(self, tool: str, arguments: dict[str, Any]) -> Any:
        return orjson.loads(await self._ask("POST", _call(tool, arguments)))["result"]

    async def _ask(self, method: str, body: bytes) -> bytes:
        head = f"{method} {PREFIX}{self._path} HTTP/1.1\r\nHost: {self._address.netloc}\r\n"
        self._writer.write(
            f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
        )
        answer = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        if not answer.startswith((b"http/1.1 200", b"http/1.1 201")):
            raise RuntimeError(answer.decode())
        return await self._reader.readexactly(int(answer.partition(b"content-length:")[2].split(b"\r\n")[0]))

    async def close(self) -> None:
        self._writer.close()


def _call(tool: str, arguments: dict[str, Any]) -> bytes:
    return orjson.dumps({"tool": tool, "arguments": arguments})


async def _measure(options: argparse.Namespace, url: str) -> None:
    start = {"fixture": options.fixture}
    probe = await Client(url).open(start)
    found = await probe.result("run_sql", {"query": "SELECT id FROM leads ORDER BY id LIMIT 1"})
    lead = {"lead_id": found["rows"][0][0]}
    await probe.close()
    rows: list[tuple[Any, ...]] = []
    for count in map(int, options.clients.split(",")):
        for name, tool, arguments in (
            ("nothing", "benchmark_nothing", {}), ("read", "get_lead", lead), ("write", "create_lead", None),
        ):  # fmt: skip
            rest = await _best(options, lambda count=count: _rest(url, count, start), tool, arguments, _call)
            socket = await _best(
                options, lambda count=count: _sockets(url, count, start), tool, arguments, load.call_frame
            )
            rows.append((f"{count} {name}", rest.per_s, rest.ms(0.5), rest.ms(0.99), rest.fairness, socket.per_s))
    columns = ("clients, tool", "REST/s", "p50 ms", "p99 ms", "least/most", "WebSocket/s")
    show("Calls in a closed loop, each client with an instance of its own", columns, rows)


async def _rest(url: str, count: int, start: dict[str, Any]) -> list[Any]:
    return list(await asyncio.gather(*(Client(url).open(start) for _ in range(count))))


async def _sockets(url: str, count: int, start: dict[str, Any]) -> list[Any]:
    return (await load.open_all(f"{url.replace('http', 'ws', 1)}/ws", count, start))[0]


async def _best(options: argparse.Namespace, opened: Any, tool: str, arguments: Any, encoded: Any) -> load.Load:
    stamp = time.monotonic_ns()

    def call(client: int, number: int) -> bytes:
        made: bytes = encoded(
            tool, {"email": f"a{client}.{number}.{stamp}@example.com"} if arguments is None else arguments
        )
        return made

    best: load.Load | None = None
    for _ in range(options.rounds):
        clients = await opened()
        result = await load.closed_loop(clients, call, options.seconds)
        await load.close_all(clients)
        best = result if best is None or result.per_s > best.per_s else best
    assert best is not None
    return best
