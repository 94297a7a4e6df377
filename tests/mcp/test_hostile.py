"""Does a server stand whatever it is sent at `/mcp/<world>`?"""

import json
from urllib.parse import quote

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.mcp.clients import BOTH, HELLO, Raw, message_of, raw, request
from tests.openenv.servers import Server

METHODS = [
    "initialize", "ping", "tools/list", "tools/call", "resources/list", "resources/read", "resources/templates/list",
    "resources/subscribe", "prompts/list", "prompts/get", "logging/setLevel", "completion/complete", "server/discover",
    "subscriptions/listen", "notifications/initialized", "notifications/cancelled", "notifications/progress", "state",
    "state/get", "openenv/session/create", "rpc.discover", "", "__init__",
]  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)
NAMES = (
    st.sampled_from(["deposit", "read_balance", "boom", "nothing", "__class__", "seahaven://bank/schema"]) | st.text()
)
PARAMS = st.fixed_dictionaries(
    {},
    optional={
        "name": NAMES | VALUES,
        "arguments": st.dictionaries(st.sampled_from(["amount", "why", "x"]), VALUES, max_size=3) | VALUES,
        "uri": NAMES | VALUES,
        "cursor": VALUES,
        "_meta": st.fixed_dictionaries(
            {}, optional={"progressToken": VALUES, "io.modelcontextprotocol/protocolVersion": VALUES}
        )
        | VALUES,
        "protocolVersion": VALUES,
        "requestId": VALUES,
    },
)
MESSAGES = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0") | VALUES, "method": st.sampled_from(METHODS) | VALUES},
    optional={"id": st.integers(2, 9) | st.text(max_size=5) | VALUES, "params": PARAMS | VALUES, "extra": VALUES},
)
#: Deep, wide, broken, and numbers that no machine has.
NASTY = st.sampled_from(
    [
        b"", b"null", b"[]", b"{", b"\xff\xfe\x00", b"[" * 100_000, b'{"a":' * 5_000, b"1e999", b"-",
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"deposit","arguments":{"amount":1e400}}}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"boom","arguments":{"why":"\\ud800"}}}',
        b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}', b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":%s,"method":"ping"}' % (b"9" * 5_000), b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}',
        b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', b'{"jsonrpc":"2.0","id":1,"result":{}}',
        b'{"jsonrpc":"2.0","id":null,"method":"ping"}', b'{"jsonrpc":"2.0","id":true,"method":"ping"}',
    ]
)  # fmt: skip
BODIES = st.binary(max_size=200) | NASTY | (MESSAGES | VALUES).map(lambda value: json.dumps(value).encode())
HEADERS = st.fixed_dictionaries(
    {},
    optional={
        "Accept": st.sampled_from([BOTH, "application/json", "text/event-stream", "*/*", "text/plain", ""]),
        "Content-Type": st.sampled_from(["application/json", "text/plain", "application/json; charset=x", ""]),
        "MCP-Protocol-Version": st.sampled_from(["2025-11-25", "2026-07-28", "1999-01-01", "", "x" * 3000]),
        "Last-Event-ID": st.sampled_from(["1", "-1", "x", "9" * 4000]),
        "Mcp-Session-Id": st.sampled_from(["", "x", "0" * 32, "../../etc"]),
        "Seahaven-Seed": st.sampled_from(["1", "x", "9" * 4000]),
        "Authorization": st.sampled_from(["Bearer x", "Bearer", "Basic eDp4", "Bearer agent-x.y"]),
    },
)
QUERIES = st.text(max_size=60) | st.lists(
    st.tuples(st.sampled_from(["fixture", "seed", "now", "startup", "setup_sql", "instance", "x"]), st.text()),
    max_size=3,
).map(lambda pairs: "&" + "&".join(f"{name}={quote(value, safe='')}" for name, value in pairs))
PATIENT = settings(max_examples=80, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def server():
    with Server(worlds="tests.worlds.bank", log_level="ERROR") as running:
        yield running
        assert "Traceback" not in running.log()


def answered(response):
    """No matter what was sent: one of HTTP's refusals, or JSON-RPC."""
    assert response.status_code < 500, response.text
    assert "Traceback" not in response.text
    if response.status_code == 200:
        assert message_of(response)["jsonrpc"] == "2.0"
    return response.status_code


@given(body=BODIES)
@PATIENT
def test_any_body_in_a_session_is_answered(server, body):
    with raw(f"{server.url}/mcp/bank") as session:
        session.http.timeout = httpx.Timeout(10)
        answered(session.post(body))
        balance = session.ask("tools/call", {"name": "read_balance"}, id="last")["result"]["structuredContent"]
        assert type(balance["balance"]) is int
        assert session.delete() == 200


@given(body=BODIES, headers=HEADERS)
@PATIENT
def test_any_request_without_one_is_answered(server, body, headers):
    with Raw(f"{server.url}/mcp/bank", **headers) as client:
        answered(client.http.post(client.url, content=body))


@given(path=st.text(max_size=30), query=QUERIES)
@PATIENT
def test_any_path_and_query_is_answered(server, path, query):
    place = "bank" if query.startswith("&") else quote(path)  # where the query counts, or anywhere
    with Raw(f"{server.url}/mcp/{place}?{quote(query, safe='=&%').lstrip('&')}") as client:
        answered(client.post(request("initialize", HELLO)))


def test_it_serves_on(server):
    with raw(f"{server.url}/mcp/bank") as session:
        assert session.call("deposit", amount=1) == {"result": 1}
