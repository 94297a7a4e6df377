"""What is in the tools of a world that is made from an OpenAPI document?"""

from __future__ import annotations

from collections.abc import Iterator

from worlds.engine.scaffold.layout import docstring, source, text
from worlds.engine.scaffold.openapi.arguments import LIMIT
from worlds.engine.scaffold.openapi.blueprint import VERBS, Argument, Blueprint, Column, Operation, Resource
from worlds.engine.scaffold.openapi.typing_code import annotation, default_of, enum_name

_HEAD = '''"""What can be done with {many}?"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, Field
from {package} import errors, listing, records
from {package}.models import {classes}
from {package}.tools.arguments import Whole
from worlds.engine import Ctx, tool
'''


def tools_code(made: Blueprint, resource: Resource, package: str) -> str:
    """The source of one resource's module of tools."""
    classes = {resource.class_name, *(column.refers.class_name for column in resource.columns if column.refers)}
    classes |= {
        enum_name(resource.class_name, each) for each in resource.columns if each.shape.enum and not each.refers
    }
    many = resource.module.replace("_", " ")
    lines = _HEAD.format(many=many, package=package, classes=", ".join(sorted(classes))).rstrip("\n").split("\n")
    for verb in VERBS:
        for operation in resource.of(verb):
            lines += ["", "", *_tool(resource, operation)]
    return "\n".join(lines) + "\n"


def clear_name(operation: Operation) -> str:
    """The argument that names what is to be emptied; "" where nothing may be."""
    if operation.verb != "update" or not _clearable(operation):
        return ""
    taken = {each.wire for each in operation.arguments} | {each.name for each in operation.arguments}
    return "clear" if "clear" not in taken else "clear_properties"


def _clearable(operation: Operation) -> list[Argument]:
    return [
        each
        for each in operation.arguments
        if each.role == "body" and each.column is not None and each.column.nullable and not each.required
    ]


def _tool(resource: Resource, operation: Operation) -> Iterator[str]:
    clear = clear_name(operation)
    if clear:
        pairs = {each.wire: each.column.attribute for each in _clearable(operation) if each.column}
        yield f"{_cleared_by(resource, operation)} = {source(pairs)}"
        yield ""
        yield ""
    yield "@tool"
    parameters = ["ctx: Ctx", *(_parameter(resource, each) for each in operation.arguments)]
    if clear:
        names = f"Literal[{', '.join(text(each.wire) for each in _clearable(operation))}]"
        said = 'Field(description="Properties to empty; the others that are left out stay as they are.")'
        parameters.append(f"{clear}: Annotated[list[{names}] | None, {said}] = None")
    answers = "list[dict[str, Any]]" if operation.verb == "list" and operation.envelope is None else "dict[str, Any]"
    yield f"def {operation.tool}({', '.join(parameters)}) -> {answers}:"
    yield docstring(operation.description)
    yield from _BODIES[operation.verb](resource, operation)


def _cleared_by(resource: Resource, operation: Operation) -> str:
    """What the columns are called that an operation may empty, by the names of its properties."""
    number = resource.of("update").index(operation) + 1
    return "_CLEARED" if number == 1 else f"_CLEARED_{number}"


def _parameter(resource: Resource, argument: Argument) -> str:
    column = argument.column
    alias = ""
    if column is not None and column.shape.enum and argument.shape.enum == column.shape.enum and not column.refers:
        alias = enum_name(resource.class_name, column)
    default = default_of(argument)
    return f"{argument.name}: {annotation(argument, alias)}" + (f" = {default}" if default else "")


def _found(resource: Resource, operation: Operation) -> str:
    """The row that a path names."""
    key = next(each for each in operation.arguments if each.role == "key")
    scope = [
        f", {each.column.attribute}={each.name}" for each in operation.arguments if each.role == "path" and each.column
    ]
    return f"records.find({resource.class_name}, {key.name}{''.join(scope)})"


def _get(resource: Resource, operation: Operation) -> Iterator[str]:
    yield f"    return {_found(resource, operation)}.as_dict()"


def _delete(resource: Resource, operation: Operation) -> Iterator[str]:
    yield f"    row = {_found(resource, operation)}"
    if operation.answers_row:
        yield "    shown = row.as_dict()"
        yield "    records.remove(row)"
        yield "    return shown"
        return
    key = next(each for each in operation.arguments if each.role == "key")
    yield "    records.remove(row)"
    yield f'    return {{{text(resource.key.wire)}: {key.name}, "deleted": True}}'


