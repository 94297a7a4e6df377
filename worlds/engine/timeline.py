"""What did an instance do, move by move, of which a reader wants a piece?

A move is a call, or what was done between two calls. The logs grow with the run, so they are walked here and never
copied: a line says which change records are its own, for whoever wants to read them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import islice
from sys import maxsize
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
        tools = sorted({record.tool for record in at.calls})
        calls, total = len(at.calls), len(at.calls) + len(at.between)
        if not any(wanted):  # as it mostly is, while a run is watched
            start = _latest(total, length) if start is None else start
            return Piece(list(islice(_walk(at, start), length)), start, total, total, calls, tools)
        found = list(_walk(at))
    found = [line for line in found if _fits(line, wanted)]
    start = _latest(len(found), length) if start is None else start
    return Piece(found[start : start + length], start, len(found), total, calls, tools)


def move_count(inst: Instance) -> int:
    """How many moves there are: calls, and what was done between them."""
    with inst.reading() as at:
        return len(at.calls) + len(at.between)


def _latest(count: int, length: int) -> int:
    half = max(1, length // 2)
    return max(0, (count - half) // half * half)


def of_call(inst: Instance, ordinal: int) -> Line | None:
    """The line of one call; None when that many were not made."""
    with inst.reading() as at:
        if not 0 <= ordinal < len(at.calls):
            return None
        return Line(ordinal, at.calls[ordinal], *_span(at, ordinal))


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


def _walk(at: Any, place: int = 0) -> Iterator[Line]:
    """Every move from a place on, in order."""
    between, made_by = at.between, at.log.calls
    number = bisect_left(range(len(between)), place, key=lambda each: int(between[each].calls) + each)
    begin = min(len(at.calls), place - number)
    done = max(between[number - 1].records if number else 0, _span(at, begin - 1)[1] if begin else 0)
    for ordinal in range(begin, len(at.calls)):
        while number < len(between) and between[number].calls <= ordinal:
            yield Line(number, between[number], done, between[number].records)
            done, number = between[number].records, number + 1
        last = done
        while last < len(made_by) and made_by[last] == ordinal:
            last += 1
        yield Line(ordinal, at.calls[ordinal], done, last)
        done = last
    while number < len(between):
        yield Line(number, between[number], done, between[number].records)
        done, number = between[number].records, number + 1


def _span(at: Any, ordinal: int) -> tuple[int, int]:
    """Where the change records of a call begin and end."""
    earlier = bisect_right(at.between, ordinal, key=lambda move: int(move.calls))
    begin = at.between[earlier - 1].records if earlier else 0
    end = at.between[earlier].records if earlier < len(at.between) else len(at.log.calls)
    # From there on the calls follow each other, and then come the records of the next move that is none.
    first = bisect_left(at.log.calls, ordinal, begin, end, key=_or_never)
    return first, bisect_right(at.log.calls, ordinal, first, end, key=_or_never)


def _or_never(call: int | None) -> int:
    return maxsize if call is None else call


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
    if isinstance(line.made, CallRecord) and all(word.isascii() for word in wanted.words):
        said = _plain(line.made)
        return all(word.encode() in said for word in wanted.words)
    text = _text(line.made)
    return all(word in text for word in wanted.words)


def _plain(made: CallRecord) -> bytes:
    """What a call says, its ASCII letters small: a tenth of the work, and there are many calls."""
    failed = f"{made.error or ''} {(made.tool_error or {}).get('code', '')}".encode(errors="replace")
    return b" ".join((CALL.encode(), made.tool.encode(), made.arguments, made.result or b"", failed)).lower()


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
