"""How is a shape written as the annotation of a tool's parameter, and as a model's field?"""

from __future__ import annotations

from typing import Any

from worlds.engine.scaffold.layout import source
from worlds.engine.scaffold.openapi.blueprint import Argument, Column
from worlds.engine.scaffold.openapi.schemas import LEAST, MOST, PATTERNS, Shape
from worlds.engine.scaffold.openapi.words import camel

_PLAIN = {
    "text": "str", "email": "str", "uri": "str", "uuid": "str", "datetime": "AwareDatetime", "date": "date",
    "integer": "int", "number": "float", "boolean": "bool", "object": "dict[str, Any]", "any": "Any",
}  # fmt: skip
_FIELDS = {
    "datetime": "DateTimeField", "date": "DateField", "integer": "BigIntegerField", "number": "FloatField",
    "boolean": "BooleanField", "array": "JSONField", "object": "JSONField", "any": "JSONField",
}  # fmt: skip
#: A text with more room than this is a TextField.
_LONGEST = 1000


def enum_name(class_name: str, column: Column) -> str:
    """What the words a column chooses from are called."""
    return class_name + camel(column.name)


def literal(values: tuple[Any, ...]) -> str:
    """Words to choose from, as a type."""
    return f"Literal[{', '.join(map(source, values))}]"


def annotation(argument: Argument, alias: str = "") -> str:
    """The whole annotation of a parameter; `alias` is the name of its enum, if it has one."""
    shape = argument.shape
    type_, limits = _type(shape, alias)
    if argument.role in ("key", "path") and shape.kind != "integer":
        type_, limits = "str", {"max_length": 200}
    more: dict[str, Any] = {}
    if argument.wire != argument.name:
        more["alias"] = argument.wire
    description = shape.description
    if description:
        more["description"] = description
    more |= limits
    optional = not argument.required and default_of(argument) == "None" and type_ != "Any"
    if optional:
        type_ = f"{type_} | None"
    given = ", ".join(f"{name}={source(value)}" for name, value in more.items())
    return f"Annotated[{type_}, Field({given})]" if given else type_


def _type(shape: Shape, alias: str) -> tuple[str, dict[str, Any]]:
    """A type, and what a Field says to narrow it."""
    if shape.enum:
        return alias or literal(shape.enum), {}
    if shape.kind == "array":
        inner, limits = _type(shape.element, "") if shape.element else ("Any", {})
        if limits:
            given = ", ".join(f"{name}={source(value)}" for name, value in limits.items())
            inner = f"Annotated[{inner}, Field({given})]"
        return f"list[{inner}]", _lengths(shape)
    if shape.kind in ("integer", "number"):
        limits = _bounds(shape)
        return ("Whole", {}) if shape.kind == "integer" and not limits else (_PLAIN[shape.kind], limits)
    if shape.is_text:
        limits = _lengths(shape)
        pattern = shape.pattern or PATTERNS.get(shape.kind)
        return "str", {**limits, "pattern": pattern} if pattern else limits
    return _PLAIN[shape.kind], {}


def _lengths(shape: Shape) -> dict[str, Any]:
    least = {"min_length": shape.min_length} if shape.min_length else {}
    return least | ({"max_length": shape.max_length} if shape.max_length is not None else {})


def _bounds(shape: Shape) -> dict[str, Any]:
    bounds: dict[str, Any] = {}
    number = int if shape.kind == "integer" else float
    if shape.least is not None and LEAST <= shape.least <= MOST:
        bounds["gt" if shape.is_above else "ge"] = number(shape.least)
    if shape.most is not None and LEAST <= shape.most <= MOST:
        bounds["lt" if shape.is_below else "le"] = number(shape.most)
    if bounds and shape.kind == "integer":
        # SQLite has no larger ones.
        if not {"gt", "ge"} & set(bounds):
            bounds["ge"] = min(LEAST, bounds.get("le", 0))
        if not {"lt", "le"} & set(bounds):
            bounds["le"] = MOST
    return bounds


def default_of(argument: Argument) -> str:
    """The source of a parameter's default; "" where it must be given."""
    if argument.required:
        return ""
    if isinstance(argument.default, list | dict):
        return "None"
    if argument.default is not None and argument.shape.kind == "number":
        return source(float(argument.default))
    return source(argument.default)


def model_field(column: Column, enum: str = "") -> str:
    """The field of a column."""
    options = []
    if column.refers:
        how = "CASCADE" if column.is_part_of else "PROTECT"
        options = [source(column.refers.class_name), f"on_delete=models.{how}", 'related_name="+"']
        if column.attribute != column.name + "_id":
            options.append(f"db_column={source(column.attribute)}")
        kind = "ForeignKey"
    else:
        kind, options = _kind(column.shape, enum)
    if column.nullable:
        options.append("null=True")
    elif column.zero is not None:
        zero = {"[]": "list", "{}": "dict"}.get(source(column.zero), source(column.zero))
        options.append(f"default={zero}")
    return f"models.{kind}({', '.join(options)})"


def _kind(shape: Shape, enum: str) -> tuple[str, list[str]]:
    if shape.enum and shape.is_text:
        longest = max(1, *(len(value) for value in shape.enum))
        return "CharField", [f"max_length={longest}", f"choices=choices({enum})"]
    if shape.kind == "uuid":
        return "CharField", [f"max_length={max(36, shape.max_length or 0)}"]
    if shape.is_text:
        bounded = shape.max_length is not None and 0 < shape.max_length <= _LONGEST
        return ("CharField", [f"max_length={shape.max_length}"]) if bounded else ("TextField", [])
    return _FIELDS[shape.kind], []


def rendered(column: Column) -> str:
    """A column's value, as JSON has it."""
    value = f"self.{column.attribute}"
    if column.refers:
        return value
    if column.shape.kind == "datetime":
        return f"instant({value})"
    if column.shape.kind == "date":
        return f"{value} and {value}.isoformat()" if column.nullable else f"{value}.isoformat()"
    return value
