"""Does an account stand whatever it is sent? Every answer is one of the API's own, and never of the 500s."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.stripe import asking
from worlds.engine import HttpRequest, HttpResponse, Instance, ToolError
from worlds.stripe import facts

KEY = "Bearer sk_test_1"
FORM = "application/x-www-form-urlencoded"
#: What no parameter expects everywhere.
VALUES: list[Any] = [
    "", " ", "\0", "a" * 6000, "../../etc/passwd", "'; DROP TABLE customers; --", "é\u202e\ufeff", "<script>", "null",
    "NaN", "-1", "0", "1e999", "0x10", "١", "true", "99999999999999999999999", "-9223372036854775808", "1.5",
    "2026-01-01", "cus_1", "acct_1", "pm_card_visa", "{{7*7}}", {"a": "b"}, {"0": "x", "5": "y"}, {"": ""}, ["x"],
    [["x"]], [{"a": ["b"]}], {"created": {"gt": "x"}}, ["x"] * 200,
]  # fmt: skip
#: What JSON can say besides, to the second form of the API.
JSON_VALUES = [*VALUES, None, True, 0, -1, 2**63, 1.5, -0.0, [], {}, [None], {"a": {"b": [None] * 50}}]
PATIENT = settings(max_examples=150, suppress_health_check=list(HealthCheck))


def standing(answer: HttpResponse, *context: object) -> int:
    """Was it answered, and as the API answers?"""
    assert answer.status < 500, (context, answer.body[:500])
    if answer.status >= 400:
        assert answer.json()["error"]["message"], context
    return answer.status


@pytest.mark.parametrize("id", sorted(facts.operations()))
def test_no_value_of_a_parameter_breaks_anything(id: str, populated: Instance, ids: dict[str, str]) -> None:
    operation = facts.operations()[id]
    is_json = operation.is_v2 and operation.method == "POST"
    chance = random.Random(id)
    good = asking.minimal(operation, ids)
    names = sorted({*operation.query, *operation.body}) or ["unknown"]
    values = JSON_VALUES if is_json else VALUES
    with populated.fork() as inst:
        path = asking.path_of(operation, ids)
        for name in chance.sample(names, min(len(names), 6)):
            for value in chance.sample(values, 3):
                given = {**good, name: value}
                standing(asking.send(inst, operation.method, path, given, is_json=is_json), path, name, value)


@pytest.mark.parametrize("id", sorted(facts.operations()))
def test_no_id_in_a_path_breaks_anything(id: str, populated: Instance, ids: dict[str, str]) -> None:
    operation = facts.operations()[id]
    names = [part for part in operation.path.split("/") if part.startswith("{")]
    chance = random.Random(id)
    with populated.fork() as inst:
        for name in names:
            for value in chance.sample([value for value in VALUES if isinstance(value, str)], 4):
                path = asking.path_of(operation, ids) if value == "" else operation.path.replace(name, value or "x")
                answer = inst.http(HttpRequest.of(operation.method, path, headers={"authorization": KEY}))
                standing(answer, path)


NESTED = st.lists(st.sampled_from(["", "0", "-1", "a", "metadata", "]", "[", "99999999"]), max_size=6).map(
    lambda keys: "".join(f"[{key}]" for key in keys)
)
NAMES = st.builds(
    str.__add__,
    st.sampled_from(["email", "metadata", "expand", "limit", "starting_after", "address", "", "créé"]),
    NESTED,
)
FORMS = st.lists(st.tuples(NAMES, st.text(max_size=30)), max_size=8).map(
    lambda pairs: "&".join(f"{quote(name, safe='[]')}={quote(value, errors='replace')}" for name, value in pairs)
)
KEYS = [KEY, "Bearer", "Basic eDp4", "Basic !!", "Bearer sk_live_1", "Bearer pk_test_1", "Bearer rk_test_1", ""]
KINDS = [FORM, "application/json", "multipart/form-data", "multipart/form-data; boundary=", "text/plain", ""]
HEADERS = st.fixed_dictionaries(
    {},
    optional={
        "authorization": st.sampled_from(KEYS),
        "content-type": st.sampled_from(KINDS),
        "stripe-version": st.sampled_from(["2026-08-26.dahlia", "2010-01-01", "9999-01-01", "x", "", "2026-13-45"]),
        "stripe-account": st.sampled_from(["acct_1", "", "acct_" + "x" * 300, "../.."]),
        "idempotency-key": st.sampled_from(["one", "", "x" * 300, "é"]),
        "host": st.sampled_from(["127.0.0.1:8000", "", "é", "a b"]),
        "x-forwarded-prefix": st.text(max_size=10),
    },
)
PATHS = st.sampled_from(
    [
        "/", "/v1", "/v1/customers", "/v1/customers/cus_1", "/v1/customers/search", "/v1/payment_intents", "/v1/files",
        "/v1/events", "/v2/core/events", "/_checkout/cs_test_1", "/_checkout/cs_test_1/pay", "/_authenticate/x",
        "/_plink/x", "/_files/x/contents", "/_links/x", "/_connect/x", "/_express/x", "/_microdeposits/x",
        "/oauth/token", "/oauth/authorize", "/oauth/deauthorize",
    ]
) | st.text(max_size=30).map("/".__add__)  # fmt: skip
NASTY = st.sampled_from(
    [
        b"{", b"[]", b"null", b'{"a":NaN}', b"[" * 100_000, b"\xff\xfe", b"--edge\r\n\r\n", b"a" * 100_000, b"&&&===",
        b"a[" * 3000,
    ]
)  # fmt: skip
BODIES = st.binary(max_size=200) | FORMS.map(str.encode) | NASTY


@given(
    method=st.sampled_from(["GET", "POST", "DELETE", "PUT", "HEAD", "X"]),
    path=PATHS,
    query=FORMS | st.text(max_size=40),
    headers=HEADERS,
    body=BODIES,
)
@PATIENT
def test_any_request_is_answered(
    populated: Instance, method: str, path: str, query: str, headers: dict[str, str], body: bytes
) -> None:
    with populated.fork() as inst:
        answer = inst.http(HttpRequest.of(method, path, query=query, headers=headers, body=body))
        assert answer.status < 500, answer.body[:500]
        told = dict(answer.headers).get("content-type", "")
        if told.startswith("application/json"):
            json.loads(answer.body)


QUERIES = st.text(max_size=60) | st.lists(
    st.tuples(
        st.sampled_from(["email", "metadata['a']", "created", "name", "-email", "nothing", "metadata[", ""]),
        st.sampled_from([":", "~", ">", "<=", "=", "", "::"]),
        st.text(max_size=10).map(lambda text: f'"{text}"')
        | st.integers().map(str)
        | st.sampled_from(["null", "'", '"']),
        st.sampled_from([" AND ", " OR ", " ", " and ", "("]),
    ),
    max_size=6,
).map(lambda parts: "".join("".join(part) for part in parts))


@given(query=QUERIES)
@PATIENT
def test_any_search_is_answered(populated: Instance, query: str) -> None:
    answer = asking.send(populated, "GET", "/v1/customers/search", {"query": query})
    assert standing(answer, query) in (200, 400)


SQL = st.text(max_size=80) | st.sampled_from(
    ["SELECT 1", "DELETE FROM customers", "ATTACH 'x' AS y", "SELECT '", ";", "--", "PRAGMA writable_schema=1"]
)


@given(sql=SQL)
@PATIENT
def test_any_question_to_analytics_is_answered(populated: Instance, sql: str) -> None:
    (account,) = populated.call("list_available_accounts_or_orgs")["accounts"]
    asked = {"intent": "execute_query_run", "params": {"sql": sql}, "livemode": False}
    with suppress(ToolError):  # anything else is a bug
        populated.call("stripe_analytics", **asked, stripe_context=account["stripe_context"])
