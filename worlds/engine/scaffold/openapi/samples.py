"""Which values does a row have that stands for others in a fixture or a test?"""

from __future__ import annotations

import re
from typing import Any

from worlds.engine.scaffold.openapi.schemas import LEAST, MOST, Shape
from worlds.engine.scaffold.openapi.words import words

#: Texts that patterns are tried with.
TRIED = (
    "a1", "A1", "12", "123", "1234", "12345", "123456", "1234567890", "AB", "EUR", "en", "en-US", "AB-12", "AB12",
    "ABC123", "abc", "abc-def", "abc_def", "a.b", "1.0", "1.0.0", "12.50", "#aabbcc", "+491234567", "2026-06-01",
    "09:00", "2026-06-01T09:00:00Z", "ada@example.com", "https://example.com", "/path", "id_1234567890abcdef",
    "Ada Lovelace", "00000000-0000-4000-8000-000000000001", "0123456789abcdef0123456789abcdef", "A", "a", "1", "",
)  # fmt: skip
_PEOPLE = ("Ada Lovelace", "Grace Hopper", "Alan Turing", "Katherine Johnson", "Edsger Dijkstra")


def sample(wire: str, shape: Shape, noun: str, number: int) -> Any:
    """A value that a schema takes, another for each number where there are others; None where none is known."""
    if shape.enum:
        return shape.enum[(number - 1) % len(shape.enum)]
    match shape.kind:
        case "integer" | "number":
            return _number(shape, number)
        case "boolean":
            return number % 2 == 1
        case "datetime":
            return f"2026-05-{number % 28 + 1:02}T09:00:00Z"
        case "date":
            return f"2026-05-{number % 28 + 1:02}"
        case "array":
            inner = sample(wire, shape.element, noun, number) if shape.element else {}
            return [] if inner is None else [inner] * max(shape.min_length or 0, 1 if shape.max_length != 0 else 0)
        case "object" | "any":
            return {}
    return _text(wire, shape, noun, number)


def _number(shape: Shape, number: int) -> int | float | None:
    least = LEAST if shape.least is None else shape.least
    most = MOST if shape.most is None else shape.most
    value: float = number if least <= number <= most else least if shape.least is not None else most
    if shape.is_above and value <= least:
        value = least + (1 if shape.kind == "integer" else (min(most, least + 1) - least) / 2)
    if shape.is_below and value >= most:
        value = most - (1 if shape.kind == "integer" else (most - max(least, most - 1)) / 2)
    whole = int(value) if shape.kind == "integer" else float(value)
    return whole if least <= whole <= most else None


def _text(wire: str, shape: Shape, noun: str, number: int) -> str | None:
    if shape.kind == "uuid":
        return f"00000000-0000-4000-8000-{number:012}"
    first = _PEOPLE[(number - 1) % len(_PEOPLE)].split()[0].lower()
    tail = words(wire)[-1] if words(wire) else ""
    wished = {
        "email": f"{first}{number}@example.com",
        "uri": f"https://example.com/{number}",
    }.get(shape.kind, f"{noun.replace('_', ' ').capitalize()} {number}")
    if shape.kind == "text" and tail in ("email", "mail"):
        wished = f"{first}{number}@example.com"
    if shape.kind == "text" and tail in ("description", "note", "text", "comment", "body"):
        wished = f"What there is to say of {noun.replace('_', ' ')} {number}."
    examples = [shape.example] if isinstance(shape.example, str) else []
    for value in (*(() if shape.pattern is None else examples), wished, *examples, *TRIED):
        fitted = _fitted(value, shape)
        if fitted is not None:
            return fitted
    return None


def _fitted(value: str, shape: Shape) -> str | None:
    if shape.kind == "text" and shape.pattern is None:
        value = value.ljust(shape.min_length or 0, "x")
        if shape.max_length is not None and len(value) > shape.max_length:
            value = value.replace(" ", "")[-shape.max_length :] if shape.max_length else ""
    if len(value) < (shape.min_length or 0) or (shape.max_length is not None and len(value) > shape.max_length):
        return None
    if not value.isprintable():
        return None
    return value if shape.pattern is None or re.search(shape.pattern, value) else None
