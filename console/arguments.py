"""How are a tool's arguments written into a form, and read out of it again?

`written` makes of arguments what a browser would send, `Form` shows that and `read` reads it, so that what was typed is
never lost: not by a mistake in one field, and not by a switch to JSON and back. A value that its field cannot carry,
of another type or with a line end no form keeps, stands there as JSON.

Names: a field is called by its place, "/to/0/address"; "?" at its end says how it is filled in, "|1" which way of a
union was taken.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any
from urllib.parse import quote, unquote

from console.shapes import MISSING, Shape, json_text

#: What a browser sends: every value of every name.
Sent = Mapping[str, list[str]]

#: How a field may be filled in besides "": send what is empty too, send null, read what is typed as JSON.
EMPTY, NULL, JSON = "empty", "null", "json"
#: A list of more than so many is written as JSON: a server takes no more than a thousand fields.
MOST_ROWS = 60
#: So many options or fewer stand side by side.
MOST_SIDE_BY_SIDE, MOST_BOXES = 3, 12
#: A text that may be longer is typed where it can have lines.
LONG = 255
_OTHERS = "*"
_EMPTY_WORDS = {"text": "empty text", "list": "empty list", "object": "empty object"}


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
            _write(shape.properties[key], each, _inside(name, key), sent)
        else:
            others[key] = each
    if others:
        sent[f"{name}/{_OTHERS}"] = [json_text(others)]


def _write_rows(shape: Shape, value: list[Any], name: str, sent: dict[str, list[str]]) -> None:
    assert shape.items is not None
    if not value:
        sent[f"{name}?"] = [EMPTY]
    elif _are_boxes(shape) and (texts := list(map(json_text, value))) == [
        t for t in _options(shape.items) if t in texts
    ]:
        sent[name] = texts
    else:
        for index, each in enumerate(value):
            _write(shape.items, each, f"{name}/{index}", sent)


def _inside(name: str, key: str) -> str:
    return f"{name}/{quote(key, safe='', errors='surrogatepass')}"


def _options(shape: Shape) -> list[str]:
    return [json_text(option) for option in shape.options]


def _are_boxes(shape: Shape) -> bool:
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
            value = self.value(each, _inside(name, key), is_required=key in shape.required)
            if value is not MISSING:
                found[key] = value
        typed = self._one(f"{name}/{_OTHERS}")
        if typed.strip():
            try:
                found = {**arguments_in(typed), **found}
            except Wrong as wrong:
                self.errors[f"{name}/{_OTHERS}"] = str(wrong)
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
        ticked = [_json(value) for value in self._sent.get(name, ()) if value.strip()] if _are_boxes(shape) else []
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
    if shape.kind in _EMPTY_WORDS and shape.takes_empty:
        return f"This is needed; to send an {_EMPTY_WORDS[shape.kind]}, say so beside it."
    return {"choice": "Choose one.", "union": "Choose what to send."}.get(shape.kind, "This is needed.")


# What the page shows.


@dataclass
class Field:
    """One field of a form, as a template shows it."""

    shape: Shape
    name: str
    label: str
    #: "text", "lines", "number", "choice", "side" (by side), "boxes", "json", "object", "rows" or "union".
    widget: str
    is_required: bool = False
    text: str = ""
    how: str = ""
    #: [(value, words)] of how it may be filled in, where there is more than one way.
    ways: list[tuple[str, str]] = field(default_factory=list)
    options: list[tuple[str, str, bool]] = field(default_factory=list)
    children: list[Field] = field(default_factory=list)
    error: str = ""
    input_type: str = "text"
    is_row: bool = False

    @property
    def id(self) -> str:
        return f"argument{self.name}"

    @property
    def attributes(self) -> Mapping[str, Any]:
        limits = dict(self.shape.limits)
        if self.widget == "lines":
            limits.pop("pattern", None)
        return limits

    @property
    def default(self) -> str:
        """What the tool takes when nothing is sent, where that says something."""
        return "" if self.shape.default is MISSING or self.shape.default is None else json_text(self.shape.default)

    @property
    def is_free(self) -> bool:
        """Is this a row that nothing was typed into?"""
        return self.is_row and _is_untouched(self)


def _is_untouched(shown: Field) -> bool:
    chosen = any(is_chosen and value for value, _, is_chosen in shown.options)
    return not shown.text and not shown.how and not chosen and all(map(_is_untouched, shown.children))


class Form:
    """The form for a tool's arguments, with what was typed so far."""

    def __init__(self, shape: Shape, sent: Sent | None = None, errors: Mapping[str, str] | None = None) -> None:
        self.shape, self._sent, self._errors = shape, sent or {}, dict(errors or {})
        self.fields = self._members(shape, "")

    @property
    def errors(self) -> list[tuple[str, str, str]]:
        """(id, name, what is wrong) of each field that is not right."""
        return [(f"argument{name}", _spoken(name), error) for name, error in self._errors.items()]

    def _members(self, shape: Shape, name: str) -> list[Field]:
        required_first = sorted(shape.properties, key=lambda key: key not in shape.required)
        found = [
            self._field(shape.properties[key], _inside(name, key), key, is_required=key in shape.required)
            for key in required_first
        ]
        others = f"{name}/{_OTHERS}"
        if shape.is_open or others in self._sent:
            words = "An object of names and values." if shape.properties else shape.description
            label = "Others, as JSON" if shape.properties else "Arguments, as JSON"
            found.append(self._field(Shape("json", description=words), others, label, is_required=False))
        return found

    def _field(self, shape: Shape, name: str, label: str, *, is_required: bool, is_row: bool = False) -> Field:
        typed = self._sent.get(name, [])
        how = (self._sent.get(f"{name}?") or [""])[-1]
        text = typed[-1] if typed else ""
        shown = Field(shape, name, label, _widget(shape, how, text), is_required, text, how, is_row=is_row)
        shown.error = self._errors.get(name, "")
        shown.ways = _ways(shown)
        if shown.widget == "object":
            shown.children = self._members(shape, name)
        elif shown.widget in ("choice", "side", "boxes"):
            shown.options = _shown_options(shown, typed)
        elif shown.widget == "union":
            shown.children = [
                self._field(variant, f"{name}|{way}", _title(variant), is_required=False)
                for way, variant in enumerate(shape.variants)
            ]
        elif shown.widget == "text":
            shown.input_type = _input_type(shape, text)
        if shape.kind == "list" and how != JSON:
            shown.children = self._rows(shape, name, shown.widget == "boxes")
            shown.widget = "rows" if shown.children else shown.widget
        return shown

    def _rows(self, shape: Shape, name: str, has_boxes: bool) -> list[Field]:
        """The rows that have something in them, and a free one where another may follow."""
        assert shape.items is not None
        found = [
            self._field(shape.items, f"{name}/{index}", str(number + 1), is_required=False, is_row=True)
            for number, index in enumerate(indexes(self._sent, name))
        ]
        found = [row for row in found if not row.is_free]
        if has_boxes and not found:
            return []
        if shape.most is None or len(found) < max(shape.most, 1):
            last = max(indexes(self._sent, name), default=-1)
            free = f"{name}/{last + 1}"
            found.append(self._field(shape.items, free, str(len(found) + 1), is_required=False, is_row=True))
        return found


