"""Do many clients at once see their own rows only, and does none wait for another?"""

import asyncio
import json
import time
from urllib.parse import urlsplit

from tests.openenv.servers import result
from tests.rest.api import PREFIX, Api

CLIENTS = 64


class Connection:
    """One client that keeps its connection."""

    def __init__(self, url):
        self.address = urlsplit(url)

    async def __aenter__(self):
        self.reader, self.writer = await asyncio.open_connection(self.address.hostname, self.address.port)
        return self

    async def __aexit__(self, *exc_info):
        self.writer.close()
        await self.writer.wait_closed()

    async def ask(self, method, path, body=None):
        data = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {PREFIX}{path} HTTP/1.1\r\nHost: {self.address.netloc}\r\nContent-Length: {len(data)}\r\n"
        self.writer.write(f"{head}Content-Type: application/json\r\n\r\n".encode() + data)
        answer = (await self.reader.readuntil(b"\r\n\r\n")).lower()
        length = int(answer.split(b"content-length:")[1].split(b"\r\n")[0]) if b"content-length:" in answer else 0
        assert answer.split()[1] in (b"200", b"201", b"204"), answer
        return json.loads(await self.reader.readexactly(length) or b"null")


async def episode(url, number):
    """One client: an instance of its own, rows of its own."""
    async with Connection(url) as client:
        told = await client.ask("POST", "/instances", {"world": "lab", "seed": number, "episode_id": f"e{number}"})
        path = f"/instances/{told['id']}"
        for step in range(6):
            arguments = {"name": f"{number}-{step}"}
            made = await client.ask("POST", f"{path}/calls", {"tool": "make_box", "arguments": arguments})
            assert made["changes"][0]["after"]["name"] == f"{number}-{step}"
        boxes = await client.ask("POST", f"{path}/calls", {"tool": "list_boxes"})
        rows = await client.ask("GET", f"{path}/tables/boxes/rows")
        state = await client.ask("GET", f"{path}/state")
        await client.ask("DELETE", path)
        named = [record["after"]["name"] for record in state["state"]["db"]["log"]]
        assert [box["name"] for box in boxes["result"]] == sorted(named)
        assert {row["name"] for row in rows["results"]} == set(named)
        assert state["episode_id"] == f"e{number}"
        return named


def test_64_episodes_at_once_see_only_their_own_rows(server):
    async def all_of_them():
        return await asyncio.gather(*(episode(server.url, number) for number in range(CLIENTS)))

    for number, named in enumerate(asyncio.run(all_of_them())):
        assert named == [f"{number}-{step}" for step in range(6)]


def test_slow_calls_of_many_clients_sleep_side_by_side(server):
    async def sleep(path):
        async with Connection(server.url) as client:
            return await client.ask("POST", f"{path}/calls", {"tool": "slow", "arguments": {"s": 0.5}})

    async def all_of_them(paths):
        await asyncio.gather(*map(sleep, paths))

    paths = [Api(server).opened().path for _ in range(CLIENTS)]
    began = time.monotonic()
    asyncio.run(all_of_them(paths))
    assert time.monotonic() - began < 4  # one after the other they would take 32 s


def test_openenv_is_served_while_rest_clients_wait(server):
    async def beside_sleepers(paths, socket):
        sleepers = [asyncio.ensure_future(sleep(path)) for path in paths]
        await asyncio.sleep(0.2)
        began = time.monotonic()
        for _ in range(20):
            await asyncio.to_thread(socket.step, "nothing")
        took = time.monotonic() - began
        assert not any(each.done() for each in sleepers)
        await asyncio.gather(*sleepers)
        return took

    async def sleep(path):
        async with Connection(server.url) as client:
            await client.ask("POST", f"{path}/calls", {"tool": "slow", "arguments": {"s": 3}})

    paths = [Api(server).opened().path for _ in range(32)]
    with server.socket() as socket:
        assert result(socket.step("nothing")) is None
        assert asyncio.run(beside_sleepers(paths, socket)) < 2
