"""Which rows do the fixture, the tests and the task of a world hold that is made from an OpenAPI document?"""

from __future__ import annotations

import keyword
import re
from typing import Any

from worlds.engine.scaffold.layout import docstring, source, text
from worlds.engine.scaffold.openapi.blueprint import Argument, Blueprint, Operation, Resource
from worlds.engine.scaffold.openapi.samples import sample
from worlds.engine.scaffold.openapi.words import plural

#: Rows of each resource, and of each where there are many.
_ROWS, _FEW, _MANY = 3, 2, 15


class Name(str):
    """The source of a value, such as a variable."""


def in_order(made: Blueprint) -> list[Resource]:
    """The resources, each after those its rows need."""
    ordered: list[Resource] = []

    def place(resource: Resource, above: tuple[Resource, ...]) -> None:
        if resource in ordered or resource in above:
            return
        for column in sorted(resource.columns, key=lambda each: each.nullable):
            if column.refers:
                place(column.refers, (*above, resource))
        if resource not in ordered:
            ordered.append(resource)

    for resource in made.resources:
        place(resource, ())
    return ordered


def creation(resource: Resource) -> Operation | None:
    """The operation that makes rows, the one that takes the most; None where there is none that can be called."""
    able = [each for each in resource.of("create") if arguments(resource, each, 1, {}) is not None]
    return max(able, key=lambda each: len(each.arguments), default=None)


def arguments(
    resource: Resource, operation: Operation, number: int, known: dict[str, Any], *, only_required: bool = False
) -> dict[str, Any] | None:
    """Arguments for a tool: samples, and keys of `known` rows by the name of their resource.

    None when there is something it must be given for which no sample is known.
    """
    found: dict[str, Any] = {}
    for argument in operation.arguments:
        value = _argument(resource, argument, number, known)
        if value is None and argument.required:
            return None
        if value is not None and (argument.required or not only_required):
            found[argument.wire] = value
    return found


def _argument(resource: Resource, argument: Argument, number: int, known: dict[str, Any]) -> Any:
    column = argument.column
    if argument.role not in ("key", "path", "body"):
        return None
    if column is not None and column.refers is not None:
        keys = known.get(column.refers.name)
        if keys is None and argument.required:
            return Name("None") if not known else None
        return keys[(number - 1) % len(keys)] if keys else None
    if argument.role == "path":
        return f"{argument.wire} {number}"
    if argument.role == "key" and argument.shape.kind == "integer":
        return number
    return sample(argument.wire, argument.shape, resource.name, number)


def call(tool: str, given: dict[str, Any], inst: str = "inst") -> str:
    """The source of a call."""
    plain = {name: value for name, value in given.items() if name.isidentifier() and not _is_word(name)}
    rest = {name: value for name, value in given.items() if name not in plain}
    parts = [text(tool), *(f"{name}={written(value)}" for name, value in plain.items())]
    if rest:
        parts.append("**{" + ", ".join(f"{text(name)}: {written(value)}" for name, value in rest.items()) + "}")
    return f"{inst}.call({', '.join(parts)})"


def _is_word(name: str) -> bool:
    return keyword.iskeyword(name) or name in ("self", "tool")


def written(value: Any) -> str:
    """A value as source; a Name stands for itself."""
    return str(value) if isinstance(value, Name) else source(value)


