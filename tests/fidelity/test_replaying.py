"""Is a cassette replayed through tools and by the clock, and is what cannot be replayed said?"""

from datetime import UTC, datetime, timedelta

import pytest

import seahaven
from seahaven.fidelity import FidelityError
from seahaven.fidelity.bodies import Body
from seahaven.fidelity.cassette import Cassette, Exchange, Request, Response
from seahaven.fidelity.replay import replay, replay_in

AT = datetime(2026, 6, 1, 9, tzinfo=UTC)


def tape(*exchanges):
    made = []
    for number, (method, path, sent, status, answered) in enumerate(exchanges, 1):
        body = None if sent is None else Body("json", sent)
        answer = Response(status, (), answered if isinstance(answered, Body) else Body("json", answered))
        asked = Request(method, path, body=body)
        made.append(Exchange(number, number, AT + timedelta(minutes=number), 1, asked, answer))
    return Cassette("https://bank.example.com", AT, made, "bank.yaml")


def mcp(name, arguments, result, id=1):
    called = {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
    return "POST", "/mcp", called, 200, {"jsonrpc": "2.0", "id": id, "result": result}


def texts(text, **more):
    return {"content": [{"type": "text", "text": text}], **more}


def found(report):
    return [(each.exchange.number, each.difference.path, each.difference.kind) for each in report.undeclared]


def test_calls_of_tools_over_mcp_are_calls_of_the_worlds_tools():
    events = Body(
        "text", 'event: message\ndata: {"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"17"}]}}\n\n'
    )
    stream = (*mcp("deposit", {"amount": 5}, None, 5)[:4], events)
    wrapped = mcp("deposit", {"amount": 1}, texts("18", structuredContent={"result": 18}))
    session = ("POST", "/mcp", {"jsonrpc": "2.0", "id": 0, "method": "tools/list"}, 200, {"jsonrpc": "2.0", "id": 0})
    report = replay(
        "bank",
        tape(
            session,
            mcp("deposit", {"amount": 5}, texts("5")),
            mcp("deposit", {"amount": 7}, texts("", structuredContent=13)),
            mcp("boom", {"why": "no"}, texts("boom: no", isError=True)),
            stream,
            mcp("boom", {"why": "no"}, texts("{}")),
            mcp("read_balance", {}, texts("refused", isError=True)),
            wrapped,
        ),
    )
    assert found(report) == [(3, "$", "value"), (6, "status", "status"), (7, "status", "status")]
    assert [(each.number, why) for each, why in report.skipped] == [
        (1, "tools/list of MCP is of the session, not of the world")
    ]
    assert (report.exchanges, report.compared) == (8, 7)


ROUTES = {
    "tools": [
        {"request": "POST /accounts/{name}/deposits", "tool": "deposit", "arguments": {"amount": "$body.money.cents"},
         "result": "$.balance.cents"},
        {"request": "GET /balance", "tool": "read_balance"},
        {"request": "POST /boom", "tool": "boom", "error": "$.error.code"},
    ]
}  # fmt: skip


def test_the_rest_of_an_mcp_session_is_passed_over():
    headers = (("mcp-session-id", "s1"),)
    made = [
        Exchange(at, at, AT, 1, Request(method, "/mcp", "", headers), Response(200, (), Body("text", ": ping")))
        for at, method in enumerate(("GET", "DELETE"), 1)
    ]
    report = replay(
        "bank", Cassette("https://a", AT, [*made, *tape(mcp("deposit", {"amount": 5}, texts("5"))).exchanges])
    )
    assert [why for _, why in report.skipped] == [
        "a GET of MCP is of the session, not of the world",
        "a DELETE of MCP is of the session, not of the world",
    ]
    assert report.is_faithful


def test_routes_are_led_to_tools():
    report = replay(
        "bank",
        tape(
            ("POST", "/accounts/main/deposits", {"money": {"cents": 5}}, 201, {"balance": {"cents": 5}}),
            ("GET", "/balance", None, 200, {"balance": 5, "currency": "usd"}),
            ("POST", "/boom", {"why": "x"}, 400, {"error": {"code": "boom"}}),
            ("POST", "/boom", {"why": "x"}, 400, {"error": {"code": "bang"}}),
            ("POST", "/boom", {"why": "x"}, 200, {}),
            ("POST", "/accounts/main/deposits", {}, 400, {"error": {}}),
        ),
        differences=ROUTES,
    )
    assert found(report) == [(2, "$.currency", "missing"), (4, "$.code", "value"), (5, "status", "status")]


def test_forms_and_queries_fill_arguments():
    asked = Request("POST", "/accounts/main/deposits", body=Body("form", {"money[cents]": "5"}))
    made = Exchange(1, 1, AT, 1, asked, Response(400))
    report = replay("bank", Cassette("https://a", AT, [made]), differences=ROUTES)
    assert not found(report)  # "5" is text, which the tool refuses: as the recorded 400 says


def test_a_route_to_a_tool_that_is_not_there_is_refused_with_its_name():
    with pytest.raises(FidelityError, match="tool 'red_balance'; is it 'read_balance'"):
        replay(
            "bank",
            tape(("GET", "/balance", None, 200, {})),
            differences={"tools": [{"request": "GET /balance", "tool": "red_balance"}]},
        )


def test_a_world_without_an_api_is_told_what_to_declare():
    with pytest.raises(FidelityError, match=r"^bank.yaml, exchange 1, POST /v1/a: world bank has no HTTP API, and"):
        replay("bank", tape(("POST", "/v1/a", {}, 200, {})))


def test_a_recorded_answer_that_is_none_is_named():
    with pytest.raises(FidelityError, match=r"exchange 1, POST /mcp: the recorded answer to tools/call is no JSON-RPC"):
        replay("bank", tape((*mcp("deposit", {"amount": 5}, None)[:4], Body("text", "<html>"))))


def test_time_goes_on_as_it_did():
    with seahaven.world("bank").instance(None, seed=1, now="2030-01-01T00:00:00Z", clock_mode="fixed") as instance:
        replay_in(instance, tape(*[mcp("read_balance", {}, texts('{"balance": 0}'))] * 3))
        assert instance.clock.iso() == "2030-01-01T00:03:00.000Z"


def test_exchanges_that_failed_are_not_compared():
    good = tape(*[mcp("read_balance", {}, texts('{"balance": 1}'))] * 2).exchanges
    lost = Exchange(1, 1, AT, 1, good[0].request, None, "it cannot be reached")
    broken = Exchange(2, 2, AT, 1, good[1].request, good[1].response, "the client hung up")
    report = replay("bank", Cassette("https://a", AT, [lost, broken]))
    assert [why for _, why in report.skipped] == [
        "it was not answered: it cannot be reached",
        "its answer did not reach its end: the client hung up",
    ]
    assert not report.undeclared
    assert not report.is_faithful  # nothing was compared
