"""How is a move of an instance shown on a page?"""

from __future__ import annotations

from itertools import groupby
from typing import Any

import orjson

from worlds.engine import Instance, excerpts
from worlds.engine.calls import INTERNAL, CallRecord, Digest
from worlds.engine.changes import Change
from worlds.engine.clock import iso
from worlds.engine.moves import Advance, Bulk, Report, Request
from worlds.engine.timeline import Line

#: As much of a text stands in a list, and on a page of its own.
BRIEF, LONG = 300, 20_000
#: So many changed rows stand on one page.
ROWS = 50


def brief(line: Line) -> dict[str, Any]:
    """A move as a line of a list."""
    made = line.made
    return {
        "kind": line.kind,
        "number": line.number,
        "title": _title(line),
        "said": _cut(_said(line), BRIEF),
        "answer": _cut(_answer(line), BRIEF),
        "has_failed": line.has_failed,
        "code": _code(line),
        "rows": line.last - line.first,
        "now": iso(made.now_ms),
    }


def whole(inst: Instance, line: Line, at: int) -> dict[str, Any]:
    """A move with all that is known of it, and the rows that it changed, from one place among them."""
    rows = line.last - line.first
    start = min(line.last, line.first + at)
    found, _ = excerpts.changes(inst, start, min(line.last, start + ROWS))
    return brief(line) | {
        "arguments": _text(_said_whole(line)),
        "result": _text(_result(line)),
        "not_kept": _digest(line),
        "error": line.made.tool_error,
        "message": line.made.error,
        "cause": line.made.cause if line.made.tool_error is None else None,
        "changes": [orjson.loads(record) for record in found],
        "changed_from": at + 1,
        "changed_to": at + len(found),
        "older": at - ROWS if at >= ROWS else None,
        "newer": at + ROWS if at + ROWS < rows else None,
        "after": None if line.is_call else line.made.calls - 1,  # type: ignore[union-attr]
    }


def grouped_by_table(changes: list[Change]) -> list[dict[str, Any]]:
    """Net changes table by table, for few tables on a page rather than one for each row.

    Shape: {"name", "updates": [{"key", "cells"}], "inserts": {"columns", "rows"}, "deletes": the same}; a row has its
           values in the order of the columns.
    """
    groups: list[dict[str, Any]] = []
    for (world, table), found in groupby(changes, lambda change: (change.world, change.table)):
        mine = list(found)
        updates = [
            {
                "key": change.key,
                "cells": [
                    (name, (change.before or {}).get(name), value) for name, value in (change.after or {}).items()
                ],
            }
            for change in mine
            if change.op == "update"
        ]
        groups.append(
            {
                "name": f"{world}.{table}",
                "updates": updates,
                "inserts": _side_by_side([change.after or {} for change in mine if change.op == "insert"]),
                "deletes": _side_by_side([change.before or {} for change in mine if change.op == "delete"]),
            }
        )
    return groups


def _side_by_side(rows: list[dict[str, Any]]) -> dict[str, Any]:
    columns = list(dict.fromkeys(name for row in rows for name in row))
    return {"columns": columns, "rows": [[row.get(name) for name in columns] for row in rows]}


def _title(line: Line) -> str:
    match line.made:
        case CallRecord(tool=tool):
            return tool
        case Advance(ms=ms):
            return f"the clock moved {span(ms)}"
        case Request(request=request):
            return f"{request.method} {request.path}"
        case Report(key=key):
            return f"told of {key}"
        case Bulk(by=by):
            return f"rows written by {by}"
    return line.kind


def span(ms: int) -> str:
    """A stretch of time in words: "2 d 3 h"."""
    seconds, rest = divmod(ms, 1000)
    parts = []
    for name, length in (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)):
        count, seconds = divmod(seconds, length)
        if count:
            parts.append(f"{count} {name}")
    if rest or not parts:
        parts.append(f"{rest} ms")
    return " ".join(parts)


def _said(line: Line) -> str:
    """What it was given, in one line."""
    match line.made:
        case CallRecord(arguments=arguments):
            return _flat(arguments)
        case Request(request=request):
            return f"{request.query} {_decoded(request.body)}".strip()
        case Report(outcome=outcome):
            return orjson.dumps(outcome, default=repr).decode()
    return ""


def _answer(line: Line) -> str:
    made = line.made
    if line.has_failed:
        return str((made.tool_error or {}).get("message") or made.error or INTERNAL)
    match made:
        case CallRecord(result=result, digest=digest):
            return _flat(result) if result is not None else _of_digest(digest)
        case Advance(events=events):
            return "" if not events else "1 event came due" if events == 1 else f"{events} events came due"
        case Request(response=response) if response is not None:
            return f"{response.status} {_decoded(response.body)}"
    return ""


def _code(line: Line) -> str:
    if not line.has_failed:
        return ""
    return str((line.made.tool_error or {}).get("code") or "internal error")


def _flat(text: bytes) -> str:
    """JSON in one line, without the braces around arguments and with a space after every comma, cut before it grows."""
    return _spaced(text[: BRIEF * 4].decode(errors="ignore"))


def _spaced(text: str) -> str:
    return text.replace('","', '", "').replace('":', '": ')


def _said_whole(line: Line) -> Any:
    match line.made:
        case CallRecord(arguments=arguments):
            return arguments
        case Request(node=node, request=request):
            return {
                "node": node, "method": request.method, "path": request.path, "query": request.query,
                "headers": [f"{name}: {_hidden(name, value)}" for name, value in request.headers],
                "body": _decoded(request.body),
            }  # fmt: skip
        case Report(node=node, key=key, outcome=outcome):
            return {"node": node, "key": key, "outcome": outcome}
        case Advance(ms=ms, events=events):
            return {"milliseconds": ms, "events": events}
    return None


def _hidden(name: str, value: str) -> str:
    """A header's value; a secret is nobody's business who watches."""
    return "…" if name in ("authorization", "cookie", "x-api-key") else value


def _result(line: Line) -> Any:
    match line.made:
        case CallRecord(result=result):
            return result
        case Request(response=response) if response is not None:
            headers = [f"{name}: {value}" for name, value in response.headers]
            return {"status": response.status, "headers": headers, "body": _decoded(response.body)}
    return None


def _digest(line: Line) -> str:
    digest = getattr(line.made, "digest", None)
    return _of_digest(digest) if digest is not None else ""


def _of_digest(digest: Digest | None) -> str:
    return "" if digest is None else f"{digest.size:,} bytes, which are not kept"


def _text(value: Any) -> str:
    """JSON, indented, and cut where it is too long for a page."""
    if value is None:
        return ""
    if isinstance(value, bytes):
        if len(value) > LONG * 4:
            return _cut(value[: LONG * 4].decode(errors="ignore"), LONG, len(value))
        value = orjson.loads(value)
    text = orjson.dumps(value, default=repr, option=orjson.OPT_INDENT_2).decode()
    return _cut(text, LONG)


def _cut(text: str, most: int, size: int | None = None) -> str:
    size = size or len(text)
    if size <= most:
        return text
    return (
        f"{text[:most]}…"
        if most == BRIEF
        else f"{text[:most]}…\n\n({size:,} characters; the rest stands in the episode)"
    )


def _decoded(body: bytes) -> str:
    return body[: LONG * 4].decode(errors="replace")
