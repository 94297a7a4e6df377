"""Does the HTTP side answer as OpenEnv has it, and hold an episode for who asks for that?"""

import json

import jsonschema  # type: ignore[import-untyped]
import pytest

from tests.openenv.servers import Server

DEPOSIT = {"type": "call_tool", "tool_name": "deposit", "arguments": {"amount": 4}}
BALANCE = {"type": "call_tool", "tool_name": "read_balance", "arguments": {}}


def data_of(answer):
    return answer["observation"]["result"]["data"]


@pytest.mark.parametrize("prefix", ["", "/worlds/lab"])
def test_the_probes_answer_without_a_session(server, prefix):
    name = "lab" if prefix else "bank"
    assert server.get(f"{prefix}/health")[:2] == (200, {"status": "healthy"})
    status, about, _ = server.get(f"{prefix}/metadata")
    assert (status, about["name"]) == (200, name)
    assert set(about) == {"name", "description", "readme_content", "version", "author", "documentation_url"}
    assert isinstance(about["description"], str)
    status, document, _ = server.get(f"{prefix}/openapi.json")
    assert status == 200
    assert document["info"]["version"].startswith("1.")
    assert {"/reset", "/step", "/state", "/mcp"} <= set(document["paths"])
    assert document["servers"] == [{"url": prefix or "/"}]


def test_the_schemas_fit_what_is_sent(server):
    status, schemas, headers = server.get("/schema", **{"Accept-Encoding": "identity"})
    assert status == 200
    assert headers.get("Content-Encoding", "identity") == "identity"
    for schema in schemas.values():
        jsonschema.Draft202012Validator.check_schema(schema)
    assert schemas["action"]["title"] == "CallToolAction"
    assert {"tool_name", "arguments"} <= set(schemas["action"]["properties"])
    for action in (DEPOSIT, {"tool_name": "deposit"}, {"type": "list_tools"}, {**DEPOSIT, "metadata": {}}):
        jsonschema.validate(action, schemas["action"])
    for no_action in ({}, {"bogus": 1}, {"type": "list_tools", "tool_name": "x"}, {"type": "call_tool"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(no_action, schemas["action"])
    with server.socket() as socket:
        _check(socket.reset(seed=1), schemas["reset_observation"])
        jsonschema.validate(socket.state(), schemas["state"])
        _check(socket.ask({"type": "step", "data": {"type": "list_tools"}}), schemas["observation"])
        _check(socket.step("deposit", amount=4), schemas["observation"])
        _check(socket.step("boom"), schemas["observation"])
        _check(socket.step("no_such_tool"), schemas["observation"])


def _check(frame, schema):
    data = frame["data"]
    jsonschema.validate({**data["observation"], "reward": data["reward"], "done": data["done"]}, schema)


def test_the_schema_of_a_reset_names_what_there_is_to_choose_from(server):
    reset = server.get("/schema")[1]["reset"]
    assert reset["properties"]["fixture"]["enum"] == ["rich", None]
    assert "seahaven.state/1" in reset["properties"]["state_format"]["enum"]
    lab = server.get("/worlds/lab/schema")[1]["reset"]
    assert set(lab["properties"]["startup"]["properties"]) == {"owner", "fail"}
    jsonschema.validate({"fixture": "rich", "seed": 3, "anything": "else"}, reset)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"fixture": "ritch"}, reset)


def test_without_a_session_each_request_has_a_world_of_its_own(server):
    status, answer, headers = server.post("/reset")
    assert status == 200
    assert set(answer) == {"observation", "reward", "done", "metadata"}
    assert server.post("/reset", {"seed": 3, "episode_id": "e", "anything": 1})[0] == 200
    for _ in range(2):
        status, answer, _ = server.post("/step", {"action": DEPOSIT, "timeout_s": 5, "request_id": "x"})
        assert (status, data_of(answer)) == (200, 4)
        assert answer["metadata"] == {"implicit_episode": True}
    status, state, _ = server.get("/state")
    assert (status, state["episode_id"], state["step_count"]) == (200, None, 0)


def test_whoever_sends_the_session_id_has_an_episode(server):
    _, answer, headers = server.post("/reset", {"episode_id": "held", "fixture": "rich"})
    session = {"X-Session-ID": headers["X-Session-ID"]}
    assert answer["metadata"]["session_id"] == headers["X-Session-ID"]
    assert data_of(server.post("/step", {"action": DEPOSIT}, **session)[1]) == 104
    assert data_of(server.post("/step", {"action": BALANCE}, **session)[1]) == {"balance": 104}
    state = server.get("/state", **session)[1]
    assert (state["episode_id"], state["step_count"]) == ("held", 2)
    _, _, headers = server.post("/reset", None, **session)
    assert headers["X-Session-ID"] == session["X-Session-ID"]
    assert data_of(server.post("/step", {"action": BALANCE}, **session)[1]) == {"balance": 0}


