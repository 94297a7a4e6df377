"""What becomes of an HTTP request to `/mcp/<world>`?"""

import json
import time
from concurrent.futures import ThreadPoolExecutor

import mcp_types as types
import pytest
from mcp import Client

from benchmarks.mcp_load import HttpClient
from tests.mcp.clients import BOTH, HELLO, Raw, message_of, raw, refusal_to_open, refused, request
from tests.openenv.servers import Server, result


async def test_the_sdks_client_opens_lists_and_calls(server):
    async with Client(f"{server.url}/mcp/bank") as client:
        assert client.session.protocol_version == "2025-11-25"
        assert client.instructions == "One account, to put money in."
        assert [tool.name for tool in (await client.list_tools()).tools][:2] == ["deposit", "read_balance"]
        assert (await client.call_tool("deposit", {"amount": 5})).structured_content == {"result": 5}
        assert (await client.call_tool("read_balance")).structured_content == {"balance": 5}
        assert (await client.call_tool("boom")).is_error


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_every_version_with_a_handshake_is_spoken(server, version):
    with Raw(f"{server.url}/mcp/bank") as client:
        del client.http.headers["MCP-Protocol-Version"]
        response = client.post(request("initialize", {**HELLO, "protocolVersion": version}))
        assert message_of(response)["result"]["protocolVersion"] == version


async def test_each_session_has_an_instance_of_its_own(server):
    async with Client(f"{server.url}/mcp/bank") as one, Client(f"{server.url}/mcp/bank") as other:
        await one.call_tool("deposit", {"amount": 5})
        assert (await other.call_tool("read_balance")).structured_content == {"balance": 0}


def test_the_query_and_the_headers_choose_the_start(server):
    with raw(f"{server.url}/mcp/bank?fixture=rich&seed=7&clock_mode=tick&now=2026-07-01T00:00:00Z") as client:
        assert client.call("read_balance") == {"balance": 100}
    headers = {"Seahaven-Fixture": "rich", "Seahaven-Seed": "7", "Seahaven-Clock-Mode": "fixed"}
    with raw(f"{server.url}/mcp/bank", **headers) as client:
        assert client.call("read_balance") == {"balance": 100}
    with raw(f"{server.url}/mcp/bank?fixture=") as client:
        assert client.call("read_balance") == {"balance": 0}
    with raw(f'{server.url}/mcp/lab?startup={{"owner":"ada"}}') as client:
        assert client.call("list_boxes")["result"][0]["name"] == "ada's box"
    with raw(f"{server.url}/mcp/bank", **{"Seahaven-Setup-Sql": "INSERT INTO accounts VALUES ('main', 3)"}) as client:
        assert client.call("read_balance") == {"balance": 3}


@pytest.mark.parametrize("mode", ["seed=7", "seed=8"])
def test_the_seed_is_the_episodes(server, mode):
    draws = []
    for _ in range(2):
        with raw(f"{server.url}/mcp/lab?now=2026-07-01T00:00:00Z&{mode}") as client:
            draws.append(client.call("draw"))
    assert draws[0] == draws[1]
    with raw(f"{server.url}/mcp/lab?now=2026-07-01T00:00:00Z&seed=9") as client:
        assert client.call("draw") != draws[0]


@pytest.mark.parametrize(
    ("world", "asked", "said"),
    [
        ("bank", "fixtur=rich", "query parameter 'fixtur' is unknown; did you mean 'fixture'?"),
        ("bank", "fixture=ritch", "world bank has no fixture 'ritch'; did you mean 'rich'?"),
        ("bank", "fixture=rich&fixture=rich", "says fixture a second time"),
        ("bank", "seed=abc", "seed is 'abc'; expected a whole number"),
        ("bank", "seed=-1", "it must be an integer from 0"),
        ("bank", "clock_mode=slow", "clock_mode is 'slow'; choose one of fixed, tick, running, wall"),
        ("bank", "now=yesterday", "now is 'yesterday'"),
        ("bank", "startup=[1]", "startup is '[1]'; expected a JSON object"),
        ("bank", "startup={", "startup is no JSON"),
        ("lab", 'startup={"ownr":"x"}', "startup keyword 'ownr' is unknown to world lab; did you mean 'owner'?"),
        ("lab", 'startup={"fail":true}', "the shop stays shut"),
        ("bank", "setup_sql=DROP TABLE accounts", "setup_sql"),
        ("bank", "answers=xml", "answers is 'xml'; expected one of stream, json"),
        ("bank", "instance=bogus", "takes the agent token or the owner token"),
        ("bank", "instance=agent-bogus", "This token is of no instance that is open here"),
        ("bnk", "", "world 'bnk' is not installed; did you mean 'bank'?"),
    ],
)
async def test_a_start_that_does_not_fit_is_refused_by_name(server, world, asked, said):
    error = await refusal_to_open(f"{server.url}/mcp/{world}?{asked}")
    assert said in error.error.message
    assert "Traceback" not in error.error.message