def recipe_code(made: Blueprint, package: str, title: str) -> tuple[str, dict[str, int]]:
    """The source of fixtures.py, and how many rows of each resource its recipe makes."""
    count = _ROWS if len(made.resources) <= _MANY else _FEW
    body: list[str] = []
    known: dict[str, list[Any]] = {}
    rows: dict[str, int] = {}
    classes: set[str] = set()
    used: set[str] = set()
    steps: list[tuple[str, str]] = []
    for resource in in_order(made):
        lines, keys = _rows(resource, count, known)
        if keys:
            known[resource.name] = keys
            rows[resource.name] = len(keys)
        for variable, line in lines:
            steps.append((variable, line))
        if lines and not creation(resource):
            classes.add(resource.class_name)
    for variable, line in steps:
        is_used = variable and any(_names(variable, other) for _, other in steps if other is not line)
        used.add(variable if is_used else "")
        in_bulk = line.startswith("B:")
        line = line.removeprefix("B:")
        if in_bulk:
            if not (body and body[-1].startswith("        ")):
                body.append("    with inst.bulk() as ctx:  # no tool makes these")
            body.append(f"        {line}")
        elif is_used:
            body.append(f"    {variable} = {line}")
        else:
            body.append(f"    {line.rpartition('[')[0] if line.endswith(']') else line}")
    what = (
        ", ".join(f"{number} {plural(name).replace('_', ' ')}" for name, number in list(rows.items())[:8]) or "No rows"
    )
    more = f", and of {len(rows) - 8} more" if len(rows) > 8 else ""
    doc = f"A few rows of each kind that refer to each other: {what}{more}."
    head = [
        f'"""Which states does {title} start from?',
        "",
        "A recipe speaks through the tools, as an agent would; its docstring describes the fixture.",
        '"""',
        "",
        "from __future__ import annotations",
        "",
        *([f"from {package}.models import {', '.join(sorted(classes))}"] if classes else []),
        "from worlds.engine import Instance, recipe",
        "",
        "",
        '@recipe(now="2026-06-01T09:00:00.000Z")',
        "def small(inst: Instance) -> None:",
    ]
    return "\n".join([*head, docstring(doc), *(body or ["    inst.advance(seconds=0)"])]) + "\n", rows


def _names(variable: str, line: str) -> bool:
    return re.search(rf"(?<![\w\"]){variable}(?![\w\"])", line) is not None


def _rows(resource: Resource, count: int, known: dict[str, list[Any]]) -> tuple[list[tuple[str, str]], list[Any]]:
    """The lines that make a resource's rows, and their keys."""
    lines: list[tuple[str, str]] = []
    keys: list[Any] = []
    operation = creation(resource)
    for number in range(1, count + 1):
        if operation is not None:
            given = arguments(resource, operation, number, known or {"": []})
            if given is None:
                return lines, keys
            variable = f"{resource.name}_{number}"
            lines.append((variable, f"{call(operation.tool, given)}[{text(resource.key.wire)}]"))
            keys.append(Name(variable))
        else:
            cells = _cells(resource, number, known)
            if cells is None:
                return lines, keys
            key = number if resource.key.shape.kind == "integer" else f"{resource.name}_{number}"
            cells = {resource.key.name: key, **cells, "place": Name("ctx.seq()")}
            given_cells = ", ".join(f"{name}={written(value)}" for name, value in cells.items())
            lines.append(("", f"B:{resource.class_name}.objects.create({given_cells})"))
            keys.append(key)
    return lines, keys


def _cells(resource: Resource, number: int, known: dict[str, list[Any]]) -> dict[str, Any] | None:
    """The cells of a row that no tool makes."""
    cells: dict[str, Any] = {}
    for column in resource.columns:
        if column.refers:
            keys = known.get(column.refers.name)
            if keys:
                cells[column.attribute] = keys[(number - 1) % len(keys)]
            elif not column.nullable:
                return None
            continue
        if column.source in ("created", "updated"):
            value: Any = Name(
                "ctx.clock.now()" if column.shape.kind == "datetime"
                else "ctx.clock.now().date()" if column.shape.kind == "date" else "ctx.clock.ms() // 1000"
            )  # fmt: skip
        else:
            value = sample(column.wire, column.shape, resource.name, number)
        if column.shape.kind in ("datetime", "date") and not isinstance(value, Name):
            value = Name("ctx.clock.now()" if column.shape.kind == "datetime" else "ctx.clock.now().date()")
        if value is None and not column.nullable and column.zero is None:
            return None
        if value is not None:
            cells[column.name] = value
    return cells
