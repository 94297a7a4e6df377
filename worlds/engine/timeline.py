"""What did an instance do, move by move, of which a reader wants a piece?

A move is a call, or what was done between two calls. The logs grow with the run, so they are walked here and never
copied: a line says which change records are its own, for whoever wants to read them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import orjson

from worlds.engine.calls import CallRecord
from worlds.engine.instance import Instance
from worlds.engine.moves import Advance, Between, Bulk, Report, Request

CALL, ADVANCE, REQUEST, REPORT, BULK = "call", "advance", "request", "report", "bulk"
FAILED, CHANGING = "failed", "changing"


class Wanted(NamedTuple):
    """Which moves: of one tool, only those that failed or changed rows, with every one of some words in them."""

    tool: str = ""
    only: str = ""
    words: tuple[str, ...] = ()


class Line(NamedTuple):
    """One move."""

    #: The ordinal of a call; of another move, how many of its like came before it.
    number: int
    made: CallRecord | Between
    #: Its change records: from one place in the log to before another.
    first: int
    last: int

    @property
    def kind(self) -> str:
        return _kind(self.made)

    @property
    def is_call(self) -> bool:
        return isinstance(self.made, CallRecord)

    @property
    def has_failed(self) -> bool:
        return self.made.error is not None or self.made.tool_error is not None


class Piece(NamedTuple):
    """Some of the lines that were asked for."""

    lines: list[Line]
    #: The place of the first among those that fit.
    start: int
    #: How many fit, how many moves and calls there are in all, and the tools that were called.
    fitting: int
    total: int
    calls: int
    tools: list[str]


def piece(inst: Instance, wanted: Wanted, start: int | None, length: int) -> Piece:
    """Lines from one place among those wanted, in the order they were made; None is where the latest begin.

    The latest begin at a place that moves only now and then, so that a list of them mostly grows at its end.
    """
    with inst.reading() as at:
        found = list(_walk(at))
        tools = sorted({record.tool for record in at.calls})
        calls = len(at.calls)
    total = len(found)
    if any(wanted):
        found = [line for line in found if _fits(line, wanted)]
    if start is None:
        half = max(1, length // 2)
        start = max(0, (len(found) - half) // half * half)
    return Piece(found[start : start + length], start, len(found), total, calls, tools)


def of_call(inst: Instance, ordinal: int) -> Line | None:
    """The line of one call; None when that many were not made."""
    with inst.reading() as at:
        if not 0 <= ordinal < len(at.calls):
            return None
        made_by = at.log.calls
        first = last = made_by.index(ordinal) if ordinal in made_by else 0
        while last < len(made_by) and made_by[last] == ordinal:
            last += 1
        return Line(ordinal, at.calls[ordinal], first, last)


def between(inst: Instance, number: int) -> Line | None:
    """The line of one move that is no call."""
    with inst.reading() as at:
        if not 0 <= number < len(at.between):
            return None
        return next(line for line in _walk(at) if line.number == number and not line.is_call)


def place_of(inst: Instance, ordinal: int) -> int:
    """Where a call stands among all moves."""
    with inst.reading() as at:
        return ordinal + bisect_right([move.calls for move in at.between], ordinal)


def _walk(at: Any) -> Iterator[Line]:
    """Every move, in order."""
    made_by, between = Counter(at.log.calls), at.between
    done = number = 0
    for ordinal, record in enumerate(at.calls):
        while number < len(between) and between[number].calls <= ordinal:
            move = between[number]
            yield Line(number, move, done, move.records)
            done, number = move.records, number + 1
        last = done + made_by[ordinal]
        yield Line(ordinal, record, done, last)
        done = last
    for rest in range(number, len(between)):
        yield Line(rest, between[rest], done, between[rest].records)
        done = between[rest].records


def _kind(made: CallRecord | Between) -> str:
    match made:
        case CallRecord():
            return CALL
        case Advance():
            return ADVANCE
        case Request():
            return REQUEST
        case Report():
            return REPORT
    return BULK


def _fits(line: Line, wanted: Wanted) -> bool:
    if wanted.tool and not (isinstance(line.made, CallRecord) and line.made.tool == wanted.tool):
        return False
    if wanted.only == FAILED and not line.has_failed:
        return False
    if wanted.only == CHANGING and line.first == line.last:
        return False
    if not wanted.words:
        return True
    text = _text(line.made)
    return all(word in text for word in wanted.words)


def _text(made: CallRecord | Between) -> str:
    """What a move says, in small letters, for whoever looks for a word."""
    parts: list[Any] = [_kind(made), made.error]
    if made.tool_error is not None:
        parts += [made.tool_error.get("code"), made.tool_error.get("message")]
    match made:
        case CallRecord():
            parts += [made.tool, made.arguments.decode(), (made.result or b"").decode()]
        case Request():
            parts += [made.request.method, made.request.path, made.request.query, _readable(made.request.body)]
            if made.response is not None:
                parts += [made.response.status, _readable(made.response.body)]
        case Report():
            parts += [made.key, orjson.dumps(made.outcome, default=repr).decode()]
        case Bulk():
            parts.append(made.by)
    return " ".join(str(part) for part in parts if part is not None).lower()


def _readable(body: bytes) -> str:
    return body.decode(errors="replace")
