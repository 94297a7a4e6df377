"""What does a JSON Schema ask of somebody who fills in a form?

A schema is any JSON that a world's author or a library wrote, so whatever is not understood here is asked for as JSON,
and nothing in it is an error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import unquote

import orjson

#: Stands for a value that is not there.
MISSING: Any = type("Missing", (), {"__repr__": lambda self: "MISSING", "__bool__": lambda self: False})()
#: Fields inside one another, fields in all, and ways to fill in one: what is beyond is asked for as JSON.
DEEPEST, MOST_SHAPES, MOST_VARIANTS = 6, 400, 8

#: Patterns that mean the same in Python, in JSON Schema and in a browser, which reads character classes more strictly.
_PLAIN_CLASS = r"\[\^?(?:\w-\w|[\w<>@.,:;=#%' ]|\\[sdwSDW.\-\\/])+\]"
_PLAIN_PATTERN = re.compile(rf"(?:{_PLAIN_CLASS}|\\[sdwSDWb.\-/+*?()|\[\]{{}}]|[^\\\[\]])*")


@dataclass(frozen=True)
class Shape:
    """One field: what may be written into it, and what is said about it.

    `kind` is "text", "integer", "number", "choice", "json", "object", "list" or "union".
    """

    kind: str
    description: str = ""
    title: str = ""
    default: Any = MISSING
    #: May null be sent? A choice has it among its options instead.
    is_nullable: bool = False
    #: Is what is empty ("", [] or {}) allowed?
    takes_empty: bool = True
    format: str = ""
    #: min, max, step, maxlength, minlength, pattern: as HTML has them.
    limits: Mapping[str, Any] = field(default_factory=dict)
    options: tuple[Any, ...] = ()
    properties: Mapping[str, Shape] = field(default_factory=dict)
    required: frozenset[str] = frozenset()
    #: May an object have other keys besides?
    is_open: bool = False
    items: Shape | None = None
    most: int | None = None
    variants: tuple[Shape, ...] = ()


def shape_of(schema: Any) -> Shape:
    """The shape of a tool's arguments: an object, whatever the schema says."""
    found = _Reader(schema).shape(schema, (), 0)
    return found if found.kind == "object" else Shape("object", description=found.description, is_open=True)


