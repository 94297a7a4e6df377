"""Do rules allow exactly what they declare, and does a file of them that is wrong say what to write?"""

from datetime import UTC, datetime

import pytest

from seahaven.fidelity import FidelityError, differences
from seahaven.fidelity.cassette import Exchange, Request, Response
from seahaven.fidelity.comparing import Difference

ASKED = Exchange(3, 3, datetime(2026, 6, 1, tzinfo=UTC), 1, Request("POST", "/v1/charges/ch_1/refund"), Response(200))


def allows(path, difference="$.data[3].receipt_url", kind="value", **narrowed):
    given = differences.of({"allowed": [{"path": path, "reason": "it is so", **narrowed}]})
    return given.rule_for(ASKED, Difference(difference, kind, 1, 2)) is not None


@pytest.mark.parametrize(
    ("path", "difference"),
    [
        ("$.data[*].receipt_url", "$.data[3].receipt_url"),
        ("$.data[3].*", "$.data[3].receipt_url"),
        ("$..receipt_url", "$.data[3].receipt_url"),
        ("$..receipt_url", "$.receipt_url"),
        ("$.data.**", "$.data[3].a.b"),
        ("$.**.b", "$.data[3].a.b"),
        ("$['a.b'].*", "$['a.b']['c d']"),
        ("status", "status"),
        ("header location", "header location"),
        ("**", "header location"),
    ],
)
def test_a_path_that_fits(path, difference):
    assert allows(path, difference)


@pytest.mark.parametrize(
    ("path", "difference"),
    [
        ("$.data[*].url", "$.data[3].receipt_url"),
        ("$.data[2].receipt_url", "$.data[3].receipt_url"),
        ("$.*", "$.data[3].receipt_url"),
        ("$.data", "$.data[3]"),
        ("$.data.**", "$.database"),
        ("$..url", "$.receipt_url"),
        ("$.aXb", "$.a.b"),
    ],
)
def test_a_path_that_does_not_fit(path, difference):
    assert not allows(path, difference)


@pytest.mark.parametrize(
    ("request_", "fits"),
    [
        ("POST /v1/charges/*/refund", True),
        ("POST /v1/charges/{charge}/refund", True),
        ("* /v1/**", True),
        ("GET /v1/**", False),
        ("POST /v1/*", False),
        ("POST /v1/charges/*", False),
    ],
)
def test_a_request_narrows_a_rule(request_, fits):
    assert allows("$..receipt_url", request=request_) is fits


def test_kind_exchange_and_values_narrow_a_rule():
    assert allows("$..receipt_url", kind="value", exchange=3, recorded=1, world=2)
    assert allows("$..receipt_url", **{"kind": "value"})
    for narrowed in ({"exchange": 4}, {"recorded": 2}, {"world": None}):
        assert not allows("$..receipt_url", **narrowed)
    given = differences.of({"allowed": [{"path": "$.x", "kind": ["missing", "extra"], "reason": "it is so"}]})
    assert given.rule_for(ASKED, Difference("$.x", "extra", 1, 2))
    assert not given.rule_for(ASKED, Difference("$.x", "value", 1, 2))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", None),
        ("[]", "must be a mapping with allowed, values, tools, tolerance_s, not []"),
        ("allowd: []", "has no 'allowd'; is it 'allowed'?"),
        ("allowed: ", None),
        ("allowed: {a: 1}", "allowed must be a list, not dict"),
        ("allowed: [{path: $.a}]", "allowed[0] has no reason; write `reason:` and why the world differs there"),
        ("allowed: [{path: $.a, reason: ' '}]", "allowed[0] has no reason"),
        ("allowed: [{reason: x}]", "allowed[0] has no path; write `path:` and such as $.data[*].receipt_url"),
        ("allowed: [{path: a.b, reason: x}]", "allowed[0]: path 'a.b' must begin with $"),
        ("allowed: [{path: $.a, reason: x, kind: odd}]", "there is no kind 'odd'; the kinds are status, missing"),
        ("allowed: [{path: $.a, reason: x, request: /v1}]", 'such as "POST /v1/charges/*", not \'/v1\''),
        ("allowed: [{path: $.a, reason: x, exchange: one}]", "exchange must be the number of one, not 'one'"),
        ("tools: [{request: GET /a}]", "tools[0] names no tool; write `tool: create_customer`"),
        ("tools: [{request: GET /a, tool: b, result: a.b}]", "tools[0]: result must be a path such as $.customer"),
        ("tolerance_s: soon", "tolerance_s must be a number of seconds, not 'soon'"),
        ("values: [1]", "values must be a mapping"),
        ("allowed: [\n{", "allowed.yaml:2: "),
    ],
)  # fmt: skip
def test_a_file_that_is_wrong_says_what_to_write(tmp_path, text, said):
    path = tmp_path / "allowed.yaml"
    path.write_text(text)
    if said is None:
        assert not differences.read(path).allowed
        return
    with pytest.raises(FidelityError) as caught:
        differences.read(path)
    assert said in str(caught.value)
    assert str(path) in str(caught.value)
