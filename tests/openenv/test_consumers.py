"""Does a WebSocket answer every frame as OpenEnv has it, and live?"""

import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from websockets.exceptions import InvalidStatus

from tests.openenv.servers import code, failure, result

DEPOSIT = {"type": "call_tool", "tool_name": "deposit", "arguments": {"amount": 4}}


@pytest.fixture
def socket(server):
    with server.socket() as opened:
        yield opened


def test_tools_are_listed_before_any_reset(socket):
    frame = socket.ask({"type": "step", "data": {"type": "list_tools"}})
    tools = frame["data"]["observation"]["tools"]
    assert {"deposit", "read_balance"} <= {tool["name"] for tool in tools}
    assert all(set(tool) == {"name", "description", "input_schema"} for tool in tools)
    assert all(isinstance(tool["description"], str) for tool in tools)


def test_a_reset_answers_who_when_and_how_to_come_back(socket):
    frame = socket.reset(seed=7, episode_id="ep-1", unknown_kw=1, fixture="rich", request_id="r1")
    assert set(frame) == {"type", "data"}
    assert frame["type"] == "observation"
    data = frame["data"]
    assert (data["reward"], data["done"]) == (None, False)
    assert set(data["observation"]) == {"metadata"}
    assert data["metadata"] == data["observation"]["metadata"]
    metadata = data["metadata"]
    assert (metadata["world"], metadata["fixture"], metadata["clock_mode"]) == ("bank", "rich", "tick")
    assert metadata["now"] == "2026-06-01T09:00:00.000Z"
    assert "deposit" in metadata["tools"]
    assert metadata["request_id"] == "r1"
    assert metadata["session_id"]
    assert metadata["resume_token"]


def test_state_echoes_the_episode_and_counts_every_step(socket):
    socket.reset(episode_id="ep-1", seed=3)
    assert (socket.state()["episode_id"], socket.state()["step_count"]) == ("ep-1", 0)
    socket.step("deposit", amount=4)
    socket.step("boom")
    socket.step("no_such_tool")
    socket.ask({"type": "step", "data": {"type": "list_tools", "metadata": {}}})
    state = socket.state()
    assert (state["step_count"], state["call_count"]) == (4, 2)
    assert state["format"] == "seahaven.state/1"
    assert state["seed"] == 3
    assert [record["op"] for record in state["state"]["db"]["log"]] == ["insert"]


def test_a_call_answers_in_the_reference_servers_shape(socket):
    socket.reset()
    observation = socket.step("deposit", amount=4)["data"]["observation"]
    assert observation == {
        "metadata": {},
        "tool_name": "deposit",
        "result": {
            "content": [{"type": "text", "text": "4"}],
            "structured_content": {"result": 4},
            "data": 4,
            "is_error": False,
        },
        "error": None,
    }
    observation = socket.step("read_balance")["data"]["observation"]
    assert observation["result"]["structured_content"] == observation["result"]["data"] == {"balance": 4}
    assert json.loads(observation["result"]["content"][0]["text"]) == {"balance": 4}


def test_the_type_of_an_action_may_be_missing_and_metadata_is_echoed(socket):
    socket.reset()
    action = {"tool_name": "deposit", "arguments": {"amount": 1}, "metadata": {"request_id": 17, "more": [1]}}
    frame = socket.ask({"type": "step", "data": action})
    assert frame["data"]["metadata"] == {"request_id": 17}
    assert result(frame) == 1


@pytest.mark.parametrize(
    ("tool", "arguments", "error_type", "world_code"),
    [
        ("no_such_tool", {}, "tool_not_found", "unknown_tool"),
        ("boom", {"why": "x"}, "execution_error", "boom"),
        ("deposit", {"amount": "much"}, "invalid_args", "invalid_arguments"),
    ],
)
def test_what_a_tool_refuses_is_an_observation(socket, tool, arguments, error_type, world_code):
    socket.reset()
    frame = socket.step(tool, **arguments)
    assert set(failure(frame)) == {"error_type", "message"}
    assert failure(frame)["error_type"] == error_type
    said = frame["data"]["metadata"]["seahaven_error"]
    assert (said["code"], said["message"]) == (world_code, failure(frame)["message"])
    assert set(said) == {"code", "message", "details"}
    assert result(socket.step("deposit", amount=2)) == 2


