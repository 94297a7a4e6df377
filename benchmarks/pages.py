"""How long do the pages of the console take, on a server that is in use?

python -m benchmarks pages                       300 instances open, and a table of 100,000 rows
python -m benchmarks pages --busy 8 …            so many trainers step meanwhile, as fast as they are answered
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import time
from typing import Any

import httpx

from benchmarks import load, rest
from benchmarks.measure import machine, show
from benchmarks.serving import our_server

#: {id} is the instance with the large table, in the middle of a long episode.
PAGES = {
    "home": "",
    "instances": "instances/",
    "instances, searched": "instances/?world=crm&q=small",
    "open an instance": "instances/open/crm/",
    "a tool's form": "instances/{id}/tools/create_deal/",
    "timeline": "instances/{id}/calls/",
    "timeline, searched": "instances/{id}/calls/?q=p77@",
    "a call": "instances/{id}/calls/500/",
    "tables as they were then": "instances/{id}/calls/500/tables/main/leads/",
    "tables": "instances/{id}/tables/",
    "a table of 100,000 rows": "instances/{id}/tables/main/leads/",
    "the same, sorted": "instances/{id}/tables/main/leads/?sort=-email",
    "the same, far back": "instances/{id}/tables/main/leads/?page=1500",
    "the same, filtered": "instances/{id}/tables/main/leads/?column=last_name&is=contains&value=son",
    "SQL": "instances/{id}/sql/?q=SELECT+status,+count(*)+FROM+leads+GROUP+BY+status",
    "schema": "instances/{id}/schema/",
    "changes": "instances/{id}/changes/",
    "two runs compared": "compare/?a={id}&b={id}",
    "fixtures": "fixtures/",
    "a fixture": "fixtures/crm/small_startup/",
}


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(
        prog="benchmarks pages", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--instances", type=int, default=300)
    parser.add_argument("--calls", type=int, default=1000, help="so many calls the looked-at instance has had")
    parser.add_argument("--large", default="huge_co")
    parser.add_argument("--busy", type=int, default=0)
    parser.add_argument("--times", type=int, default=30)
    options = parser.parse_args(arguments)
    print(machine())
    os.environ["SEAHAVEN_OPEN_CONSOLE"] = "1"
    with our_server("uvicorn") as (url, _):
        rows = asyncio.run(_measure(options, url))
    show(
        f"A page of the console, ms: {options.instances} instances open, {options.busy} of them busy",
        ["page", "median", "slowest of 20", "KB"],
        rows,
    )


async def _measure(options: argparse.Namespace, url: str) -> list[tuple[object, ...]]:
    sessions, _ = await load.open_all(
        f"{url.replace('http', 'ws', 1)}/ws", options.instances, {"fixture": "small_startup"}
    )
    episode = rest.Client(url)
    await episode.open({"fixture": options.large})
    for number in range(options.calls):
        await episode.result("create_lead", {"email": f"p{number}@example.com"})
    busy = [asyncio.create_task(_step(session, index)) for index, session in enumerate(sessions[: options.busy])]
    async with httpx.AsyncClient(base_url=f"{url}/console/", timeout=60, trust_env=False) as browser:
        rows = [await _page(browser, name, path.format(id=episode.id), options.times) for name, path in PAGES.items()]
    for task in busy:
        task.cancel()
    await asyncio.gather(*busy, return_exceptions=True)
    await asyncio.gather(episode.close(), *(session.close() for session in sessions))
    return rows


async def _step(session: Any, index: int) -> None:
    number = 0
    while True:
        number += 1
        await session.call("create_lead", {"email": f"b{index}.{number}@example.com"})


async def _page(browser: httpx.AsyncClient, name: str, path: str, times: int) -> tuple[object, ...]:
    answer = await browser.get(path)
    if answer.status_code != 200:
        return name, f"HTTP {answer.status_code}", "—", "—"
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        await browser.get(path)
        taken.append((time.perf_counter() - began) * 1000)
    return name, statistics.median(taken), statistics.quantiles(taken, n=20)[-1], len(answer.content) / 1024
