"""What has Stripe published about its API: every operation, and the shape of every object?

Files of one JSON row a line, made by `manage.py stripe_facts` from the published OpenAPI document. What only the SDKs'
typings tell of stands in files of its own: v2 and the newest operations in `sdk_*.jsonl`, parameters that take more
than the document says in `amendments.jsonl`. A shape is

    "s" "s512"     text, of at most so many characters     "i" "n" "b"    a whole number, a number, true or false
    "ts"           an instant, in seconds since 1970       "dec"          a decimal number as text
    "cur" "bin"    a currency's code, a file               "any"          anything
    "@customer"    an object of that name                  "#12"          row 12 of types.jsonl
    ["null", x]    x or null          ["enum", [words]]    ["array", x]   ["map", x]   by any key
    ["object", {field: x}, [required]]                     ["any_of", [x, …]]
    ["clearable", x]  x, or "" to clear it                 ["ref", [names]]  an id, or the object when expanded
    ["list", x, url]  a page of x in its envelope
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
#: The version these facts are of, and the one the world answers in.
VERSION = "2026-08-26.dahlia"
Shape = Any


@dataclass(frozen=True, slots=True)
class Operation:
    """One published operation. `answer` names the object it answers, {"list": name}, or several names."""

    id: str
    method: str
    path: str
    query: dict[str, Shape] = field(default_factory=dict)
    body: dict[str, Shape] = field(default_factory=dict)
    query_required: tuple[str, ...] = ()
    body_required: tuple[str, ...] = ()
    answer: Any = None

    @property
    def is_v2(self) -> bool:
        """Does it speak the second form of the API: JSON, and times as text?"""
        return self.path.startswith("/v2/")


@dataclass(frozen=True, slots=True)
class ObjectShape:
    """One published object. Fields in `optional` may be missing; `one_of` is set for a choice of several objects."""

    name: str
    fields: dict[str, Shape] = field(default_factory=dict)
    optional: frozenset[str] = frozenset()
    expandable: frozenset[str] = frozenset()
    one_of: tuple[str, ...] = ()


def _rows(name: str) -> list[Any]:
    with (HERE / name).open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@functools.cache
def operations() -> dict[str, Operation]:
    """Every operation by its id."""
    found = {}
    amended = {row["id"]: row["body"] for row in _rows("amendments.jsonl")}
    for row in (*_rows("operations.jsonl"), *_rows("sdk_operations.jsonl")):
        for key in ("query_required", "body_required"):
            row[key] = tuple(row.get(key, ()))
        row.get("body", {}).update(amended.get(row["id"], {}))
        found[row["id"]] = Operation(**row)
    _accept_cards(found)
    return found


def _accept_cards(found: dict[str, Operation]) -> None:
    """Let `payment_method_data` be a card, which the API takes though the document leaves it out."""
    card = found["PostPaymentMethods"].body["card"]
    for operation in found.values():
        shape = resolved(operation.body.get("payment_method_data"))
        if shape is None or "type" not in shape[1] or "card" in shape[1]:
            continue
        shape[1]["card"] = card
        words = resolved(shape[1]["type"])[1]
        if "card" not in words:
            words.append("card")


@functools.cache
def published() -> tuple[str, ...]:
    """The ids of the operations of the OpenAPI document, in its order; the others are known from the SDKs alone."""
    return tuple(row["id"] for row in _rows("operations.jsonl"))


@functools.cache
def types() -> list[Shape]:
    """Shapes that occur more than once."""
    return _rows("types.jsonl")


@functools.cache
def objects() -> dict[str, ObjectShape]:
    """Every object by its name."""
    return {
        row["name"]: ObjectShape(
            row["name"],
            row.get("fields", {}),
            frozenset(row.get("fields", ()) if row.get("optional") == "*" else row.get("optional", ())),
            frozenset(row.get("expandable", ())),
            tuple(row.get("one_of", ())),
        )
        for row in (*_rows("objects.jsonl"), *_rows("sdk_objects.jsonl"))
    }


def resolved(shape: Shape) -> Shape:
    """A shape with "#n" looked up; what it holds may still be "#n"."""
    while isinstance(shape, str) and shape.startswith("#"):
        shape = types()[int(shape[1:])]
    return shape