def test_an_unknown_header_of_ours_is_refused_by_name(server):
    with Raw(f"{server.url}/mcp/bank", **{"Seahaven-Fixtur": "rich"}) as client:
        response = client.post(request("initialize", HELLO))
    assert response.status_code == 400
    assert response.json()["error"]["message"].startswith(
        "header 'seahaven-fixtur' is unknown; did you mean 'fixture'?"
    )


def test_a_deleted_session_is_gone(server):
    with raw(f"{server.url}/mcp/bank") as client:
        assert client.delete() == 200
        response = client.post(request("tools/list", id=2))
        assert response.status_code == 404
        assert client.delete() == 404


def test_a_session_is_of_one_world_and_opened_by_initialize_alone(server):
    with raw(f"{server.url}/mcp/bank") as client:
        client.url = f"{server.url}/mcp/lab"
        assert client.post(request("tools/list", id=2)).status_code == 404
    with Raw(f"{server.url}/mcp/bank") as client:
        response = client.post(request("tools/list"))
        assert response.status_code == 400
        assert "Missing session ID" in response.json()["error"]["message"]
        assert client.http.get(client.url).status_code == 400
        assert client.http.delete(client.url).status_code == 400
        assert client.http.put(client.url).status_code == 405
        assert client.http.put(client.url).headers["allow"] == "GET, POST, DELETE"


def test_a_client_may_have_json_instead_of_a_stream(server):
    for accept, path in ((BOTH, "?answers=json"), ("application/json", "")):
        with raw(f"{server.url}/mcp/bank{path}", accept=accept) as client:
            response = client.post(request("tools/list", id=2))
            assert response.headers["content-type"] == "application/json"
            assert len(response.json()["result"]["tools"]) == 6
    with raw(f"{server.url}/mcp/bank") as client:
        assert client.post(request("tools/list", id=2)).headers["content-type"].startswith("text/event-stream")


def test_a_client_that_lost_a_stream_gets_the_rest(server):
    with raw(f"{server.url}/mcp/bank") as client:
        asked = request("tools/call", {"name": "deposit", "arguments": {"amount": 5}}, id=9)
        with client.stream(asked) as lost:
            opening = next(line for line in lost.iter_lines() if line.startswith("id:"))
        event_id = opening.removeprefix("id:").strip()
        with client.http.stream("GET", client.url, headers={"Last-Event-ID": event_id}) as resumed:
            data = next(line for line in resumed.iter_lines() if line.startswith("data: {"))
        assert json.loads(data.removeprefix("data: "))["result"]["structuredContent"] == {"result": 5}
        assert client.call("read_balance") == {"balance": 5}
        with (
            raw(f"{server.url}/mcp/bank") as stranger,
            stranger.http.stream("GET", client.url, headers={"Last-Event-ID": "1"}) as own,
        ):
            data = next(line for line in own.iter_lines() if line.startswith("data: {"))
            assert "serverInfo" in json.loads(data.removeprefix("data: "))["result"], "the ids of a session are its own"


def test_a_call_that_takes_too_long_is_refused_and_then_the_instance_is_over(server):
    with raw(f"{server.url}/mcp/bank") as client:
        refusal = client.call("slow", s=5)
        assert refusal["code"] == "timeout"
        error = client.ask("tools/call", {"name": "read_balance"}, id=3)["error"]
        assert error["code"] == -32004
        assert "took longer than 2 s" in error["message"]


def test_a_request_that_is_cancelled_ends(server):
    with raw(f"{server.url}/mcp/bank") as client, Raw(client.url) as other:
        other.http.headers.update(client.http.headers)
        began = time.monotonic()
        asked = request("tools/call", {"name": "slow", "arguments": {"s": 1.5}}, id=5)
        with client.stream(asked) as slow:
            other.post(request("notifications/cancelled", {"requestId": 5}, id=None))
            assert "Request cancelled" in slow.read().decode()
        assert time.monotonic() - began < 1
        assert client.call("read_balance") == {"balance": 0}


