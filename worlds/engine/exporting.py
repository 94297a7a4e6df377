"""What is written down of an episode, to begin it again and to see whether it goes the same way?

The episode document: the state document's envelope, how the instance started, and every move with what came of it.
"""

from __future__ import annotations

import platform
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import apsw
import django
import orjson

from worlds.engine import spelling, state
from worlds.engine.calls import INTERNAL, CallRecord
from worlds.engine.clock import REPLAYING, iso
from worlds.engine.errors import WorldBug
from worlds.engine.exchange import HttpRequest
from worlds.engine.moves import Advance, Between, Bulk, Report, Request

FORMAT = "seahaven.episode/1"
#: The code of a failure that is no refusal.
INTERNAL_CODE = "internal_error"


class Reached(NamedTuple):
    """A point of a run: how many there were of each."""

    calls: int = 0
    between: int = 0
    records: int = 0


START = Reached()


def render(inst: Any, at: Any) -> bytes:
    """The episode document as JSON.

    Raises: WorldBug for an instance that began with fixtures of the worlds it embeds, as a recipe's may.
    """
    if at.base.fixture is None and at.base.now_ms is not None:
        raise WorldBug(
            "this instance began with fixtures of the worlds it embeds, which no document names; freeze() it, and "
            "begin the episode from that fixture"
        )
    made = list(_walk(at, START))
    reach, then = reach_of(inst.clock.mode, (kind for kind, _ in made))
    head = state.envelope(inst, FORMAT) | {
        "start": {
            "now": iso(at.clock.position()[0]),
            "state_format": inst.state_format,
            "draws_as": inst.start.drawing_as or inst.world.name,
        },
        "made_with": made_with(),
        "replays": {"moves": reach, "then": then},
    }
    return orjson.dumps(head)[:-1] + b',"moves":[' + b",".join(text for _, text in made) + b"]}"


def made_with() -> dict[str, str]:
    """What a run depends on beside the worlds."""
    return {"python": platform.python_version(), "django": django.get_version(), "sqlite": apsw.sqlite_lib_version()}


def reach_of(clock_mode: str, kinds: Iterable[str]) -> tuple[int, str | None]:
    """How many moves a replay can make, and what it cannot get past, with the fix; None when it makes all."""
    if clock_mode not in REPLAYING:
        return 0, f"a {clock_mode} clock does not replay; record with clock_mode tick or fixed"
    count = 0
    for kind in kinds:
        if kind == "bulk":
            return count, (
                f"move {count} is a bulk() block, whose code no document holds; freeze() the instance after such a "
                f"block, and begin the episode from that fixture"
            )
        count += 1
    return count, None


def moves(at: Any, since: Reached = START) -> Iterator[bytes]:
    """Every move after a point, in order, as JSON."""
    return (text for _, text in _walk(at, since))


def _walk(at: Any, since: Reached) -> Iterator[tuple[str, bytes]]:
    """The kind of every move after a point, and its JSON."""
    log = at.log
    between: deque[Between] = deque(at.between[since.between :])
    done, end = since.records, len(log.records)
    for ordinal in range(since.calls, len(at.calls) + 1):
        while between and between[0].calls <= ordinal:
            move = between.popleft()
            yield _between(move, log.records[done : move.records])
            done = move.records
        if ordinal < len(at.calls):
            last = done
            while last < end and log.calls[last] == ordinal:
                last += 1
            yield "call", _call(ordinal, at.calls[ordinal], log.records[done:last])
            done = last


def _call(ordinal: int, record: CallRecord, records: list[bytes]) -> bytes:
    move: dict[str, Any] = {"i": ordinal, "tool": record.tool, "arguments": orjson.Fragment(record.arguments)}
    if record.given is not None:
        move["given"] = spelling.spell(record.given)
    if _has_failed(record):
        move["error"] = _failure(record)
    elif record.result is not None:
        move["result"] = orjson.Fragment(record.result)
    elif record.digest is not None:
        move["result_digest"] = record.digest.as_dict()
    return _move("call", move, record, records)


def _between(move: Between, records: list[bytes]) -> tuple[str, bytes]:
    kind, about = "bulk", dict[str, Any]()
    if isinstance(move, Advance):
        kind, about = "advance", {"ms": move.ms, "events": move.events}
    elif isinstance(move, Request):
        kind, about = "request", _request(move.node, move.request) | _response(move)
    elif isinstance(move, Report):
        kind, about = "report", {"node": move.node, "key": move.key, "outcome": move.outcome}
    elif isinstance(move, Bulk):
        about = {"by": move.by}
    if _has_failed(move):
        about["error"] = _failure(move)
    return kind, _move(kind, about, move, records)


def _move(kind: str, about: dict[str, Any], move: CallRecord | Between, records: list[bytes]) -> bytes:
    changed = orjson.Fragment(b"[" + b",".join(records) + b"]")
    return orjson.dumps({"kind": kind, **about, "now": iso(move.now_ms), "records": changed})


def _request(node: str, request: HttpRequest) -> dict[str, Any]:
    return {
        "node": node,
        "method": spelling.spell(request.method),
        "path": spelling.spell(request.path),
        "query": spelling.spell(request.query),
        "headers": spelling.spell([list(pair) for pair in request.headers]),
        "body": _body(request.body),
    }


def _response(move: Request) -> dict[str, Any]:
    if move.response is None:
        return {}
    answer: dict[str, Any] = {
        "status": move.response.status,
        "headers": spelling.spell([list(pair) for pair in move.response.headers]),
    }
    if move.digest is None:
        answer["body"] = _body(move.response.body)
    else:
        answer["body_digest"] = move.digest.as_dict()
    return {"response": answer}


def _body(body: bytes) -> Any:
    """Text where it is text."""
    try:
        return body.decode()
    except UnicodeDecodeError:
        return spelling.spell(body)


def _has_failed(move: CallRecord | Between) -> bool:
    return move.error is not None or move.tool_error is not None  # a refusal may have no words


def _failure(move: CallRecord | Between) -> orjson.Fragment:
    """What the agent saw."""
    seen = move.tool_error or {"code": INTERNAL_CODE, "message": INTERNAL, "details": {}}
    return orjson.Fragment(spelling.lossy(seen))
