"""Where do two runs go different ways, move by move, and in what came of them?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any

import orjson

from console.runs.lines import span
from worlds.engine.comparing import Comparison, Place, place_of
from worlds.engine.diff import Diff
from worlds.engine.differing import Divergence, json_differences
from worlds.engine.episode_documents import AdvanceMove, CallMove, EpisodeDocument, Move, ReportMove, RequestMove
from worlds.engine.spelling import unspell

#: Of one pair of moves, so many differences are shown; of all outcomes, so many lines.
MOST_SHOWN, MOST_OUTCOMES = 12, 200
#: Runs that differ for longer are set side by side by number alone.
MOST_ALIGNED = 2_000_000
#: Outcomes of more rows are not compared: naming every new row takes too long for a page.
MOST_ROWS = 20_000
_BRIEF = 240


@dataclass(slots=True)
class Side:
    """One move of one run."""

    number: int
    #: Its ordinal, of a call.
    call: int | None
    title: str
    said: str
    answer: str
    has_failed: bool
    rows: int


@dataclass(slots=True)
class Pair:
    """Two moves side by side, or one that has no counterpart."""

    one: Side | None
    other: Side | None
    differences: list[Divergence] = field(default_factory=list)
    #: What differs, in words: "arguments", "result", "rows", …
    kinds: list[str] = field(default_factory=list)
    more: int = 0

    @property
    def is_same(self) -> bool:
        return not self.kinds


@dataclass(slots=True)
class Contrast:
    """Two runs compared."""

    pairs: list[Pair]
    #: How each began, where it matters: (what, the one, the other).
    beginnings: list[tuple[str, str, str]]
    #: What only one run has in the end: {"side", "op", "world", "table", "key", "before", "after"}.
    outcomes: list[dict[str, Any]]
    outcome_count: int
    #: Why outcomes were not compared.
    no_outcomes: str = ""

    @property
    def first(self) -> int | None:
        """Where they first differ."""
        return next((place for place, pair in enumerate(self.pairs) if not pair.is_same), None)

    @property
    def differing(self) -> int:
        return sum(not pair.is_same for pair in self.pairs)


_KINDS = {
    "row": "rows", "cell": "rows", "order": "rows", "ending": "end", "response": "result", "events": "result",
}  # fmt: skip


def contrast(one: EpisodeDocument, other: EpisodeDocument) -> Contrast:
    """Compare two episodes. Not for an event loop: they may be long."""
    comparison = Comparison()
    pairs = [_pair(a, b, one, other, comparison) for a, b in _aligned(one.moves, other.moves)]
    calls = list(_beginnings(one, other))
    outcomes, count, reason = _outcomes(one, other)
    return Contrast(pairs, calls, outcomes, count, reason)


# Which move belongs to which.


def _aligned(ours: Sequence[Move], theirs: Sequence[Move]) -> Iterator[tuple[int | None, int | None]]:
    """Pairs of numbers, None where the other run has nothing like it."""
    one, other = [_gist(move) for move in ours], [_gist(move) for move in theirs]
    alike = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    yield from ((number, number) for number in range(alike))
    rest = len(one) - alike, len(other) - alike
    if rest[0] * rest[1] > MOST_ALIGNED:
        yield from zip_longest(range(alike, len(one)), range(alike, len(other)))
        return
    matcher = SequenceMatcher(None, one[alike:], other[alike:], autojunk=False)
    for _, a, b, c, d in matcher.get_opcodes():
        yield from zip_longest(range(alike + a, alike + b), range(alike + c, alike + d))


def _gist(move: Move) -> bytes:
    """What was done, whatever came of it."""
    return orjson.dumps((move.kind, _title(move), _given(move)), default=repr)


def _given(move: Move) -> Any:
    match move:
        case CallMove():
            return move.arguments
        case RequestMove():
            return [move.query, move.body]
        case ReportMove():
            return move.outcome
    return None


def _title(move: Move) -> str:
    match move:
        case CallMove(tool=tool):
            return tool
        case AdvanceMove(ms=ms):
            return f"the clock moved {span(ms)}"
        case RequestMove():
            return f"{unspell(move.method)} {unspell(move.path)}".encode(errors="backslashreplace").decode()
        case ReportMove(key=key):
            return f"told of {key}"
    return f"rows written by {move.by}"


# What differs in a pair.


def _pair(a: int | None, b: int | None, one: EpisodeDocument, other: EpisodeDocument, comparison: Comparison) -> Pair:
    ours = None if a is None else one.moves[a]
    theirs = None if b is None else other.moves[b]
    pair = Pair(_side(a, ours), _side(b, theirs))
    if ours is None or theirs is None:
        pair.kinds = ["only in the first" if theirs is None else "only in the second"]
        return pair
    if (ours.kind, _title(ours)) != (theirs.kind, _title(theirs)):
        pair.kinds = ["another move"]
        return pair
    place = Place("", place_of(ours, pair.one.number if pair.one else 0, 0).at)
    found = [*_arguments(ours, theirs, place), *_of_results(comparison, ours, theirs, place)]
    found = [replace(each, place=each.place.removeprefix(": ")) for each in found]
    pair.kinds = list(dict.fromkeys(_KINDS.get(each.kind, each.kind) for each in found))
    pair.differences, pair.more = found[:MOST_SHOWN], max(0, len(found) - MOST_SHOWN)
    return pair


def _of_results(comparison: Comparison, ours: Move, theirs: Move, place: Place) -> list[Divergence]:
    return list(comparison.differences(ours, theirs, place))


def _arguments(ours: Move, theirs: Move, place: Place) -> Iterator[Divergence]:
    for path, one, other in json_differences(_given(ours), _given(theirs)):
        yield Divergence("arguments", f"arguments {path}", one, other, place.at)


def _side(number: int | None, move: Move | None) -> Side | None:
    if number is None or move is None:
        return None
    given = _given(move)
    return Side(
        number,
        move.i if isinstance(move, CallMove) else None,
        _title(move),
        "" if given is None else _brief(given),
        _answer(move),
        move.error is not None,
        len(move.records),
    )


def _answer(move: Move) -> str:
    if move.error is not None:
        return f"{move.error.code}: {move.error.message}"[:_BRIEF]
    match move:
        case CallMove(result_digest=None):
            return _brief(move.result)
        case CallMove(result_digest=digest) if digest is not None:
            return f"{digest.bytes:,} bytes"
        case RequestMove(response=response) if response is not None:
            return f"{response.status} {_brief(response.body)}"
    return ""


def _brief(value: Any) -> str:
    text = orjson.dumps(value, default=repr).decode()
    return text if len(text) <= _BRIEF else f"{text[:_BRIEF]}…"


# How they began, and what came of them.


def _beginnings(one: EpisodeDocument, other: EpisodeDocument) -> Iterator[tuple[str, str, str]]:
    def of(document: EpisodeDocument) -> dict[str, str]:
        return {
            "World": f"{document.world.name} {document.world.version}",
            "Fixture": document.fixture.id if document.fixture else "blank",
            "Seed": "drawn" if document.seed is None else str(document.seed),
            "Clock": f"{document.start.now} {document.clock_mode}",
            "Startup": _brief(document.startup) if document.startup else "none",
            "Setup SQL": document.setup_sql or "none",
        }

    ours, theirs = of(one), of(other)
    for name, value in ours.items():
        if (value, theirs[name]) != ("none", "none"):
            yield name, value, theirs[name]


def _outcomes(one: EpisodeDocument, other: EpisodeDocument) -> tuple[list[dict[str, Any]], int, str]:
    ours, theirs = _diff(one), _diff(other)
    if max(len(ours), len(theirs)) > MOST_ROWS:
        reason = f"the runs changed {len(ours):,} and {len(theirs):,} rows, and up to {MOST_ROWS:,} are compared"
        return [], 0, reason
    lines = ours.outcome_differences(theirs)
    found = []
    for line in lines[:MOST_OUTCOMES]:
        side, _, text = line.partition(": ")
        found.append({"side": side, **orjson.loads(text)})
    return found, len(lines), ""


def _diff(document: EpisodeDocument) -> Diff:
    worlds = {path: node.world for path, node in document.composition.items()}
    return Diff([vars(record) for move in document.moves for record in move.records], worlds)
