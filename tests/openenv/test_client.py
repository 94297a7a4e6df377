"""Does our client keep its word: typed answers, errors as data, and a drop that nobody notices?"""

import asyncio
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from seahaven.openenv import (
    AnswerTimeout,
    AsyncSeahavenClient,
    ClientError,
    Observation,
    SeahavenClient,
    ServerRefused,
    ServerUnreachable,
    SessionLost,
    ToolFailure,
)
from tests.openenv.servers import ROOT, Server


@pytest.fixture
def env(server):
    with SeahavenClient(base_url=server.url) as client:
        yield client


def cut(env):
    """Drop the connection, as a network does."""
    env._connection.socket.shutdown(socket.SHUT_RDWR)


def test_the_client_imports_no_django():
    program = "import seahaven.openenv, sys; sys.exit('django' in sys.modules or 'worlds' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False).returncode == 0


def test_an_episode(env):
    began = env.reset(fixture="rich", seed=7, episode_id="ep-1")
    assert began.metadata["fixture"] == "rich"
    assert (began.reward, began.done, began.ok) == (None, False, True)
    assert env.session_id == began.metadata["session_id"]
    assert "deposit" in [tool["name"] for tool in env.list_tools()]
    deposit = env.call("deposit", amount=4)
    assert (deposit.result, deposit.error, deposit.ok, deposit.tool) == (104, None, True, "deposit")
    assert env.step({"type": "call_tool", "tool_name": "read_balance", "arguments": {}}).result == {"balance": 104}
    state = env.state()
    assert (state["episode_id"], state["seed"], state["step_count"]) == ("ep-1", 7, 3)


def test_what_a_tool_refuses_is_data(env):
    env.reset()
    refused = env.call("boom", why="x")
    assert isinstance(refused, Observation)
    assert refused.error == ToolFailure("boom", "boom: x", "execution_error", {})
    assert not refused.ok
    assert env.call("depsit").error.error_type == "tool_not_found"
    assert env.call("deposit", amount="x").error.details["violations"][0]["path"] == "amount"


def test_what_the_server_refuses_is_raised_and_the_session_lives(env):
    env.reset()
    env.call("deposit", amount=4)
    with pytest.raises(ServerRefused, match="did you mean 'fixture'") as caught:
        env.reset(fixtur="rich")
    assert caught.value.code == "VALIDATION_ERROR"
    assert isinstance(caught.value, RuntimeError)
    with pytest.raises(ServerRefused, match="did you mean 'rich'"):
        env.reset(fixture="ritch")
    assert env.call("read_balance").result == {"balance": 4}


def test_another_world_is_chosen_by_the_client_or_by_a_reset(server):
    with SeahavenClient(server.url, world="lab") as env:
        assert env.reset().metadata["world"] == "lab"
        assert env.reset(world="bank").metadata["world"] == "bank"
    with SeahavenClient(server.url, world="lb") as env, pytest.raises(ServerRefused, match="did you mean 'lab'"):
        env.reset()


def test_a_dropped_connection_is_taken_up_again(env):
    env.reset()
    session_id = env.session_id
    for total in range(1, 6):
        cut(env)
        assert env.call("deposit", amount=1).result == total
    assert env.session_id == session_id
    assert env.state()["step_count"] == 5


def test_a_call_cut_off_in_the_middle_is_done_once(env):
    env.reset()
    threading.Timer(0.3, cut, [env]).start()
    assert env.call("slow", s=1).result == {"slept": 1.0}
    assert env.state()["call_count"] == 1


def test_a_late_answer_is_not_taken_for_the_next(server):
    with SeahavenClient(server.url, timeout_s=0.5) as env:
        env.reset()
        with pytest.raises(AnswerTimeout, match=r"within 0\.5 s"):
            env.call("slow", s=0.8)
        assert env.call("read_balance").result == {"balance": 0}
        assert env.state()["call_count"] == 2


