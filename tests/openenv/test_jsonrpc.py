"""Does OpenEnv's private JSON-RPC answer over each of its three ways in?"""

import pytest

from tests.openenv.servers import code, result


@pytest.fixture
def session_id(server):
    made = server.rpc("openenv/session/create")["result"]["session_id"]
    yield made
    server.rpc("openenv/session/close", {"session_id": made})


@pytest.mark.parametrize(
    ("body", "error", "id"),
    [
        (b"nope", -32700, None),
        (b"", -32600, None),
        ({}, -32600, None),
        ([], -32600, None),
        ({"jsonrpc": "1.0", "id": 5, "method": "tools/list"}, -32600, None),
        ({"jsonrpc": "2.0", "id": 5, "method": "tools/list", "more": 1}, -32600, None),
        ({"jsonrpc": "2.0", "id": 5}, -32600, None),
        ({"jsonrpc": "2.0", "id": "q7", "method": "nope/x"}, -32601, "q7"),
        ({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}, -32601, 1),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": []}, -32602, 1),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {}}, -32602, 1),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "boom", "arguments": 3}}, -32602, 1),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"session_id": "zz"}}, -32602, 1),
        ({"jsonrpc": "2.0", "id": 1, "method": "openenv/session/close", "params": {}}, -32602, 1),
    ],
)
def test_every_failure_is_a_response_with_status_200(server, body, error, id):
    status, answer, _ = server.post("/mcp", body)
    assert status == 200
    assert (answer["jsonrpc"], answer["id"], answer["error"]["code"]) == ("2.0", id, error)
    assert set(answer["error"]) == {"code", "message", "data"}
    assert "result" not in answer


def test_tools_are_listed_and_called_without_a_session(server):
    tools = server.rpc("tools/list")["result"]["tools"]
    assert all(set(tool) == {"name", "description", "inputSchema"} for tool in tools)
    for _ in range(2):
        answer = server.rpc("tools/call", {"name": "deposit", "arguments": {"amount": 6}}, id="call")
        assert (answer["id"], answer["result"]["data"]) == ("call", 6)
        assert "error" not in answer


def test_a_call_with_a_session_is_a_step_of_the_socket_attached_to_it(server, session_id):
    with server.socket(f"/ws?session_id={session_id}") as socket:
        socket.reset(episode_id="m")
        assert server.rpc("tools/call", {"session_id": session_id, "name": "deposit", "arguments": {"amount": 6}})
        assert result(socket.step("read_balance")) == {"balance": 6}
        state = socket.state()
        assert (state["episode_id"], state["step_count"], state["call_count"]) == ("m", 2, 2)
        server.rpc("tools/list", {"session_id": session_id})
        assert socket.state()["step_count"] == 2


def test_what_a_tool_refuses_is_an_error_with_its_message(server, session_id):
    unknown = server.rpc("tools/call", {"session_id": session_id, "name": "depsit"})["error"]
    assert "Did you mean 'deposit'?" in unknown["message"]
    refused = server.rpc("tools/call", {"session_id": session_id, "name": "boom", "arguments": {"why": "x"}})["error"]
    assert (refused["code"], refused["message"]) == (-32603, "boom: x")
    assert refused["data"]["seahaven_error"]["code"] == "boom"


def test_one_socket_at_a_time_and_the_session_outlives_it(server, session_id):
    with server.socket(f"/ws?session_id={session_id}") as socket:
        socket.step("deposit", amount=6)
        with server.socket(f"/ws?session_id={session_id}") as second:
            assert code(second.read()) == "SESSION_ERROR"
            assert second.ends() == 1000
        socket.send({"type": "close"})
        assert socket.ends() == 1000
    with server.socket(f"/ws?session_id={session_id}") as socket:
        assert result(socket.step("read_balance")) == {"balance": 6}
        socket.abort()
    with server.socket(f"/ws?session_id={session_id}") as socket:
        assert result(socket.step("read_balance")) == {"balance": 6}


def test_a_session_is_closed_at_once_or_when_its_socket_leaves(server):
    created = server.rpc("openenv/session/create")["result"]["session_id"]
    assert server.rpc("openenv/session/close", {"session_id": created})["result"] == {
        "session_id": created,
        "closed": True,
    }
    assert server.rpc("openenv/session/close", {"session_id": created})["error"]["code"] == -32602
    created = server.rpc("openenv/session/create")["result"]["session_id"]
    with server.socket(f"/ws?session_id={created}") as socket:
        socket.reset()
        closing = server.rpc("openenv/session/close", {"session_id": created})["result"]
        assert (closing["closed"], closing["closing"]) == (False, True)
        assert socket.state()["episode_id"]
        socket.send({"type": "close"})
        assert socket.ends() == 1000
    assert server.rpc("openenv/session/close", {"session_id": created})["error"]["code"] == -32602


def test_requests_inside_a_socket_act_on_its_own_session(server):
    def ask(method, params=None, **more):
        request = {"jsonrpc": "2.0", "id": 5, "method": method, "params": params or {}, **more}
        answer = socket.ask({"type": "mcp", "data": request})
        assert answer["type"] == "mcp"
        return answer["data"]

    with server.socket() as socket:
        assert "inputSchema" in ask("tools/list")["result"]["tools"][0]
        assert ask("tools/list", jsonrpc="1.0")["error"]["code"] == -32600
        assert ask("tools/call", {"name": "deposit", "arguments": {"amount": 3}})["result"]["data"] == 3
        assert result(socket.step("read_balance")) == {"balance": 3}
        own = ask("openenv/session/create")["result"]["session_id"]
        assert ask("openenv/session/close", {"session_id": own})["error"]["code"] == -32600
        assert server.rpc("openenv/session/close", {"session_id": own})["error"]["code"] == -32602
        assert result(socket.step("read_balance")) == {"balance": 3}


def test_a_socket_of_its_own_speaks_bare_json_rpc(server):
    with server.socket("/mcp") as socket:
        assert "tools" in socket.ask({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})["result"]
        assert socket.ask("garbage")["error"]["code"] == -32700
        assert socket.ask({"foo": 1})["error"]["code"] == -32600
        assert socket.ask(b"{}")["error"]["code"] == -32700
        call = {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": "deposit", "arguments": {"amount": 1}},
        }
        assert [socket.ask(call)["result"]["data"] for _ in range(2)] == [1, 2]


def test_a_socket_of_its_own_is_refused_in_its_own_words(small):
    with small.socket() as one, small.socket() as other:
        one.state()
        other.state()
        with small.socket("/mcp") as socket:
            refused = socket.read()["error"]
            assert (refused["code"], refused["data"]) == (-32000, {"active_sessions": 2, "max_sessions": 2})
            assert socket.ends() == 1000