def _create(resource: Resource, operation: Operation) -> Iterator[str]:
    given = [each for each in operation.arguments if each.column is not None]
    cells = [f"{resource.key.name}={_minted(resource, operation)}"]
    by_column = {each.column: each for each in given if each.role != "key"}
    times = [each for each in resource.columns if each.source in ("created", "updated")]
    for argument in given:
        yield from _required_row(argument)
        if argument.role == "key":
            yield f"    if {resource.class_name}.objects.filter(pk={argument.name}).exists():"
            noun = resource.name.replace("_", " ")
            yield f"        raise errors.Taken({text(noun)}, {argument.name})"
    for column in resource.columns:
        if column in by_column:
            cells.append(f"{column.attribute}={_value(column, by_column[column])}")
        elif column in times:
            cells.append(f"{column.name}={_now(column)}")
    cells.append("place=ctx.seq()")
    yield f"    row = {resource.class_name}({', '.join(cells)})"
    yield "    row.save(force_insert=True)"
    yield "    return row.as_dict()"


def _minted(resource: Resource, operation: Operation) -> str:
    for each in operation.arguments:
        if each.role == "key":
            return each.name
    if resource.minted == "integer":
        return "ctx.seq()"
    return "ctx.ids.uuid()" if resource.minted == "uuid" else f'f"{resource.name[:40]}_{{ctx.ids.token(14)}}"'


def _required_row(argument: Argument) -> Iterator[str]:
    """A row that an argument names must be there."""
    if argument.column is not None and argument.column.refers and argument.role in ("body", "path"):
        yield f"    records.require({argument.column.refers.class_name}, {argument.name})"


def _value(column: Column, argument: Argument) -> str:
    if isinstance(argument.default, list | dict) and not argument.required:
        return f"{argument.name} or {source(argument.default)}"
    return argument.name


def _now(column: Column) -> str:
    if column.shape.kind == "datetime":
        return "ctx.clock.now()"
    return "ctx.clock.now().date()" if column.shape.kind == "date" else "ctx.clock.ms() // 1000"


def _update(resource: Resource, operation: Operation) -> Iterator[str]:
    body = [each for each in operation.arguments if each.role == "body" and each.column is not None]
    for argument in body:
        yield from _required_row(argument)
    yield f"    row = {_found(resource, operation)}"
    pairs = ", ".join(f"{text(each.column.attribute)}: {each.name}" for each in body if each.column is not None)
    yield f"    changes = records.given({{{pairs}}})"
    clear = clear_name(operation)
    if clear:
        yield f"    changes |= {{{_cleared_by(resource, operation)}[name]: None for name in {clear} or ()}}"
    updated = [each for each in resource.columns if each.source == "updated"]
    times = "".join(f", {each.name}={_now(each)}" for each in updated)
    yield f"    records.change(row, changes{times})"
    yield "    return row.as_dict()"


def _list(resource: Resource, operation: Operation) -> Iterator[str]:
    pairs = []
    for each in operation.arguments:
        if each.role == "path" and each.column is not None:
            yield from _required_row(each)
        if each.role in ("path", "filter") and each.column is not None:
            lookup = f"{each.column.attribute}__in" if each.shape.kind == "array" else each.column.attribute
            pairs.append(f"{text(lookup)}: {each.name}")
    rows = f"{resource.class_name}.objects"
    if pairs:
        rows += f".filter(**records.given({{{', '.join(pairs)}}}))"
        yield f"    rows = {rows}"
        rows = "rows"
    paging = {each.role: each.name for each in operation.arguments if each.role in ("limit", "offset", "page", "after")}
    options = "".join(f", {role}={name}" for role, name in paging.items())
    yield f'    found = listing.page({rows}.order_by("place"){options})'
    shown = "[row.as_dict() for row in found.rows]"
    if operation.envelope is None:
        yield f"    return {shown}"
        return
    yield "    return {"
    yield f"        {text(operation.envelope.items)}: {shown},"
    for name, role in operation.envelope.others.items():
        yield f"        {text(name)}: {_member(role, paging)},"
    yield "    }"


def _member(role: str, paging: dict[str, str]) -> str:
    if role.startswith("="):
        return source(None) if role == "=None" else role[1:].replace("'", '"')
    match role:
        case "has_more":
            return "found.has_more"
        case "total":
            return "found.total"
        case "count":
            return "len(found.rows)"
        case "next":
            return "found.next" if "after" in paging else "None"
    fallback = {"limit": str(LIMIT), "offset": "0", "page": "1"}[role]
    if role not in paging:
        return fallback
    return paging[role] if role == "limit" else f"{paging[role]} or {fallback}"


_BODIES = {"get": _get, "delete": _delete, "create": _create, "update": _update, "list": _list}
