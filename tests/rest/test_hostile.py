"""Does anything that a stranger could send break the server?"""

import json
import re
from typing import Any
from urllib.parse import quote

import pytest

from tests.openenv.servers import Server
from tests.rest.api import Api

#: Names of paths, values of fields and parameters.
WORDS = [
    "", " ", "\0", "a" * 5000, "../../etc/passwd", "%2e%2e%2f", "'; DROP TABLE accounts; --", '"', "`", "é\u202e\ufeff",
    "{{7*7}}", "<script>", "\r\nSet-Cookie: a=b", "null", "-1", "1e999", "NaN", "0x10", "١", "main", "sqlite_master",
    "accounts", "balance:eq:1", "balance:contains:%", "a:b:c:d", ":::", "-balance,,--x", "rowid", "*", "?" * 300,
]  # fmt: skip
VALUES: list[Any] = [
    None, True, False, 0, -1, 2**63 - 1, -(2**63), 1.5, -0.0, 1e308, [], {}, [[]], {"": ""}, {"a": {"b": [None] * 50}},
    [1] * 1000, "\0", "a" * 5000, "../..", "'\";--", {"$ref": "#"}, {"__proto__": {}}, "2026-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z", "P1D", "2026-13-45T99:99:99Z",
]  # fmt: skip
DEEP = "[" * 900 + "]" * 900
STARTS = [
    {"fixture": "rich"}, {"now": "9999-12-31T23:59:59Z"}, {"now": "0001-01-01T00:00:00Z"}, {"clock_mode": "running"},
    {"setup_sql": "SELECT 1"}, {"setup_sql": "PRAGMA writable_schema = 1"}, {"setup_sql": ";;;"}, {"startup": {"a": 1}},
    {"task": {"a": [1, {"b": None}]}}, {"state_format": "x"}, {"episode_id": "\u2028"}, {"seed": -1},
]  # fmt: skip


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    # What is frozen here goes nowhere else, and what runs long is soon over.
    with Server(fixtures_dir=tmp_path_factory.mktemp("fixtures"), call_timeout_s=5, sql_timeout_s=1) as running:
        yield running
        assert "incident" not in running.log()
        assert "Traceback" not in running.log()


@pytest.fixture(scope="module")
def operations(server):
    document = Api(server).get("/openapi.json").json
    return [
        (method.upper(), path, operation, document["components"]["schemas"])
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]


class Target:
    """An instance to be hostile to; another one when that is over."""

    def __init__(self, api):
        self.api, self.instance = api, api.opened()

    def ask(self, method, path, body=None):
        if self.instance.get().status == 409:
            self.instance = self.api.opened()
        known = {"world": "bank", "instance": self.instance.id, "fixture": "x", "table": "accounts", "checkpoint": "1"}
        self.check(method, path.format(**known), body)

    def check(self, method, where, body=None):
        answer = self.api.ask(method, where, body)
        assert answer.status < 500, (method, where, body, answer.body)
        if answer.status >= 400:
            assert answer.error["incident"] is None


@pytest.fixture
def target(server):
    return Target(Api(server))


def test_no_name_in_a_path_breaks_anything(operations, target):
    for method, path, _, _ in operations:
        for name in re.findall(r"\{(\w+)\}", path):
            for word in WORDS:
                known = {"world": "bank", "instance": target.instance.id, "fixture": "x", "table": "accounts"}
                values = {**known, "checkpoint": "1", name: quote(word, safe="")}
                target.check(method, path.format(**values), {} if method == "POST" else None)


def test_no_parameter_breaks_anything(operations, target):
    for method, path, operation, _ in operations:
        names = [each["name"] for each in operation.get("parameters", []) if each["in"] == "query"]
        for name in [*names, "surprise"]:
            for word in WORDS:
                target.ask(method, f"{path}?{quote(name)}={quote(word, safe='')}", {} if method == "POST" else None)


def test_no_field_breaks_anything(operations, target):
    for method, path, operation, schemas in operations:
        if method == "POST":
            (content,) = operation["requestBody"]["content"].values()
            fields = schemas[content["schema"]["$ref"].rpartition("/")[2]].get("properties", {})
            for field in [*fields, "surprise"]:
                for value in VALUES:
                    target.ask(method, path, {field: value})
                    target.ask(method, path, {**dict.fromkeys(fields, "x"), field: value})
                target.ask(method, path, f'{{"{field}": {DEEP}}}'.encode())
            for body in (b"null", b"0", b"[]", b'""', b"true", DEEP.encode(), b"\0", b"[" * 10**6, b'{"a":' * 10**5):
                target.ask(method, path, body)


def test_no_start_and_no_argument_breaks_anything(target):
    for start in STARTS:
        target.check("POST", "/instances", start)
    target.check("POST", "/instances", {"task": json.loads(DEEP)})
    for tool in ("deposit", "read_balance", "boom", "nothing"):
        for value in [*VALUES, json.loads(DEEP)]:
            target.ask("POST", "/instances/{instance}/calls", {"tool": tool, "arguments": {"amount": value}})
            target.ask("POST", "/instances/{instance}/calls", {"tool": tool, "arguments": {"why": value}})


def test_no_sql_breaks_anything(target):
    for query in (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
        "SELECT randomblob(1000000000)", "SELECT zeroblob(2000000000)", "SELECT printf('%.*c', 1000000000, 'x')",
        "SELECT load_extension('x')", "SELECT writefile('/tmp/x', 'y')", "PRAGMA table_list", "PRAGMA page_size = 512",
        "VALUES (1), (2)", "SELECT ?1, ?9", "SELECT :a", "SELECT 1; SELECT 2", "EXPLAIN SELECT 1", "BEGIN", "\0",
        "SELECT * FROM accounts AS a, accounts AS b NATURAL JOIN accounts", "SELECT 9e999, -9e999, x'ff', NULL",
        "SELECT " + ", ".join(["1"] * 3000), "SELECT " + "(" * 2000 + "1" + ")" * 2000, "SELECT '" + "x" * 10**6 + "'",
    ):  # fmt: skip
        target.ask("POST", "/instances/{instance}/sql", {"query": query, "params": [1, None, "x", 2.5]})
        target.ask("POST", "/instances/{instance}/sql", {"query": query})
