"""Which MCP sessions are open over HTTP, and when does each end?"""

import asyncio
import gc

import psutil
import pytest
from mcp import Client

from benchmarks.mcp_load import HttpClient
from openenv_api.access import KEYS
from openenv_api.mcp.guests import Guest
from openenv_api.mcp.sessions import Session, sessions
from tests.mcp.clients import refusal_to_open, refused, settled
from worlds.engine import Instance, Start, installed
from worlds.engine.hosting import HOSTS, Hosted
from worlds.engine.instance import live_instances


def only():
    """The one instance that is open, and what holds it."""
    (hosted,) = HOSTS
    return hosted, hosted.instance


async def hosted(world="bank", **start):
    return await Hosted(installed.get(world), Start(**start), door="console").begin()


async def test_a_session_is_registered_with_its_instance_and_deleted_with_it(here):
    async with Client(f"{here.url}/mcp/bank?seed=7") as client:
        await client.call_tool("deposit", {"amount": 5})
        one, instance = only()
        assert (one.door, one.start.seed, instance.call_count) == ("mcp", 7, 1)
        assert len(sessions()) == 1
    assert (len(HOSTS), len(sessions())) == (0, 0)
    await settled(lambda: instance.closed)
    assert one.over_because == "its client closed it"


async def test_an_idle_session_ends_and_one_that_listens_does_not(here, settings):
    settings.SEAHAVEN_MCP_IDLE_S = 1
    vanished = await HttpClient(f"{here.url}/mcp/bank").open()
    gone, instance = only()
    await vanished.drop()
    listening = await HttpClient(f"{here.url}/mcp/bank").open(listens=True)
    await settled(lambda: len(HOSTS) == 1)
    assert gone.over_because == "its client sent nothing for 1 s"
    await settled(lambda: instance.closed)
    await asyncio.sleep(1.5)
    await listening.call("deposit", {"amount": 1})
    await listening.drop()
    await settled(lambda: not len(HOSTS) and not len(sessions()))


async def test_a_session_that_did_not_begin_leaves_nothing(here):
    for path in ("bank?fixture=none_such", "bank?clock_mode=slow", "lab?startup={%22fail%22:true}"):
        await refusal_to_open(f"{here.url}/mcp/{path}")
    assert (len(HOSTS), len(sessions())) == (0, 0)


async def test_the_agent_and_the_owner_see_one_world(here):
    owned = await hosted(seed=3)
    for mode in ("legacy", "2026-07-28"):
        for token in (owned.agent_token, owned.owner_token):
            async with Client(f"{here.url}/mcp/bank?instance={token}", mode=mode) as client:
                await client.call_tool("deposit", {"amount": 5})
                await owned.dispatch("deposit", {"amount": 1})
                balance = (await client.call_tool("read_balance")).structured_content
                assert balance == {"balance": owned.instance.inspect().one("SELECT balance FROM accounts")["balance"]}
                assert "state" not in [tool.name for tool in (await client.list_tools()).tools]
    assert owned.over_because is None
    assert owned.instance.inspect().one("SELECT balance FROM accounts") == {"balance": 24}
    assert not len(sessions())


async def test_a_session_that_joined_ends_without_the_instance(here, settings):
    settings.SEAHAVEN_MCP_IDLE_S = 1
    owned = await hosted()
    for ending in (HttpClient.close, HttpClient.drop):
        client = await HttpClient(f"{here.url}/mcp/bank?instance={owned.agent_token}").open()
        await client.call("deposit", {"amount": 5})
        await ending(client)
        await settled(lambda: not len(sessions()))
    assert owned.over_because is None
    assert (await owned.dispatch("read_balance", {})) == b'{"balance":10}'


async def test_whoever_joined_hears_that_the_instance_is_over(here):
    owned = await hosted()
    async with Client(f"{here.url}/mcp/bank?instance={owned.agent_token}", mode="legacy") as client:
        owned.end("its owner deleted it")
        async with refused(-32004) as found:
            await client.call_tool("read_balance")
        assert "its owner deleted it" in found[0].error.message
    error = await refusal_to_open(f"{here.url}/mcp/bank?instance={owned.agent_token}")
    assert "its owner deleted it" in error.error.message


async def test_a_token_is_for_its_instance_alone(here):
    owned = await hosted()
    error = await refusal_to_open(f"{here.url}/mcp/lab?instance={owned.agent_token}")
    assert "use /mcp/bank" in error.error.message
    error = await refusal_to_open(f"{here.url}/mcp/bank?instance={owned.agent_token}&seed=1")
    assert "leave out 'seed'" in error.error.message
    error = await refusal_to_open(f"{here.url}/mcp/bank?instance={owned.agent_token}x")
    assert "no instance that is open here" in error.error.message


@pytest.fixture
def keys(settings):
    settings.SEAHAVEN_API_KEYS = ("agent:an-agent's-key-0123", "admin:an-admin's-key-0123")
    KEYS.forget()
    yield
    settings.SEAHAVEN_API_KEYS = ()
    KEYS.forget()


