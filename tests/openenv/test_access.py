"""Does every door of OpenEnv ask for a key where one is needed, and say why it refuses?"""

import pytest

from tests.openenv.servers import Server, code, result

KEYS = {scope: f"a-key-for-an-{scope}" for scope in ("agent", "evaluator", "admin")}
CALL = {"action": {"tool_name": "deposit", "arguments": {"amount": 4}}}


@pytest.fixture(scope="module", params=["uvicorn", "daphne"])
def guarded(request, fixtures_dir):
    keys = ",".join(f"{scope}:{key}" for scope, key in KEYS.items())
    with Server("--server", request.param, fixtures_dir=fixtures_dir, api_keys=keys) as running:
        yield running


def bearer(key):
    return {"Authorization": f"Bearer {key}"}


def at(key):
    return f"/t/{key}"


@pytest.mark.parametrize(
    "path", ["/ws", "/worlds/bank/ws", "/t/nonsense/ws", "/t/agent-x.y/worlds/lab/ws", "/ws?key=no"]
)
def test_a_socket_without_a_good_key_is_let_in_to_read_why_it_is_not(guarded, path):
    with guarded.socket(path) as socket:
        frame = socket.read()
        assert code(frame) == "EXECUTION_ERROR"
        assert "API key" in frame["data"]["message"] or "token" in frame["data"]["message"]
        assert socket.ends() == 1000
    assert guarded.get("/health")[0] == 200


def test_a_socket_for_json_rpc_is_refused_in_its_own_words(guarded):
    with guarded.socket("/mcp") as socket:
        refused = socket.read()
        assert refused["error"]["code"] == -32001
        assert socket.ends() == 1000


@pytest.mark.parametrize("scope", KEYS)
def test_a_key_in_the_path_opens_every_door(guarded, scope):
    prefix = at(KEYS[scope])
    with guarded.socket(f"{prefix}/ws") as socket:
        socket.reset(fixture="rich")
        assert result(socket.step("deposit", amount=1)) == 101
    with guarded.socket(f"{prefix}/worlds/lab/ws") as socket:
        assert socket.reset()["data"]["metadata"]["world"] == "lab"
    with guarded.socket(f"{prefix}/mcp") as socket:
        assert "tools" in socket.ask({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})["result"]
    status, _, headers = guarded.post(f"{prefix}/reset")
    assert status == 200
    session = {"X-Session-ID": headers["X-Session-ID"]}
    assert guarded.post(f"{prefix}/step", CALL, **session)[0] == 200
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert "tools" in guarded.post(f"{prefix}/mcp", request)[1]["result"]


@pytest.mark.parametrize("way", ["header", "query", "path"])
def test_a_socket_shows_its_key_in_any_of_three_ways(guarded, way):
    key = KEYS["agent"]
    path = {"header": "/ws", "query": f"/ws?key={key}", "path": f"{at(key)}/ws"}[way]
    with guarded.socket(path, additional_headers=bearer(key) if way == "header" else {}) as socket:
        assert socket.reset()["type"] == "observation"


def test_the_state_is_not_for_agents(guarded):
    for scope, is_told in (("agent", False), ("evaluator", True), ("admin", True)):
        with guarded.socket(f"{at(KEYS[scope])}/ws") as socket:
            socket.reset(episode_id="e")
            frame = socket.ask({"type": "state"})
            assert frame["type"] == ("state" if is_told else "error")
            if not is_told:
                assert "scope evaluator" in frame["data"]["message"]
            assert result(socket.step("deposit", amount=1)) == 1  # and it stays open
        status = guarded.get(f"{at(KEYS[scope])}/state")[0]
        assert status == (200 if is_told else 403)


def test_the_routes_of_an_episode_are_guarded(guarded):
    for path, body in (("/reset", None), ("/step", CALL)):
        status, answer, headers = guarded.post(path, body)
        assert (status, headers["WWW-Authenticate"]) == (401, "Bearer")
        assert "An API key is needed" in answer["detail"]
        assert guarded.post(path, body, **bearer(KEYS["agent"]))[0] == 200
    assert guarded.get("/state")[0] == 401
    status, answer, _ = guarded.post("/mcp", {"jsonrpc": "2.0", "id": "q", "method": "tools/list"})
    assert (status, answer["id"], answer["error"]["code"]) == (200, "q", -32001)
    assert guarded.post("/mcp", b"nope")[1]["error"]["code"] == -32700


@pytest.mark.parametrize("path", ["/health", "/metadata", "/schema", "/openapi.json", "/list_environments"])
def test_what_validators_probe_stays_open(guarded, path):
    assert guarded.get(path)[0] == 200
    assert guarded.get(f"{at('whatever')}{path}")[0] == 200


def test_a_token_of_an_instance_opens_no_session(guarded):
    with guarded.socket(f"{at(KEYS['agent'])}/ws") as socket:
        token = socket.reset()["data"]["metadata"]["agent_token"]
        with guarded.socket(f"{at(token)}/ws") as other:
            assert "is for instance" in other.read()["data"]["message"]
        assert guarded.post(f"{at(token)}/reset")[0] == 403
    with guarded.socket(f"{at(token)}/ws") as other:
        assert "is over" in other.read()["data"]["message"]


def test_secrets_in_paths_stay_out_of_the_log(guarded):
    guarded.get("/t/a-secret-nobody-may-read/nowhere")
    guarded.get("/t/a-secret-nobody-may-read/state")
    assert "a-secret-nobody-may-read" not in guarded.log()


def test_a_server_without_keys_takes_no_offence_at_one(server):
    with server.socket("/t/whatever/ws") as socket:
        assert socket.reset()["type"] == "observation"
    assert server.post("/reset", None, **bearer("of a proxy"))[0] == 200