def test_a_bug_in_a_tool_shows_a_number_and_nothing_else(server):
    with server.socket("/worlds/lab/ws") as socket:
        socket.reset()
        frame = socket.step("fail_after_writing", how="bug")
        assert failure(frame)["error_type"] == "execution_error"
        assert failure(frame)["message"].startswith("internal error ")
        assert "secret" not in json.dumps(frame)
        assert result(socket.step("list_boxes")) == []


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        ("null", "VALIDATION_ERROR"),
        ("[]", "VALIDATION_ERROR"),
        ("[1,2]", "VALIDATION_ERROR"),
        ("17", "VALIDATION_ERROR"),
        ('"reset"', "VALIDATION_ERROR"),
        ("", "INVALID_JSON"),
        ("{oops", "INVALID_JSON"),
        ('{"type":"reset"', "INVALID_JSON"),
        ('{"type":"step","data":{"tool_name":"deposit","arguments":{"amount":NaN}}}', "INVALID_JSON"),
        ("[" * 100_000, "INVALID_JSON"),
        (b"\x00\x01", "VALIDATION_ERROR"),
        (b'{"type":"state"}', "VALIDATION_ERROR"),
        ("{}", "UNKNOWN_TYPE"),
        ('{"type":"dance"}', "UNKNOWN_TYPE"),
        ('{"type":[]}', "UNKNOWN_TYPE"),
        ('{"type":null,"data":{}}', "UNKNOWN_TYPE"),
        ('{"type":"step"}', "VALIDATION_ERROR"),
        ('{"type":"step","data":null}', "VALIDATION_ERROR"),
        ('{"type":"step","data":[]}', "VALIDATION_ERROR"),
        ('{"type":"step","data":{}}', "VALIDATION_ERROR"),
        ('{"type":"step","data":{"bogus":1}}', "VALIDATION_ERROR"),
        ('{"type":"step","data":{"tool_name":7}}', "VALIDATION_ERROR"),
        ('{"type":"step","data":{"tool_name":"deposit","arguments":[4]}}', "VALIDATION_ERROR"),
        ('{"type":"step","data":{"type":"call_tool"}}', "VALIDATION_ERROR"),
        ('{"type":"step","data":{"type":"fly","tool_name":"deposit"}}', "VALIDATION_ERROR"),
        ('{"type":"step","data":{"type":"list_tools","tool_name":"deposit"}}', "VALIDATION_ERROR"),
        ('{"type":"state","data":{}}', "VALIDATION_ERROR"),
        ('{"type":"reset","id":1}', "VALIDATION_ERROR"),
        ('{"type":"reset","data":null}', "VALIDATION_ERROR"),
        ('{"type":"reset","data":{"seed":"seven"}}', "VALIDATION_ERROR"),
        ('{"type":"reset","data":{"seed":true}}', "VALIDATION_ERROR"),
        ('{"type":"reset","data":{"clock_mode":"sundial"}}', "VALIDATION_ERROR"),
        ('{"type":"reset","data":{"fixtur":"rich"}}', "VALIDATION_ERROR"),
        ('{"type":"reset","data":{"fixture":"ritch"}}', "EXECUTION_ERROR"),
        ('{"type":"reset","data":{"fixture":"../rich"}}', "EXECUTION_ERROR"),
        ('{"type":"reset","data":{"now":"yesterday"}}', "EXECUTION_ERROR"),
        ('{"type":"reset","data":{"world":"bnk"}}', "EXECUTION_ERROR"),
        ('{"type":"reset","data":{"startup":{"owner":"Ada"}}}', "EXECUTION_ERROR"),
        ('{"type":"reset","data":{"state_format":"mine/1"}}', "EXECUTION_ERROR"),
        ('{"type":"reset","data":{"setup_sql":"DROP TABLE accounts"}}', "EXECUTION_ERROR"),
        ('{"type":"mcp"}', "VALIDATION_ERROR"),
        ('{"type":"close","data":{}}', "VALIDATION_ERROR"),
    ],
)
def test_a_frame_that_cannot_be_is_answered_and_the_session_goes_on_as_it_was(socket, frame, expected):
    socket.reset(episode_id="before")
    socket.step("deposit", amount=4)
    answer = socket.ask(frame)
    assert code(answer) == expected
    if expected == "VALIDATION_ERROR":
        assert all({"type", "loc", "msg", "input"} <= set(each) for each in answer["data"]["errors"])
        assert answer["data"]["errors"]
    assert result(socket.step("read_balance")) == {"balance": 4}
    assert socket.state()["episode_id"] == "before"


def test_a_slip_and_a_wrong_name_are_answered_with_what_was_meant(socket):
    assert "did you mean 'fixture'?" in socket.reset(fixtur="rich")["data"]["message"]
    assert "did you mean 'rich'?" in socket.reset(fixture="ritch")["data"]["message"]
    assert "did you mean 'bank'?" in socket.reset(world="bnk")["data"]["message"]