async def test_a_server_that_asks_for_keys_lets_nobody_in_without(here, keys):
    assert "An API key is needed" in (await refusal_to_open(f"{here.url}/mcp/bank")).error.message
    assert "none of this server's keys" in (await refusal_to_open(f"{here.url}/mcp/bank?key=wrong")).error.message
    owned = await hosted()
    places = (
        "/mcp/bank?key=an-agent's-key-0123",
        "/mcp/bank?key=an-admin's-key-0123",
        "/t/an-agent's-key-0123/mcp/bank",
        f"/mcp/bank?instance={owned.agent_token}",
    )
    for place in places:
        async with Client(here.url + place) as client:
            assert (await client.call_tool("read_balance")).structured_content == {"balance": 0}


async def test_a_session_is_used_with_the_secret_that_opened_it(here, keys, settings):
    mine = await HttpClient(f"{here.url}/mcp/bank?key=an-agent's-key-0123").open()
    other = HttpClient(f"{here.url}/mcp/bank?key=an-admin's-key-0123")
    other._headers |= mine._headers
    with pytest.raises(RuntimeError, match="404"):
        await other.call("read_balance", {})
    assert await mine.call("read_balance", {}) == {"balance": 0}
    settings.SEAHAVEN_API_KEYS = ("admin:an-admin's-key-0123",)
    KEYS.forget()
    with pytest.raises(RuntimeError, match="401"):
        await mine.call("read_balance", {})
    for client in (mine, other):
        await client.drop()


async def test_one_more_than_there_is_room_for_is_refused(here, settings):
    settings.SEAHAVEN_MAX_INSTANCES = 2
    clients = [await HttpClient(f"{here.url}/mcp/bank").open() for _ in range(2)]
    error = await refusal_to_open(f"{here.url}/mcp/bank")
    assert "2/2" in error.error.message
    await clients[0].close()
    async with Client(f"{here.url}/mcp/bank"):
        pass
    await clients[1].close()


async def test_instances_of_every_door_take_the_room(here, settings):
    settings.SEAHAVEN_MAX_INSTANCES = 1
    owned = await hosted()
    error = await refusal_to_open(f"{here.url}/mcp/bank")
    assert "1 of 1 instances open" in error.error.message
    assert error.code == -32000
    async with Client(f"{here.url}/mcp/bank?instance={owned.agent_token}") as client:
        assert (await client.call_tool("read_balance")).structured_content == {"balance": 0}


async def test_two_clients_with_one_script_and_one_seed_make_equal_differences(here):
    documents = []
    for _ in range(2):
        async with Client(f"{here.url}/mcp/lab?seed=7&now=2026-07-01T00:00:00Z") as client:
            for name in ("one", "two", "three"):
                await client.call_tool("make_box", {"name": name})
                await client.call_tool("put_item", {"box": name, "label": "a thing"})
            await client.call_tool("drop_box", {"name": "two"})
            await client.call_tool("drop_box", {"name": "none"})
            _, instance = only()
            documents.append((instance.diff(), instance.change_log(), instance.call_log(results=True)))
    assert documents[0][1:] == documents[1][1:]
    assert documents[0][0] == documents[1][0]
    assert len(documents[0][0]) == 4


async def test_two_hundred_sessions_at_once_each_see_their_own_rows(here):
    async def one(number):
        client = await HttpClient(f"{here.url}/mcp/lab?seed={number}").open(listens=number % 4 == 0)
        for step in range(5):
            await client.call("make_box", {"name": f"{number}-{step}"})
            boxes = (await client.call("list_boxes", {}))["result"]
            assert sorted(box["name"] for box in boxes) == [f"{number}-{each}" for each in range(step + 1)]
        return client

    clients = await asyncio.gather(*map(one, range(200)))
    assert len(sessions()) == len({hosted.id for hosted in HOSTS}) == 200
    await asyncio.gather(*(client.close() for client in clients))
    assert (len(sessions()), len(HOSTS)) == (0, 0)


async def test_sessions_that_come_and_go_leave_nothing(here, settings):
    settings.SEAHAVEN_MCP_IDLE_S = 2
    process = psutil.Process()
    others = set(live_instances())

    async def visit(number):
        client = await HttpClient(f"{here.url}/mcp/bank").open(listens=number % 2 == 0)
        await client.call("deposit", {"amount": 1})
        await (client.close() if number % 3 else client.drop())

    async def visits(count):
        for begin in range(0, count, 20):
            await asyncio.gather(*map(visit, range(begin, begin + 20)))
        await settled(lambda: not len(sessions()) and not len(HOSTS) and others >= set(live_instances()), 20)
        await asyncio.sleep(0.1)
        gc.collect()
        held = sum(isinstance(each, (Session, Guest, Hosted, Instance)) for each in gc.get_objects())
        return held, process.num_fds(), len(asyncio.all_tasks()), process.memory_info().rss

    before = await visits(60)
    after = await visits(240)
    assert after[0] <= before[0]
    assert after[1] <= before[1] + 2
    assert after[2] <= before[2]
    assert after[3] - before[3] < 40_000_000  # the allocator's share settles later
