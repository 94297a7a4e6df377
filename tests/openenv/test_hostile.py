"""Is every frame and every request answered, whatever is in it, and does the session live on?"""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.openenv.servers import Server, result

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)
TYPES = st.sampled_from(["reset", "step", "state", "mcp", "call_tool", "list_tools", "", "close ", "RESET"]) | VALUES
ACTIONS = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["call_tool", "list_tools"]) | VALUES,
        "tool_name": st.sampled_from(["deposit", "read_balance", "boom", "__class__", ""]) | VALUES,
        "arguments": st.dictionaries(st.sampled_from(["amount", "why", "x"]), VALUES, max_size=3) | VALUES,
        "metadata": VALUES,
        "timeout_s": VALUES,
        "request_id": VALUES,
    },
)
STARTS = st.fixed_dictionaries(
    {},
    optional={
        "seed": VALUES, "episode_id": VALUES, "fixture": st.sampled_from(["rich", "nothing"]) | VALUES, "now": VALUES,
        "clock_mode": st.sampled_from(["tick", "fixed", "wall"]) | VALUES, "startup": VALUES, "task": VALUES,
        "setup_sql": st.sampled_from(["SELECT 1", "DROP TABLE accounts", ";"]) | VALUES, "world": VALUES,
        "state_format": VALUES, "session_id": VALUES, "resume_token": VALUES,
    },
)  # fmt: skip
FRAMES = st.fixed_dictionaries({"type": TYPES}, optional={"data": ACTIONS | STARTS | VALUES, "extra": VALUES}) | VALUES
NASTY = st.sampled_from(
    [
        b"", b"null", b"[]", b"{", b"\xff\xfe\x00", b"[" * 100_000, b'{"type":' * 5_000, b"1e999",
        b'{"type": "\\ud800"}',
        b'{"type":"step","data":{"type":"call_tool","tool_name":"deposit","arguments":{"amount":1e400}}}',
        b'{"type":"step","data":{"type":"call_tool","tool_name":"\\ud800","arguments":{}}}',
        b'{"type":"reset","type":1}',
    ]
)  # fmt: skip
PATIENT = settings(max_examples=100, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def server(fixtures_dir):
    with Server(worlds="tests.worlds.bank", fixtures_dir=fixtures_dir, log_level="ERROR") as running:
        yield running
        log = running.log()
        assert [line for line in log.splitlines() if line.startswith("Traceback")] == [], log


@given(st.lists((FRAMES.map(json.dumps)) | NASTY | st.binary(max_size=100) | st.text(max_size=50), max_size=8))
@PATIENT
def test_any_frames_are_answered_one_by_one_and_the_session_lives(server, frames):
    with server.socket() as socket:
        for frame in frames:
            answer = socket.ask(frame)
            assert set(answer) == {"type", "data"}
        socket.reset(fixture="rich")
        assert result(socket.step("read_balance")) == {"balance": 100}


@given(
    path=st.sampled_from(["/reset", "/step", "/state", "/mcp", "/schema", "/metadata", "/health", "/nowhere"]),
    body=(FRAMES | STARTS | st.fixed_dictionaries({"action": ACTIONS | VALUES}, optional={"session_id": VALUES})).map(
        lambda value: json.dumps(value).encode()
    )
    | NASTY,
    kind=st.sampled_from(["application/json", "text/plain", "", "multipart/form-data"]),
)
@PATIENT
def test_any_request_is_answered(server, path, body, kind):
    status, _, _ = server.post(path, body, **{"Content-Type": kind})
    assert status < 500
