"""How is a difference between two runs named, for a reader and for a program?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from worlds.engine.results import step

#: As much of a value is shown.
_WIDTH = 120


class _Missing:
    def __repr__(self) -> str:
        return "nothing"


#: Stands for a value that one side has not.
MISSING: Any = _Missing()


@dataclass(frozen=True, slots=True)
class Divergence:
    """One difference: what differs, where, and both values as JSON has them.

    `kind` is "world", "version", "composition", "schema", "fixture", "tool", "refused", "clock", "ending", "error",
    "row", "cell", "order", "events", "result" or "response".
    """

    kind: str
    #: The place in words: 'call 3 (change_box): main.boxes id="box_1": price'.
    place: str
    expected: Any
    got: Any
    #: The place for a program, what applies of: move, call, tool, node, table, key, column, side, path.
    at: dict[str, Any] = field(default_factory=dict)
    note: str = ""

    def __str__(self) -> str:
        expected, got = self.sides()
        return f"{self.place}: expected {expected}, got {got}{f' ({self.note})' if self.note else ''}"

    def sides(self) -> tuple[str, str]:
        """Both values as text, cut so that what tells them apart is in view."""
        return _apart(self.expected, self.got)

    def with_note(self, note: str) -> Divergence:
        """The same with a note added, unless that is empty."""
        return replace(self, note="; ".join(filter(None, (self.note, note))))

    def as_dict(self) -> dict[str, Any]:
        """{"kind", …the place, "expected", "got", "text"}; a value that one side has not is left out."""
        sides = {"expected": self.expected, "got": self.got}
        values = {name: value for name, value in sides.items() if value is not MISSING}
        return {"kind": self.kind, **self.at, **values, "text": str(self)}


@dataclass(frozen=True, slots=True)
class Place:
    """Where in an episode, in words and for a program."""

    words: str
    at: dict[str, Any]

    def within(self, words: str, **at: Any) -> Place:
        return Place(f"{self.words}: {words}", self.at | at)

    def divergence(self, kind: str, words: str, expected: Any, got: Any, *, note: str = "", **at: Any) -> Divergence:
        """A difference at this place, or at one inside it that `words` and `at` name."""
        return Divergence(kind, f"{self.words}: {words}" if words else self.words, expected, got, self.at | at, note)


def is_same(one: Any, other: Any) -> bool:
    """Are two values of JSON the same text? 1, 1.0 and true are three."""
    return type(one) is type(other) and one == other and (one != 0 or repr(one) == repr(other))


def json_differences(expected: Any, got: Any, path: str = "$") -> Iterator[tuple[str, Any, Any]]:
    """Every difference between two values of JSON: its path, as in `$.items[3].owner`, and both values.

    The order of an object's keys is one, since it is what the agent reads.
    """
    if isinstance(expected, dict) and isinstance(got, dict):
        for name in {**expected, **got}:
            one, other = expected.get(name, MISSING), got.get(name, MISSING)
            yield from json_differences(one, other, path + step(name))
        if expected.keys() == got.keys() and list(expected) != list(got):
            yield f"{path} (order of keys)", list(expected), list(got)
    elif isinstance(expected, list) and isinstance(got, list):
        for index in range(max(len(expected), len(got))):
            one, other = (side[index] if index < len(side) else MISSING for side in (expected, got))
            yield from json_differences(one, other, path + step(index))
    elif not is_same(expected, got):
        yield path, expected, got


def _apart(expected: Any, got: Any) -> tuple[str, str]:
    """Two values as text, cut so that what tells them apart is in view."""
    one, other = (repr(value) if value is MISSING else orjson.dumps(value).decode() for value in (expected, got))
    if MISSING in (expected, got):
        return _around(one, 0), _around(other, 0)
    alike = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return _around(one, alike), _around(other, alike)


def _around(text: str, place: int) -> str:
    """A piece of a text with a place in it."""
    begin = max(0, min(place - _WIDTH // 3, len(text) - _WIDTH))
    end = begin + _WIDTH
    return f"{'…' if begin else ''}{text[begin:end]}{'…' if end < len(text) else ''}"