def test_a_session_that_is_not_there_is_not_made_up(server):
    session = {"X-Session-ID": "3f4df489-689e-4864-bd6f-3e22c9d79e67"}
    for status, answer, _ in (
        server.post("/reset", None, **session),
        server.post("/step", {"action": DEPOSIT}, **session),
        server.get("/state", **session),
    ):
        assert status == 404
        assert "gone, or the server was restarted" in answer["detail"]


def test_episodes_nobody_holds_take_no_place(fixtures_dir):
    with Server(max_sessions=2) as server, server.socket() as socket:
        socket.reset()
        answers = [server.post("/reset") for _ in range(5)]
        assert all(status == 200 for status, _, _ in answers)
        last = answers[-1][2]["X-Session-ID"]
        with server.socket() as other:
            assert other.reset()["type"] == "observation"
            status, answer, headers = server.post("/reset")
            assert (status, answer["metadata"]["session_id"]) == (200, None)
            assert "X-Session-ID" not in headers
        status, answer, _ = server.get("/state", **{"X-Session-ID": last})
        assert (status, answer["detail"]) == (
            404, f"Session {last} is gone: its place was wanted. Reset to start a new episode.",
        )  # fmt: skip


@pytest.mark.parametrize(
    ("path", "body", "kind", "place"),
    [
        ("/reset", {"seed": -1}, "greater_than_equal", ["body", "seed"]),
        ("/reset", {"seed": "x"}, "int_type", ["seed"]),
        ("/reset", {"fixtur": "rich"}, "unexpected_keyword", ["fixtur"]),
        ("/reset", b"{oops", "json_invalid", ["body"]),
        ("/reset", [1], "model_type", []),
        ("/step", {"x": 1}, "missing", ["body", "action"]),
        ("/step", b"", "missing", ["body", "action"]),
        ("/step", {"action": {"bogus": 1}}, "missing", ["tool_name"]),
        ("/step", {"action": None}, "model_type", []),
    ],
)
def test_a_request_that_cannot_be_is_answered_as_fastapi_would(server, path, body, kind, place):
    status, answer, _ = server.post(path, body)
    assert status == 422
    assert {"type", "loc", "msg", "input"} <= set(answer["detail"][0])
    assert (answer["detail"][0]["type"], answer["detail"][0]["loc"]) == (kind, place)


def test_a_wrong_fixture_leaves_the_episode_as_it_was(server):
    session = {"X-Session-ID": server.post("/reset")[2]["X-Session-ID"]}
    server.post("/step", {"action": DEPOSIT}, **session)
    status, answer, _ = server.post("/reset", {"fixture": "ritch"}, **session)
    assert status == 400
    assert "did you mean 'rich'?" in answer["detail"]
    assert data_of(server.post("/step", {"action": BALANCE}, **session)[1]) == {"balance": 4}


def test_other_methods_and_other_paths_are_refused_in_json(server):
    status, answer, headers = server.get("/reset")
    assert (status, answer) == (405, {"detail": "Method Not Allowed"})
    assert headers["Allow"] == "POST"
    for path in ("/nowhere", "/health/", "/worlds/bnk/health/x"):
        assert server.get(path)[:2] == (404, {"detail": "Not Found"})
    status, answer, _ = server.get("/worlds/bnk/metadata")
    assert status == 404
    assert "did you mean 'bank'?" in answer["detail"]


def test_sets_of_tasks_are_told_to_be_unsupported(server):
    assert server.get("/list_environments")[1] == ["bank", "lab"]
    assert server.get("/worlds/lab/list_environments")[1] == ["lab"]
    assert server.get("/BANK/splits")[:2] == (501, {"detail": "list_splits is not supported for this environment"})
    assert server.get("/zz_none/splits")[0] == 404
    for route in ("tasks", "num_tasks", "task", "task_range"):
        assert server.post(f"/bank/{route}", {"split": "train"})[0] == 501


def test_a_large_body_is_read_and_a_larger_one_refused(server):
    assert server.post("/reset", {"blob": "x" * (12 * 2**20)})[0] == 200
    status, answer, _ = server.post("/reset", {"blob": "x" * (17 * 2**20)})
    assert status == 422
    assert "larger" in json.dumps(answer)


def test_pages_of_other_hosts_are_refused(server):
    for origin in ("https://elsewhere.example", "null", "http://127.0.0.1.elsewhere.example"):
        assert server.post("/reset", {}, Origin=origin)[0] == 403
        assert server.get("/health", Origin=origin)[0] == 403
    assert server.post("/reset", {}, Origin=server.url)[0] == 200
    assert server.post("/reset", {}, Origin="http://[::1]:3000")[0] == 200
