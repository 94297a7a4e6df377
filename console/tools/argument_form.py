"""Which fields does the form for a tool's arguments show, and what stands in them?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any
from urllib.parse import unquote

from console.tools.arguments import EMPTY, EMPTY_WORDS, JSON, NULL, OTHERS, Sent, are_boxes, indexes, inside
from console.tools.shapes import MISSING, Shape, json_text

#: So many options or fewer stand side by side.
MOST_SIDE_BY_SIDE = 3
#: A text that may be longer is typed where it can have lines.
LONG = 255


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
            self._field(shape.properties[key], inside(name, key), key, is_required=key in shape.required)
            for key in required_first
        ]
        others = f"{name}/{OTHERS}"
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
            return "boxes" if are_boxes(shape) else "rows"
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
    elif shape.kind in EMPTY_WORDS and (shape.takes_empty or how == EMPTY):
        found.append((EMPTY, f"or {EMPTY_WORDS[shape.kind]}"))
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
        str(int(part) + 1) if part.isdecimal() else "others" if part == OTHERS else unquote(part) for part in parts
    ]
    return " › ".join(words)
