"""What does somebody find in an instance who asks in SQL?"""

from __future__ import annotations

import io
import re
import time
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

import orjson
from django.conf import settings
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse

from console.heads import head
from console.pages import Problem, instance_of, is_htmx, page, show
from console.tables.looking import look, look_apart, schema
from console.tables.rows import shown_cell
from console.views.rows import csv_lines, download
from console.views.tables import nodes_of, place_of
from worlds.engine.changes import json_value
from worlds.engine.errors import DbError
from worlds.engine.inspector import Inspector
from worlds.engine.policy import split
from worlds.engine.sandbox import SqlResult
from worlds.engine.tables import Cell

#: So many rows stand on a page and so many bytes; so many can be kept.
MOST_ROWS, MOST_BYTES = 500, 4_000_000
MOST_KEPT, MOST_BYTES_KEPT = 200_000, 200_000_000
#: A longer query does not fit into an address.
LONGEST_QUERY = 50_000
LONGEST = 300


class Failure(NamedTuple):
    """Why a query was not answered: what SQLite says, what to do, and the place where it stopped reading."""

    message: str
    advice: str = ""
    line: int | None = None
    before: str = ""
    at: str = ""
    after: str = ""


@page()
async def ask(request: HttpRequest, instance_id: str) -> HttpResponse:
    """A query, what it finds, and the tables it may name."""
    hosted, instance = await instance_of(instance_id)
    query = request.GET.get("q", "").strip()
    context: dict[str, Any] = {
        **head(hosted, instance, "instance-sql"),
        "query": query,
        "time_limit_s": settings.SEAHAVEN_SQL_TIMEOUT_S,
        "most": MOST_ROWS,
    }
    if query:
        context |= await look_apart(hosted, instance, _answer, query)
    if not is_htmx(request):
        nodes = nodes_of(instance)
        found = await look(hosted, instance, schema, instance_id, list(nodes))
        context["stores"] = [
            (path, nodes[path], [(place_of(table), table.names) for table in each]) for path, each in found.items()
        ]
    return show(request, "console/tables/sql.html", context, part="answer")


def _answer(inspector: Inspector, query: str) -> dict[str, Any]:
    began = time.perf_counter()
    try:
        found = _select(inspector, query, MOST_ROWS, MOST_BYTES)
    except DbError as error:
        return {"failure": failure_of(error, query), "took_ms": (time.perf_counter() - began) * 1000}
    return {
        "columns": found.columns,
        "rows": [
            [shown_cell(name, _cut(value)) for name, value in zip(found.columns, row, strict=True)]
            for row in found.rows
        ],
        "truncated": found.truncated,
        "took_ms": (time.perf_counter() - began) * 1000,
    }


def _select(inspector: Inspector, query: str, most_rows: int, most_bytes: int) -> SqlResult:
    if len(query) > LONGEST_QUERY:
        raise Problem(f"This query is longer than {LONGEST_QUERY:,} characters.", 422)
    return inspector.select(query, max_rows=most_rows, max_bytes=most_bytes)


def _cut(value: Any) -> Cell:
    if isinstance(value, str | bytes) and len(value) > LONGEST:
        return Cell(value[:LONGEST], len(value))
    return Cell(value)


def failure_of(error: DbError, query: str) -> Failure:
    """What to tell of a query that was refused or is wrong."""
    if error.refusals:
        kind, name = error.refusals[0]["kind"], error.refusals[0]["name"]
        message = f"Not allowed: {str(error).removeprefix('not allowed: ')}."
        return Failure(message, _advice(kind, name))
    offset = getattr(error.__cause__, "error_offset", -1)
    message = error.sqlite_message or str(error)
    if offset < 0:
        return Failure(message)
    # SQLite counts the bytes of the one statement that it was given.
    [statement, *_] = [*split(query), query]
    before = query[: query.find(statement)] + statement.encode()[:offset].decode(errors="ignore")
    rest = query[len(before) :]
    last_line = before.rpartition("\n")[2]
    [word] = re.findall(r"\A(?:\w+|.?)", rest)
    after = rest[len(word) :].partition("\n")[0]
    return Failure(message, "", before.count("\n") + 1, last_line, word, after)


def _advice(kind: str, name: str) -> str:
    if kind == "time":
        return "Ask for less: add a WHERE, a LIMIT, or an end to what recurs."
    if kind == "value":
        return "Ask for less of it: substr() takes the beginning of a value, length() its size."
    if kind == "statement" and name == "more than one statement":
        return "Send one statement at a time."
    if kind in ("action", "write", "statement"):
        return "Here is only read, with SELECT, VALUES or WITH; rows change through tools."
    return "Only what reads rows may be called here."


# To keep.


@page()
async def as_csv(request: HttpRequest, instance_id: str) -> StreamingHttpResponse:
    """What a query finds, as CSV."""
    found = await _kept(request, instance_id)

    async def lines() -> AsyncIterator[str]:
        yield csv_lines([found.columns])
        for start in range(0, len(found.rows), 1000):
            yield csv_lines([[json_value(value) for value in row] for row in found.rows[start : start + 1000]])

    return download(lines(), "query.csv", "text/csv; charset=utf-8")


@page()
async def as_json(request: HttpRequest, instance_id: str) -> StreamingHttpResponse:
    """What a query finds, as a JSON object: its columns, and a list for each row."""
    found = await _kept(request, instance_id)

    async def text() -> AsyncIterator[bytes]:
        yield b'{"columns": ' + orjson.dumps(found.columns) + b', "rows": ['
        for start in range(0, len(found.rows), 1000):
            piece = io.BytesIO()
            for number, row in enumerate(found.rows[start : start + 1000], start):
                piece.write((b",\n" if number else b"\n") + orjson.dumps([json_value(value) for value in row]))
            yield piece.getvalue()
        yield b'\n], "truncated": ' + (b"true" if found.truncated else b"false") + b"}\n"

    return download(text(), "query.json", "application/json")


async def _kept(request: HttpRequest, instance_id: str) -> SqlResult:
    """Raises: Problem."""
    hosted, instance = await instance_of(instance_id)
    query = request.GET.get("q", "").strip()
    try:
        return await look_apart(hosted, instance, _select, query, MOST_KEPT, MOST_BYTES_KEPT)
    except DbError as error:
        failure = failure_of(error, query)
        raise Problem(f"{failure.message} {failure.advice}".strip(), 422) from None
