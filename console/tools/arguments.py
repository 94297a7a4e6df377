"""How are a tool's arguments written into a form, and read out of it again?

`written` makes of arguments what a browser would send, a form shows that and `read` reads it, so that what was typed is
never lost: not by a mistake in one field, and not by a switch to JSON and back. A value that its field cannot carry,
of another type or with a line end no form keeps, stands there as JSON.

Names: a field is called by its place, "/to/0/address"; "?" at its end says how it is filled in, "|1" which way of a
union was taken.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from console.tools.shapes import MISSING, Shape, json_text

#: What a browser sends: every value of every name.
Sent = Mapping[str, list[str]]

#: How a field may be filled in besides "": send what is empty too, send null, read what is typed as JSON.
EMPTY, NULL, JSON = "empty", "null", "json"
#: A list of more than so many is written as JSON: a server takes no more than a thousand fields.
MOST_ROWS = 60
#: So many options or fewer of a list are ticked.
MOST_BOXES = 12
OTHERS = "*"
EMPTY_WORDS = {"text": "empty text", "list": "empty list", "object": "empty object"}


class Wrong(Exception):
    """What is wrong with a field, in words for whoever typed it."""


def arguments_in(text: str) -> dict[str, Any]:
    """The arguments that a JSON text is.

    Raises: Wrong.
    """
    found = _json(text.strip() or "{}")
    if not isinstance(found, dict):
        raise Wrong('Arguments are an object, such as {"email": "ada@example.com"}.')
    return found


def _json(text: str) -> Any:
    try:
        found = json.loads(text, parse_constant=_refuse_constant)
        if "\\u" in text:
            json.dumps(found, ensure_ascii=False).encode()
        return found
    except UnicodeEncodeError:
        raise Wrong("No JSON: one of its \\u… is half a character, and the other half is missing.") from None
    except RecursionError:
        raise Wrong("No JSON: it is nested too deeply.") from None
    except ValueError as error:
        raise Wrong(f"No JSON: {error}.") from None


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"JSON has no {name}")


# From arguments to what a browser sends.


def written(shape: Shape, arguments: dict[str, Any]) -> dict[str, list[str]]:
    """What a browser sends for a form in which these arguments stand."""
    sent: dict[str, list[str]] = {}
    _write_members(shape, arguments, "", sent)
    return sent


def _write(shape: Shape, value: Any, name: str, sent: dict[str, list[str]]) -> None:
    if value is None and shape.is_nullable:
        sent[f"{name}?"] = [NULL]
    elif not _carries(shape, value):
        sent[f"{name}?"], sent[name] = [JSON], [json_text(value)]
    elif shape.kind == "object":
        if not value:
            sent[f"{name}?"] = [EMPTY]
        _write_members(shape, value, name, sent)
    elif shape.kind == "list":
        _write_rows(shape, value, name, sent)
    elif shape.kind == "union":
        way = next(n for n, variant in enumerate(shape.variants) if _fits(variant, value))
        sent[f"{name}?"] = [str(way)]
        _write(shape.variants[way], value, f"{name}|{way}", sent)
    elif shape.kind == "text":
        if not value:
            sent[f"{name}?"] = [EMPTY]
        sent[name] = [value]
    else:
        sent[name] = [json_text(value)]


def _write_members(shape: Shape, value: dict[str, Any], name: str, sent: dict[str, list[str]]) -> None:
    others = {}
    for key, each in value.items():
        if key in shape.properties:
            _write(shape.properties[key], each, inside(name, key), sent)
        else:
            others[key] = each
    if others:
        sent[f"{name}/{OTHERS}"] = [json_text(others)]


def _write_rows(shape: Shape, value: list[Any], name: str, sent: dict[str, list[str]]) -> None:
    assert shape.items is not None
    if not value:
        sent[f"{name}?"] = [EMPTY]
    elif are_boxes(shape) and (texts := list(map(json_text, value))) == [
        t for t in _options(shape.items) if t in texts
    ]:
        sent[name] = texts
    else:
        for index, each in enumerate(value):
            _write(shape.items, each, f"{name}/{index}", sent)


def inside(name: str, key: str) -> str:
    return f"{name}/{quote(key, safe='', errors='surrogatepass')}"


def _options(shape: Shape) -> list[str]:
    return [json_text(option) for option in shape.options]


def are_boxes(shape: Shape) -> bool:
    """Is a list filled in by ticking what it holds?"""
    items = shape.items
    return items is not None and items.kind == "choice" and 1 <= len(items.options) <= MOST_BOXES


def _carries(shape: Shape, value: Any) -> bool:
    """Can a field show such a value without a change? What is inside it is asked for itself."""
    match shape.kind:
        case "text":
            return isinstance(value, str) and not any(c in "\r\0" or "\ud800" <= c <= "\udfff" for c in value)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "choice":
            return json_text(value) in _options(shape)
        case "object":
            return isinstance(value, dict) and (shape.is_open or value.keys() <= shape.properties.keys())
        case "list":
            return isinstance(value, list) and len(value) <= MOST_ROWS
        case "union":
            return any(_fits(variant, value) for variant in shape.variants)
    return True


def _fits(shape: Shape, value: Any) -> bool:
    """Is a value one that a way of a union is for, all that is inside it too?"""
    if value is None and shape.is_nullable:
        return True
    if not _carries(shape, value):
        return False
    if shape.kind == "object":
        return shape.required <= value.keys() and all(
            _fits(each, value[key]) for key, each in shape.properties.items() if key in value
        )
    if shape.kind == "list" and shape.items is not None:
        return all(_fits(shape.items, each) for each in value)
    return True


# From what a browser sent to arguments.


def read(shape: Shape, sent: Sent) -> tuple[dict[str, Any], dict[str, str]]:
    """The arguments as far as they can be read, and what is wrong, by the names of the fields."""
    reader = _Reader(sent)
    arguments = reader.members(shape, "")
    return arguments, reader.errors


class _Reader:
    def __init__(self, sent: Sent) -> None:
        self._sent = {name: [value.replace("\r\n", "\n") for value in values] for name, values in sent.items()}
        self.errors: dict[str, str] = {}

    def value(self, shape: Shape, name: str, *, is_required: bool) -> Any:
        """What a field says; MISSING for nothing, which is an error where something is required."""
        try:
            found = self._value(shape, name, is_required=is_required)
        except Wrong as wrong:
            self.errors[name] = str(wrong)
            return MISSING
        if found is MISSING and is_required and not any(error.startswith(f"{name}/") for error in self.errors):
            self.errors.setdefault(name, _wanted(shape))
        return found

    def _value(self, shape: Shape, name: str, *, is_required: bool) -> Any:
        how, typed = self._one(f"{name}?"), self._one(name)
        if how == NULL:
            return None
        if how == JSON:
            return _json(typed) if typed.strip() else MISSING
        if shape.kind == "object":
            return self._object(shape, name, how, is_required)
        if shape.kind == "list":
            found = self._rows(shape, name)
            return found if found or how == EMPTY else MISSING
        if shape.kind == "union":
            return self._way(shape, name, how)
        if shape.kind == "text":
            return typed if typed or how == EMPTY else MISSING
        if not typed.strip():
            return MISSING
        return _number(typed.strip(), shape.kind) if shape.kind in ("integer", "number") else _json(typed)

    def members(self, shape: Shape, name: str) -> dict[str, Any]:
        found = {}
        for key, each in shape.properties.items():
            value = self.value(each, inside(name, key), is_required=key in shape.required)
            if value is not MISSING:
                found[key] = value
        typed = self._one(f"{name}/{OTHERS}")
        if typed.strip():
            try:
                found = {**arguments_in(typed), **found}
            except Wrong as wrong:
                self.errors[f"{name}/{OTHERS}"] = str(wrong)
        return found

    def _object(self, shape: Shape, name: str, how: str, is_required: bool) -> Any:
        before = dict(self.errors)
        found = self.members(shape, name)
        if not found and not is_required and all(map(self._is_blank, self.errors.keys() - before.keys())):
            # Nothing was filled in, so nothing is missing in it either.
            self.errors = before
        return found if found or how == EMPTY else MISSING

    def _is_blank(self, name: str) -> bool:
        return not any(value.strip() for value in self._sent.get(name, ()))

    def _rows(self, shape: Shape, name: str) -> list[Any]:
        assert shape.items is not None
        ticked = [_json(value) for value in self._sent.get(name, ()) if value.strip()] if are_boxes(shape) else []
        rows = (self.value(shape.items, f"{name}/{n}", is_required=False) for n in indexes(self._sent, name))
        return ticked + [row for row in rows if row is not MISSING]

    def _way(self, shape: Shape, name: str, how: str) -> Any:
        if how.isdecimal() and int(how) < len(shape.variants):
            return self.value(shape.variants[int(how)], f"{name}|{how}", is_required=True)
        for way, variant in enumerate(shape.variants):  # without a script a way is filled in and not chosen
            found = self.value(variant, f"{name}|{way}", is_required=False)
            if found is not MISSING:
                return found
        return MISSING

    def _one(self, name: str) -> str:
        values = self._sent.get(name)
        return values[-1] if values else ""


def indexes(sent: Sent, name: str) -> list[int]:
    """Which rows of a list were sent, in their order."""
    found = set()
    for each in sent:
        if each.startswith(f"{name}/"):
            index = each[len(name) + 1 :].partition("/")[0].partition("|")[0].removesuffix("?")
            if index.isascii() and index.isdecimal() and len(index) < 7:
                found.add(int(index))
    return sorted(found)


def _number(text: str, kind: str) -> Any:
    try:
        found = json.loads(text, parse_constant=_refuse_constant)
    except ValueError:
        try:
            found = float(text)
        except ValueError:
            raise Wrong(f"{text[:40]!r} is no number.") from None
    if isinstance(found, bool) or not isinstance(found, int | float) or not math.isfinite(found):
        raise Wrong(f"{text[:40]!r} is no number.")
    if kind == "integer" and isinstance(found, float):
        if not found.is_integer():
            raise Wrong(f"{text[:40]} is no whole number.")
        found = int(found)
    return found


def _wanted(shape: Shape) -> str:
    if shape.kind in EMPTY_WORDS and shape.takes_empty:
        return f"This is needed; to send an {EMPTY_WORDS[shape.kind]}, say so beside it."
    return {"choice": "Choose one.", "union": "Choose what to send."}.get(shape.kind, "This is needed.")