def test_large_frames_are_read_and_larger_ones_refused_without_losing_the_session(socket):
    socket.reset(blob="x" * (12 * 2**20), episode_id="large")
    assert failure(socket.step("boom", why="x" * (10 * 2**20)))["message"].endswith("x")
    assert code(socket.reset(blob="x" * (17 * 2**20))) == "VALIDATION_ERROR"
    assert socket.state()["episode_id"] == "large"


def test_a_second_reset_starts_over(socket):
    socket.reset(episode_id="first")
    socket.step("deposit", amount=4)
    socket.ask({"type": "reset"})
    state = socket.state()
    assert state["step_count"] == 0
    assert state["episode_id"] not in (None, "first")
    assert result(socket.step("read_balance")) == {"balance": 0}


def test_a_reset_may_move_to_another_world(socket):
    assert socket.reset(world="lab", startup={"owner": "Ada"})["data"]["metadata"]["world"] == "lab"
    assert [box["name"] for box in result(socket.step("list_boxes"))] == ["Ada's box"]
    assert socket.state()["world"]["name"] == "lab"
    assert socket.state()["startup"] == {"owner": "Ada"}


def test_a_refusal_of_a_startup_hook_is_told(server):
    with server.socket("/worlds/lab/ws") as socket:
        answer = socket.reset(startup={"fail": True})
        assert (code(answer), answer["data"]["message"]) == ("EXECUTION_ERROR", "the shop stays shut")


def test_a_step_before_any_reset_runs_on_a_blank_instance_and_says_so(socket):
    assert socket.state()["episode_id"] is None
    frame = socket.step("deposit", amount=4)
    assert result(frame) == 4
    assert frame["data"]["metadata"] == {"implicit_episode": True}
    state = socket.state()
    assert (state["episode_id"], state["implicit_episode"], state["step_count"]) == (None, True, 1)
    assert result(socket.step("read_balance")) == {"balance": 4}
    socket.reset()
    assert "implicit_episode" not in socket.state()
    assert "metadata" not in socket.step("deposit", amount=4)["data"]


def test_frames_sent_at_once_are_answered_one_by_one(socket):
    for frame in ({"type": "reset"}, {"type": "step", "data": DEPOSIT}, {"type": "state"}, "[]", {"type": "state"}):
        socket.send(frame)
    answers = [socket.read() for _ in range(5)]
    assert [answer["type"] for answer in answers] == ["observation", "observation", "state", "error", "state"]
    assert answers[2]["data"]["step_count"] == 1


def test_a_close_frame_is_not_answered(socket):
    socket.reset()
    socket.send({"type": "close"})
    assert socket.ends() == 1000


def test_sessions_do_not_see_each_other(server):
    with server.socket() as one, server.socket() as other:
        one.reset()
        other.reset()
        one.step("deposit", amount=5)
        assert result(other.step("read_balance")) == {"balance": 0}


def test_slow_calls_in_different_sessions_overlap_and_pings_are_answered_meanwhile(server):
    with server.socket() as one, server.socket() as other, ThreadPoolExecutor() as pool:
        began = time.monotonic()
        calls = [pool.submit(each.step, "slow", s=1.0) for each in (one, other)]
        time.sleep(0.2)
        assert one.connection.ping().wait(0.5)
        assert [result(call.result()) for call in calls] == [{"slept": 1.0}] * 2
        assert time.monotonic() - began < 1.8


def test_the_same_seed_gives_the_same_answers(server):
    def play(socket):
        socket.reset(world="lab", seed=5, now="2026-06-01T09:00:00Z", episode_id="same")
        return [result(socket.step("draw")) for _ in range(3)], socket.state()

    with server.socket() as one, server.socket() as other:
        assert play(one) == play(other)


def test_a_foreign_page_may_not_connect(server):
    with pytest.raises(InvalidStatus, match="403"):
        server.socket(origin="https://elsewhere.example")
    with server.socket(origin=server.url) as socket:
        assert socket.reset()["type"] == "observation"


def test_nothing_is_served_at_other_paths(server):
    with pytest.raises(InvalidStatus, match="403"):
        server.socket("/nowhere")


def test_an_unknown_world_is_refused_after_the_handshake(server):
    with server.socket("/worlds/bnk/ws") as socket:
        answer = socket.read()
        assert (code(answer), answer["data"]["factory_name"]) == ("FACTORY_ERROR", "bnk")
        assert "did you mean 'bank'?" in answer["data"]["message"]
        assert socket.ends() == 1000
