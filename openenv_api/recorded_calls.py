"""How is a recorded episode shown, call by call?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson

#: Of what is longer, so much is shown before it is unfolded.
SHORT = 160
#: Of a longer text the rest is in the document, which can be downloaded.
LONG = 20_000
#: Of a move that changed more rows, so many are shown.
MOST_CHANGES = 200


@dataclass(frozen=True)
class Text:
    """A JSON value for people: one line of it, and all of it where that is more."""

    line: str
    whole: str = ""
    cut: int = 0

    @classmethod
    def of(cls, value: Any) -> Text:
        line = orjson.dumps(value).decode()
        if len(line) <= SHORT:
            return cls(line)
        whole = orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
        return cls(f"{line[:SHORT]}…", whole[:LONG], max(0, len(whole) - LONG))


@dataclass(frozen=True)
class Change:
    """One row that changed: its cells before and after."""

    world: str
    table: str
    op: str
    key: str
    cells: list[tuple[str, Any, Any]]

    @classmethod
    def of(cls, record: dict[str, Any]) -> Change:
        before, after = record["before"] or {}, record["after"] or {}
        names = dict.fromkeys([*before, *after])
        cells = [(name, before.get(name), after.get(name)) for name in names if name not in record["key"]]
        key = ", ".join(f"{name}={value}" for name, value in record["key"].items())
        return cls(record["world"], record["table"], record["op"], key, cells)


@dataclass(frozen=True)
class Move:
    """A call, or another move, as it is shown."""

    number: int
    #: Calls are counted by themselves; None of other moves.
    ordinal: int | None
    title: str
    arguments: Text | None
    result: Text | None
    digest: int | None
    refusal: dict[str, Any] | None
    details: Text | None
    now: str
    change_count: int
    changes: list[Change]

    @property
    def hidden_changes(self) -> int:
        return self.change_count - len(self.changes)


def matches(move: dict[str, Any], tool: str, *, refused: bool) -> bool:
    """Is a move among those asked for?"""
    return (not tool or tool == move.get("tool")) and (not refused or "error" in move)


def shown(number: int, move: dict[str, Any]) -> Move:
    """A move of the document as people read it."""
    error = move.get("error")
    digest = move.get("result_digest") or (move.get("response") or {}).get("body_digest")
    return Move(
        number=number,
        ordinal=move.get("i"),
        title=_title(move),
        arguments=_arguments(move),
        result=Text.of(_result(move)) if error is None and digest is None and _result(move) is not None else None,
        digest=digest["bytes"] if digest else None,
        refusal=error,
        details=Text.of(error["details"]) if error and error["details"] else None,
        now=move["now"],
        change_count=len(move["records"]),
        changes=[Change.of(record) for record in move["records"][:MOST_CHANGES]],
    )


def _title(move: dict[str, Any]) -> str:
    match move["kind"]:
        case "call":
            return str(move["tool"])
        case "advance":
            return f"the clock moved on by {move['ms'] / 1000:g} s"
        case "request":
            return f"{move['method']} {move['path']}"
        case "report":
            return f"told what came of {move['key']}"
        case _:
            return f"rows were written by {move['by']}"


def _arguments(move: dict[str, Any]) -> Text | None:
    value = {"call": move.get("arguments"), "request": move.get("body"), "report": move.get("outcome")}
    found = value.get(move["kind"])
    return None if found in (None, "") else Text.of(found)


def _result(move: dict[str, Any]) -> Any:
    if move["kind"] == "request" and move.get("response"):
        return {"status": move["response"]["status"], "body": move["response"].get("body")}
    if move["kind"] == "advance":
        return {"events": move["events"]}
    return move.get("result")