class _Reader:
    def __init__(self, root: Any) -> None:
        self._root = root
        self._left = MOST_SHAPES

    def shape(self, schema: Any, refs: tuple[str, ...], depth: int) -> Shape:
        self._left -= 1
        if not isinstance(schema, dict):
            return Shape("json")
        schema, refs, is_endless = self._resolved(schema, refs)
        said: dict[str, Any] = {
            "description": _text(schema.get("description")),
            "title": _text(schema.get("title")),
            "default": schema.get("default", MISSING),
        }
        if is_endless or depth > DEEPEST or self._left < 0:
            return Shape("json", **said)
        schema = self._merged(schema, refs)
        if "const" in schema or isinstance(schema.get("enum"), list):
            options = [schema["const"]] if "const" in schema else schema["enum"]
            return Shape("choice", options=_distinct(options), **said) if options else Shape("json", **said)
        for word in ("anyOf", "oneOf"):
            if isinstance(schema.get(word), list) and schema[word]:
                rest = {name: value for name, value in schema.items() if name not in (word, "$defs", "default")}
                each = [{**rest, **one} if isinstance(one, dict) else one for one in schema[word]]
                return self._union(each, said, refs, depth)
        kinds = schema.get("type")
        if isinstance(kinds, list) and kinds:
            return self._union([{**schema, "type": kind} for kind in kinds], said, refs, depth)
        return self._of_type(schema, said, refs, depth)

    def _of_type(self, schema: dict[str, Any], said: dict[str, Any], refs: tuple[str, ...], depth: int) -> Shape:
        match schema.get("type"):
            case "string":
                return Shape(
                    "text",
                    format=_text(schema.get("format")),
                    limits=_text_limits(schema),
                    takes_empty=not _whole(schema.get("minLength")),
                    **said,
                )
            case "integer" | "number" as kind:
                return Shape(kind, limits=_number_limits(schema, kind), **said)
            case "boolean":
                return Shape("choice", options=(True, False), **said)
            case "null":
                return Shape("choice", options=(None,), **said)
            case "array":
                items = self.shape(schema.get("items", {}), refs, depth + 1)
                least, most = _whole(schema.get("minItems")), _whole(schema.get("maxItems"))
                return Shape("list", items=items, takes_empty=not least, most=most, **said)
            case "object" | None if isinstance(schema.get("properties"), dict) and schema["properties"]:
                return self._object(schema, said, refs, depth)
            case "object" if schema.get("additionalProperties") is False:
                return Shape("object", **said)
        return Shape("json", **said)

    def _object(self, schema: dict[str, Any], said: dict[str, Any], refs: tuple[str, ...], depth: int) -> Shape:
        properties = {
            name: self.shape(each, refs, depth + 1) for name, each in schema["properties"].items() if each is not False
        }
        required = schema.get("required")
        needed = frozenset(name for name in required if isinstance(name, str)) if isinstance(required, list) else ()
        return Shape(
            "object",
            properties=properties,
            required=frozenset(needed) & properties.keys(),
            takes_empty=not needed,
            is_open=schema.get("additionalProperties", True) is not False,
            **said,
        )

    def _union(self, schemas: list[Any], said: dict[str, Any], refs: tuple[str, ...], depth: int) -> Shape:
        """One of several: null among them is a choice beside what else there is."""
        found = [self.shape(each, refs, depth + 1) for each in schemas]
        is_null = [shape.kind == "choice" and shape.options == (None,) for shape in found]
        others = [shape for shape, null in zip(found, is_null, strict=True) if not null]
        said = {**said, "is_nullable": any(is_null) or any(shape.is_nullable for shape in others)}
        if not others:
            return Shape("choice", options=(None,), **{**said, "is_nullable": False})
        if all(shape.kind == "choice" for shape in others):
            options = [option for shape in others for option in shape.options] + [None] * said.pop("is_nullable")
            return replace(others[0], options=_distinct(options), **_kept(said, others[0]))
        if len(others) == 1:
            return replace(others[0], **_kept(said, others[0]))
        if len(others) > MOST_VARIANTS or any(shape.kind == "json" for shape in others):
            return Shape("json", **said)
        return Shape("union", variants=tuple(others), **said)

    def _resolved(self, schema: dict[str, Any], refs: tuple[str, ...]) -> tuple[dict[str, Any], tuple[str, ...], bool]:
        """The schema with what it refers to put in; whether that leads back to itself."""
        while isinstance(schema.get("$ref"), str):
            ref = schema["$ref"]
            target = self._at(ref)
            if ref in refs or not isinstance(target, dict):
                return schema, refs, True
            refs = (*refs, ref)
            schema = {**target, **{name: value for name, value in schema.items() if name != "$ref"}}
        return schema, refs, False

    def _at(self, ref: str) -> Any:
        """What a reference inside the document points at; MISSING of any other."""
        if not ref.startswith("#"):
            return MISSING
        found = self._root
        for part in filter(None, ref[1:].split("/")):
            name = unquote(part).replace("~1", "/").replace("~0", "~")
            if isinstance(found, list) and name.isdecimal() and int(name) < len(found):
                found = found[int(name)]
            elif isinstance(found, dict) and name in found:
                found = found[name]
            else:
                return MISSING
        return found

    def _merged(self, schema: dict[str, Any], refs: tuple[str, ...]) -> dict[str, Any]:
        """The parts of `allOf` as one schema."""
        parts = schema.get("allOf")
        if not isinstance(parts, list):
            return schema
        merged: dict[str, Any] = {}
        for part in [*parts, {name: value for name, value in schema.items() if name != "allOf"}]:
            if not isinstance(part, dict):
                continue
            part = self._merged(self._resolved(part, refs)[0], refs) if part is not schema else part
            for name, value in part.items():
                known = merged.get(name)
                if name == "properties" and isinstance(known, dict) and isinstance(value, dict):
                    merged[name] = {**known, **value}
                elif name == "required" and isinstance(known, list) and isinstance(value, list):
                    merged[name] = [*known, *value]
                else:
                    merged[name] = value
        return merged


def _kept(said: dict[str, Any], shape: Shape) -> dict[str, Any]:
    """What is said of a union, and of its one part where the union says nothing."""
    return {name: getattr(shape, name) if value is MISSING or value == "" else value for name, value in said.items()}


def json_text(value: Any) -> str:
    """A value as JSON that a form can carry: line ends are escaped, and so is what is no text at all."""
    try:
        return orjson.dumps(value).decode()
    except (TypeError, ValueError):  # a number too great for orjson, or half a surrogate
        return json.dumps(value)


def _distinct(options: list[Any]) -> tuple[Any, ...]:
    return tuple({json_text(option): option for option in options}.values())


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _number(value: Any) -> Any:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _text_limits(schema: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for word, name in (("maxLength", "maxlength"), ("minLength", "minlength")):
        if _whole(schema.get(word)) is not None:
            found[name] = schema[word]
    pattern = _text(schema.get("pattern"))
    if pattern and _PLAIN_PATTERN.fullmatch(pattern) and _compiles(pattern):
        # JSON Schema finds a pattern anywhere in a text; a browser wants the whole text to be like it.
        begins, ends = pattern.startswith("^"), pattern.endswith("$") and not pattern.endswith("\\$")
        inner = pattern.removeprefix("^")
        inner = inner[:-1] if ends else inner
        found["pattern"] = f"{'' if begins else '.*'}(?:{inner}){'' if ends else '.*'}"
    return found


def _compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return False
    return True


def _number_limits(schema: dict[str, Any], kind: str) -> dict[str, Any]:
    found: dict[str, Any] = {"step": 1 if kind == "integer" else "any"}
    least, most = _number(schema.get("minimum")), _number(schema.get("maximum"))
    over, under = _number(schema.get("exclusiveMinimum")), _number(schema.get("exclusiveMaximum"))
    if kind == "integer":
        least = over + 1 if least is None and isinstance(over, int) else least
        most = under - 1 if most is None and isinstance(under, int) else most
    if least is not None:
        found["min"] = least
    if most is not None:
        found["max"] = most
    multiple = _number(schema.get("multipleOf"))
    if multiple and multiple > 0 and least is None:  # a browser counts its steps from the least value
        found["step"] = multiple
    return found