def test_an_episode_begun_without_a_reset_is_not_silently_replaced(env):
    env.call("deposit", amount=1)
    cut(env)
    with pytest.raises(SessionLost, match="its episode is lost"):
        env.call("deposit", amount=1)
    assert env.reset().ok


def test_a_server_that_is_not_there_is_said_to_be_so():
    with pytest.raises(
        ServerUnreachable, match=r"No server answers at http://127\.0\.0\.1:1: .*refused.*seahaven_serve"
    ):
        SeahavenClient("http://127.0.0.1:1").connect()
    with pytest.raises(ValueError, match=r"write http://127\.0\.0\.1:8000"):
        SeahavenClient("ftp://elsewhere")


def test_a_full_server_is_said_to_be_full(small):
    with SeahavenClient(small.url) as one, SeahavenClient(small.url) as other:
        one.reset()
        other.reset()
        with SeahavenClient(small.url) as third:
            with pytest.raises(ServerRefused, match="at capacity: 2/2"):
                third.reset()
            other.close()
            assert third.reset().ok


def test_after_a_restart_the_client_says_that_the_episode_is_gone_and_a_reset_begins_another():
    with Server() as server:
        port = server.address.rpartition(":")[2]
        env = SeahavenClient(server.url)
        env.reset()
        env.call("deposit", amount=1)
    with Server("--port", port) as server, env_closed(env):
        with pytest.raises(SessionLost, match="gone, or the server was restarted"):
            env.call("deposit", amount=1)
        assert env.reset().ok
        server.stop()
        with pytest.raises(ServerUnreachable):
            env.call("deposit", amount=1)


def env_closed(env):
    from contextlib import closing

    return closing(env)


def test_a_request_no_server_would_read_is_said_to_be_too_large(server):
    with SeahavenClient(server.url) as env:
        with pytest.raises(ServerRefused, match="larger than 16 MiB"):
            env.call("boom", why="x" * (17 * 2**20))
        with pytest.raises(ClientError):
            env.call("boom", why="x" * (70 * 2**20))
        assert env.reset().ok


def test_threads_may_share_a_client(env):
    env.reset()
    with ThreadPoolExecutor(8) as pool:
        totals = list(pool.map(lambda _: env.call("deposit", amount=1).result, range(80)))
    assert sorted(totals) == list(range(1, 81))


async def test_the_async_client_speaks_alike(server):
    async with AsyncSeahavenClient(server.url) as env:
        assert (await env.reset(fixture="rich", seed=7)).metadata["fixture"] == "rich"
        assert (await env.call("deposit", amount=4)).result == 104
        assert (await env.call("boom", why="x")).error == ToolFailure("boom", "boom: x", "execution_error", {})
        assert "boom" in [tool["name"] for tool in await env.list_tools()]
        env._drop()
        assert (await env.call("deposit", amount=1)).result == 105
        with pytest.raises(ServerRefused, match="did you mean"):
            await env.reset(fixtur="rich")
        assert (await env.state())["step_count"] == 4


async def test_a_cancelled_request_is_not_answered_to_the_next(server):
    async with AsyncSeahavenClient(server.url) as env:
        await env.reset()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await env.call("slow", s=0.6)
        assert (await env.call("read_balance")).result == {"balance": 0}


async def test_a_hundred_rollouts_at_once(fixtures_dir):
    async def rollout(url, seed):
        async with AsyncSeahavenClient(url) as env:
            await env.reset(fixture="rich", seed=seed)
            for _ in range(5):
                await env.call("deposit", amount=seed)
            return (await env.call("read_balance")).result["balance"]

    with Server(fixtures_dir=fixtures_dir) as server:
        began = time.monotonic()
        totals = await asyncio.gather(*(rollout(server.url, seed) for seed in range(100)))
    assert totals == [100 + 5 * seed for seed in range(100)]
    assert time.monotonic() - began < 30
