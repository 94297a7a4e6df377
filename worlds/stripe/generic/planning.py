"""What kind of thing does an operation do, and to what? Read off its path and its answer."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, Literal

from worlds.stripe import facts
from worlds.stripe.generic.forming import choices

Kind = Literal["create", "retrieve", "update", "list", "delete", "act", "read_one", "change_one"]


@dataclass(frozen=True, slots=True)
class Place:
    """A placeholder of a path, and the objects whose id may stand there."""

    name: str
    objects: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """An operation understood: `names` are the objects it may answer, `above` the places before its own.

    Shape: `target` is the place of the object it is about, None where it makes or lists; `verb` the words after it.
    """

    kind: Kind
    names: tuple[str, ...]
    above: tuple[Place, ...] = ()
    target: Place | None = None
    verb: str = ""


@functools.cache
def plan_of(id: str) -> Plan:
    """The plan of a published operation."""
    operation = facts.operations()[id]
    parts = operation.path.strip("/").split("/")
    places = [_place(parts, at) for at, part in enumerate(parts) if part.startswith("{")]
    names = _answered(operation)
    if names == ("v2.deleted_object",):
        names = places[-1].objects
    if isinstance(operation.answer, dict):
        return Plan("list", names, tuple(places), verb=parts[-1])
    if parts[-1].startswith("{"):
        kind: Kind = {"GET": "retrieve", "DELETE": "delete"}.get(operation.method, "update")  # type: ignore[assignment]
        return Plan(kind, names or places[-1].objects, tuple(places[:-1]), places[-1])
    if operation.method == "DELETE":
        return Plan("delete", names, tuple(places), verb=parts[-1])
    if operation.method == "GET":
        return Plan("read_one", names, tuple(places), verb=parts[-1])
    return _posted(parts, places, names)


def _posted(parts: list[str], places: list[Place], names: tuple[str, ...]) -> Plan:
    if places and set(names) & set(places[-1].objects):
        last = max(at for at, part in enumerate(parts) if part.startswith("{"))
        return Plan("act", names, tuple(places[:-1]), places[-1], "/".join(parts[last + 1 :]))
    if "/" + "/".join(parts) in _read_alone():
        return Plan("change_one", names, tuple(places), verb=parts[-1])
    return Plan("create", names, tuple(places), verb=parts[-1])


@functools.cache
def _read_alone() -> frozenset[str]:
    """The paths of what there is one of: they answer a single object without an id."""
    return frozenset(
        operation.path
        for operation in facts.operations().values()
        if operation.method == "GET" and not isinstance(operation.answer, dict) and not operation.path.endswith("}")
    )


def _answered(operation: facts.Operation) -> tuple[str, ...]:
    """The objects an operation may answer, what is deleted under its own name."""
    answer: Any = operation.answer
    if isinstance(answer, dict):
        (answer,) = answer.values()
    found: dict[str, None] = {}
    for name in answer if isinstance(answer, list) else [answer]:
        if name in facts.objects():
            found.update(dict.fromkeys(each.removeprefix("deleted_") for each in choices(name)))
    return tuple(found)


def _place(parts: list[str], at: int) -> Place:
    """The placeholder at a part of a path, with what the path up to it leads to."""
    shape = tuple("{}" if part.startswith("{") else part for part in parts[: at + 1])
    without_help = tuple(part for part in shape if part != "test_helpers")
    return Place(parts[at][1:-1], _led_to().get(shape) or _led_to().get(without_help) or ())


@functools.cache
def _led_to() -> dict[tuple[str, ...], tuple[str, ...]]:
    """What each path that ends in a placeholder leads to: what it answers, best by GET."""
    found: dict[tuple[str, ...], tuple[str, ...]] = {}
    order = {"DELETE": 0, "POST": 1, "GET": 2}
    for operation in sorted(facts.operations().values(), key=lambda each: order[each.method]):
        parts = operation.path.strip("/").split("/")
        names = _answered(operation)
        if parts[-1].startswith("{") and names and names != ("v2.deleted_object",):
            shape = tuple("{}" if part.startswith("{") else part for part in parts)
            found[shape] = tuple(dict.fromkeys(names))
    return found