def test_a_second_request_of_an_id_that_is_being_answered_is_refused(server):
    with raw(f"{server.url}/mcp/bank?answers=json") as client, ThreadPoolExecutor(1) as pool:
        slow = pool.submit(client.ask, "tools/call", {"name": "slow", "arguments": {"s": 1}}, id=5)
        time.sleep(0.3)
        response = client.post(request("tools/call", {"name": "read_balance"}, id=5))
        assert (response.status_code, response.json()["error"]["code"]) == (400, types.INVALID_REQUEST)
        assert "Request 5 is being answered still" in response.json()["error"]["message"]
        assert slow.result()["result"]["structuredContent"] == {"slept": 1}
        assert client.ask("tools/call", {"name": "read_balance"}, id=5)["result"]["isError"] is False


async def test_pages_of_other_hosts_and_other_host_names_are_refused(server):
    hello = request("initialize", HELLO)
    with Raw(f"{server.url}/mcp/bank") as client:
        foreign = client.post(hello, Origin="http://evil.example")
        assert (foreign.status_code, foreign.json()["error"]["code"]) == (403, types.INVALID_REQUEST)
        rebound = client.post(hello, Host="evil.example")
        assert (rebound.status_code, rebound.json()["error"]["code"]) == (421, types.INVALID_REQUEST)
        assert client.post(hello, Origin="http://localhost:6274").status_code == 200
        assert client.post(hello, Host="localhost").status_code == 200


def test_a_body_over_the_limit_is_refused(fixtures_dir):
    with Server(max_message_mib=1) as server, raw(f"{server.url}/mcp/bank") as client:
        response = client.post(request("tools/call", {"name": "boom", "arguments": {"why": "x" * 2_000_000}}))
        assert response.status_code == 413
        assert client.call("read_balance") == {"balance": 0}


async def test_requests_that_stand_alone_need_a_token(server):
    alone = Client(f"{server.url}/mcp/bank", mode="2026-07-28")
    async with refused(types.UNSUPPORTED_PROTOCOL_VERSION) as found, alone as client:
        await client.list_tools()
    assert "?instance=<its token>" in found[0].error.message
    assert found[0].error.data["supported"] == ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]


@pytest.mark.parametrize("engine", ["uvicorn", "daphne"])
async def test_the_server_ends_at_once_with_clients_that_listen(engine):
    server = Server("--server", engine)
    with server:
        clients = [await HttpClient(f"{server.url}/mcp/bank").open(listens=True) for _ in range(3)]
        began = time.monotonic()
        assert server.stop() == 0
        assert time.monotonic() - began < 5
        for client in clients:
            await client.drop()


async def test_openenv_keeps_its_own_json_rpc_and_a_socket(server):
    tools = server.rpc("tools/list")["result"]["tools"]
    assert tools[0]["name"] == "deposit"
    with server.socket() as socket:
        socket.reset()
        assert result(socket.step("read_balance")) == {"balance": 0}
    status, answer, _ = server.post("/worlds/bank/mcp", request("tools/list"))
    assert (status, answer["result"]["tools"]) == (200, tools)


async def test_an_agent_of_openenv_is_joined_by_a_chat_client(server):
    with server.socket() as socket:
        token = socket.reset()["data"]["metadata"]["agent_token"]
        socket.step("deposit", amount=5)
        async with Client(f"{server.url}/mcp/bank?instance={token}") as client:
            assert client.session.protocol_version == "2026-07-28"
            assert (await client.call_tool("deposit", {"amount": 1})).structured_content == {"result": 6}
        async with Client(f"{server.url}/mcp/bank?instance={token}", mode="legacy") as client:
            assert (await client.call_tool("deposit", {"amount": 1})).structured_content == {"result": 7}
        assert result(socket.step("read_balance")) == {"balance": 7}


async def test_whoever_opened_an_instance_over_rest_sees_what_the_chat_client_does(server):
    status, opened, _ = server.post("/api/v1/instances", {"world": "bank", "fixture": "rich"})
    assert status == 201
    place = f"/api/v1/instances/{opened['id']}"
    async with Client(f"{server.url}/mcp/bank?instance={opened['agent_token']}") as client:
        assert (await client.call_tool("deposit", {"amount": 5})).structured_content == {"result": 105}
        status, called, _ = server.post(f"{place}/calls", {"tool": "deposit", "arguments": {"amount": 1}})
        assert (status, called["result"]) == (200, 106)
        assert (await client.call_tool("read_balance")).structured_content == {"balance": 106}
    _, calls, _ = server.get(f"{place}/calls")
    assert [call["tool"] for call in calls["results"]] == ["deposit", "deposit", "read_balance"]
    _, diff, _ = server.get(f"{place}/diff")
    assert [change["table"] for change in diff["results"]] == ["accounts"]