def _widget(shape: Shape, how: str, text: str) -> str:
    if how == JSON or shape.kind == "json":
        return "json"
    match shape.kind:
        case "text":
            most = shape.limits.get("maxlength")
            is_short = bool(shape.format) or (most is not None and most <= LONG)
            return "text" if is_short and "\n" not in text else "lines"
        case "integer" | "number":
            return "number"
        case "choice":
            return "side" if len(shape.options) <= MOST_SIDE_BY_SIDE else "choice"
        case "list":
            return "boxes" if _are_boxes(shape) else "rows"
    return shape.kind


def _input_type(shape: Shape, text: str) -> str:
    """The kind of input; plain text for what another kind would change."""
    if shape.format == "date":
        return "date" if not text or _is_date(text) else "text"
    if shape.format == "email" and text == text.strip():
        return "email"
    if shape.format in ("uri", "url") and text == text.strip():
        return "url"
    return "text"


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _ways(shown: Field) -> list[tuple[str, str]]:
    """How a field may be filled in."""
    shape, how, found = shown.shape, shown.how, []
    if shape.kind == "union":
        found = [(str(way), _title(variant)) for way, variant in enumerate(shape.variants)]
    elif shape.kind in _EMPTY_WORDS and (shape.takes_empty or how == EMPTY):
        found.append((EMPTY, f"or {_EMPTY_WORDS[shape.kind]}"))
    if shape.is_nullable or how == NULL:
        found.append((NULL, "null"))
    if how == JSON:
        found.append((JSON, "as JSON"))
    if not found:
        return []
    usual = {"union": "choose …", "object": "as filled in", "list": "as filled in"}.get(shape.kind, "as typed")
    return [("", usual), *found]


def _shown_options(shown: Field, typed: list[str]) -> list[tuple[str, str, bool]]:
    shape = shown.shape.items if shown.shape.kind == "list" and shown.shape.items else shown.shape
    found = [
        (json_text(option), option if isinstance(option, str) and option else json_text(option))
        for option in shape.options
    ]
    if shown.widget == "choice":
        blank = "choose …" if shown.is_required else "leave out"
        found.insert(0, ("", blank))
    elif shown.widget == "side" and not shown.is_required:
        found.insert(0, ("", "leave out"))
    chosen = typed or [""]
    return [(value, words, value in chosen) for value, words in found]


def _title(shape: Shape) -> str:
    """What a way of a union is called."""
    if shape.title:
        return shape.title
    if shape.kind == "choice":
        return " or ".join(map(json_text, shape.options[:3]))
    if shape.kind == "object" and shape.properties:
        return f"object: {', '.join(list(shape.properties)[:3])}"
    return {"text": "text", "integer": "whole number", "list": "list"}.get(shape.kind, shape.kind)


def _spoken(name: str) -> str:
    """A field's place in words: "to › 1 › address"."""
    parts = [part.partition("|")[0] for part in name.split("/")[1:]]
    words = [
        str(int(part) + 1) if part.isdecimal() else "others" if part == _OTHERS else unquote(part) for part in parts
    ]
    return " › ".join(words)
