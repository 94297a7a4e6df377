"""Where does what a move did differ from what is written of it?

The first difference named is the one nearest to the cause: the clock, which everything follows; how the move ended;
the rows it changed, cell by cell; then what was answered, which is read from rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from worlds.engine.calls import Digest
from worlds.engine.clock import parse_instant
from worlds.engine.differing import MISSING, Divergence, Place, is_same, json_differences
from worlds.engine.episode_documents import (
    AdvanceMove,
    CallMove,
    DigestOf,
    Move,
    Record,
    ReportMove,
    RequestMove,
    Response,
)
from worlds.engine.spelling import unspell

_NOT_KEPT = "it is larger than SEAHAVEN_RESULT_KEPT_KIB, so the place in it is not known"


def place_of(move: Move, number: int, calls: int) -> Place:
    """Where a move stands; `calls` were made before it."""
    at: dict[str, Any] = {"move": number}
    if isinstance(move, CallMove):
        return Place(f"call {move.i} ({move.tool})", at | {"call": move.i, "tool": move.tool})
    when = f"after call {calls - 1}" if calls else "before call 0"
    if isinstance(move, AdvanceMove):
        return Place(f"advance by {move.ms / 1000:g} s {when}", at | {"advance_ms": move.ms})
    if isinstance(move, RequestMove):
        asked = f"{unspell(move.method)} {unspell(move.path)}".encode(errors="backslashreplace").decode()
        return Place(f"request {asked} {when}", at | {"request": asked, "node": move.node})
    if isinstance(move, ReportMove):
        return Place(f"report on {move.key} {when}", at | {"report": move.key, "node": move.node})
    return Place(f"bulk() block {when}", at)


class Comparison:
    """Compares the moves of two runs one by one. A clock that is off is named once, where it goes off."""

    def __init__(self) -> None:
        self._off_ms = 0

    def differences(self, expected: Move, got: Move, place: Place, cause: str = "") -> Iterator[Divergence]:
        """Every difference in one move; `cause` is what a bug in `got` said, for whoever looks for it."""
        off_ms = parse_instant(got.now, "now") - parse_instant(expected.now, "now")
        was_off_ms, self._off_ms = self._off_ms, off_ms
        if off_ms not in (0, was_off_ms):
            yield place.divergence("clock", "the clock after it", expected.now, got.now)
        yield from _endings(expected, got, place, cause)
        yield from _rows(expected.records, got.records, place)
        if expected.error is not None or got.error is not None:
            return
        if isinstance(expected, CallMove) and isinstance(got, CallMove):
            yield from _results(expected, got, place)
        elif isinstance(expected, RequestMove) and isinstance(got, RequestMove):
            yield from _responses(expected.response, got.response, place)
        elif isinstance(expected, AdvanceMove) and isinstance(got, AdvanceMove) and expected.events != got.events:
            yield place.divergence("events", "events that came due", expected.events, got.events)


# How it ended.


def _endings(expected: Move, got: Move, place: Place, cause: str) -> Iterator[Divergence]:
    if (expected.error is None) != (got.error is None):
        yield place.divergence("ending", "its end", _ending(expected), _ending(got), note=cause)
    elif expected.error is not None and got.error is not None:
        for path, one, other in json_differences(expected.error.model_dump(), got.error.model_dump()):
            yield place.divergence("error", f"error {path}", one, other, note=cause, path=path)


def _ending(move: Move) -> dict[str, Any]:
    if move.error is not None:
        return {"error": move.error.model_dump()}
    if isinstance(move, CallMove):
        return {"result": move.result} if move.result_digest is None else {"result": move.result_digest.model_dump()}
    if isinstance(move, RequestMove) and move.response is not None:
        return {"status": move.response.status}
    return {"error": None}


# What it changed.


def _rows(expected: list[Record], got: list[Record], place: Place) -> list[Divergence]:
    """Differences row by row; a row of another key in the place of one that is missing counts as that row."""
    ours, theirs = _by_identity(expected), _by_identity(got)
    extra = {identity: record for identity, record in theirs.items() if identity not in ours}
    found: list[Divergence] = []
    for identity, record in ours.items():
        at = _of_row(record, place)
        other = theirs.get(identity) or _stand_in(record, extra)
        found += [at.divergence("row", "", _written(record), MISSING)] if other is None else _cells(record, other, at)
    found += [_of_row(record, place).divergence("row", "", MISSING, _written(record)) for record in extra.values()]
    if not found and list(ours) != list(theirs):
        found.append(place.divergence("order", "the order of its change records", _listed(expected), _listed(got)))
    return found


_Identity = tuple[str, str, str, bytes, int]


def _by_identity(records: Iterable[Record]) -> dict[_Identity, Record]:
    """Records by what they are about; one row may be written by several events of one move."""
    found: dict[_Identity, Record] = {}
    for record in records:
        about = record.by, record.world, record.table, orjson.dumps(record.key)
        time = 0
        while (*about, time) in found:
            time += 1
        found[(*about, time)] = record
    return found


def _stand_in(record: Record, extra: dict[_Identity, Record]) -> Record | None:
    """A record that differs in its key and is otherwise of the same kind, taken out of what is left over."""
    for identity, other in extra.items():
        if (other.by, other.world, other.table, other.op) == (record.by, record.world, record.table, record.op):
            return extra.pop(identity)
    return None


def _cells(expected: Record, got: Record, place: Place) -> Iterator[Divergence]:
    if expected.op != got.op:
        yield place.divergence("row", "", _written(expected), _written(got))
        return
    keys = list(_columns(expected.key, got.key))
    for column, one, other in keys:
        yield place.divergence("cell", column, one, other, column=column, side="key")
    for side, words in (("before", " before it"), ("after", "")):
        for column, one, other in _columns(getattr(expected, side), getattr(got, side)):
            if all(column != each for each, _, _ in keys):  # a row has its key in it
                yield place.divergence("cell", f"{column}{words}", one, other, column=column, side=side)


def _columns(expected: dict[str, Any] | None, got: dict[str, Any] | None) -> Iterator[tuple[str, Any, Any]]:
    for column in {**(expected or {}), **(got or {})}:
        one, other = (expected or {}).get(column, MISSING), (got or {}).get(column, MISSING)
        if not is_same(one, other):
            yield column, one, other


def _of_row(record: Record, place: Place) -> Place:
    key = ", ".join(f"{column}={orjson.dumps(value).decode()}" for column, value in record.key.items())
    by = "" if record.by == "agent" else f" by {record.by}"
    return place.within(
        f"{record.world}.{record.table} {key}{by}", node=record.world, table=record.table, key=record.key
    )


def _written(record: Record) -> dict[str, Any]:
    return {"op": record.op, "before": record.before, "after": record.after}


def _listed(records: Iterable[Record]) -> list[str]:
    return [f"{record.op} {record.world}.{record.table} {orjson.dumps(record.key).decode()}" for record in records]


# What it answered.


def _results(expected: CallMove, got: CallMove, place: Place) -> Iterator[Divergence]:
    if expected.result_digest is None and got.result_digest is None:
        for path, one, other in json_differences(expected.result, got.result):
            yield place.divergence("result", f"result {path}", one, other, path=path)
        return
    one, other = (move.result_digest or _digest(orjson.dumps(move.result)) for move in (expected, got))
    if one != other:
        yield place.divergence("result", "result", one.model_dump(), other.model_dump(), note=_NOT_KEPT)


def _digest(text: bytes) -> DigestOf:
    return DigestOf(**Digest.of(text).as_dict())


def _responses(expected: Response | None, got: Response | None, place: Place) -> Iterator[Divergence]:
    assert expected is not None
    assert got is not None
    if expected.status != got.status:
        yield place.divergence("response", "status", expected.status, got.status)
    for path, one, other in json_differences(expected.headers, got.headers):
        yield place.divergence("response", f"headers {path}", one, other, path=path)
    if expected.body_digest is None and got.body_digest is None:
        for path, one, other in json_differences(*_read_alike(expected.body, got.body)):
            yield place.divergence("response", f"body {path}", one, other, path=path)
        return
    one, other = (answer.body_digest or _digest(_bytes(answer.body)) for answer in (expected, got))
    if one != other:
        yield place.divergence("response", "body", one.model_dump(), other.model_dump(), note=_NOT_KEPT)


def _read_alike(expected: Any, got: Any) -> tuple[Any, Any]:
    """Two bodies as JSON where that tells them apart, else as they are."""
    try:
        one, other = orjson.loads(_bytes(expected)), orjson.loads(_bytes(got))
    except orjson.JSONDecodeError:
        return expected, got
    return (one, other) if any(json_differences(one, other)) else (expected, got)


def _bytes(body: Any) -> bytes:
    read = unspell(body)
    return read.encode() if isinstance(read, str) else read
