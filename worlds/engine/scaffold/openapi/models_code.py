"""What is in the models of a world that is made from an OpenAPI document?"""

from __future__ import annotations

from collections.abc import Iterator

from worlds.engine.scaffold.layout import docstring, source, text
from worlds.engine.scaffold.openapi.blueprint import Blueprint, Column, Resource
from worlds.engine.scaffold.openapi.typing_code import enum_name, literal, model_field, rendered

_HEAD = """
from __future__ import annotations

from typing import Any, Literal

from django.db import models
from worlds.engine import choices, instant, one_of
"""


def models_code(made: Blueprint, label: str, title: str) -> str:
    """The source of models.py."""
    has_null_text = any(
        column.nullable and not column.refers and (column.shape.is_text)
        for resource in made.resources
        for column in resource.columns
    )
    lines = [f'"""What does {title} store?"""']
    if has_null_text:
        lines += [
            "",
            "# ruff: noqa: DJ001 - a text that was never given is null in the API, which tells it from an empty one.",
        ]
    lines += _HEAD.split("\n")
    for resource in made.resources:
        for column in _with_enum(resource):
            lines.append(f"{enum_name(resource.class_name, column)} = {literal(column.shape.enum)}")
    if any(column.is_omitted and column.is_shown for resource in made.resources for column in resource.columns):
        lines += _SHOWN
    for resource in made.resources:
        lines += ["", "", *_model(resource, label)]
    return "\n".join(lines) + "\n"


_SHOWN = [
    "",
    "",
    "def _shown(row: dict[str, Any], optional: set[str]) -> dict[str, Any]:",
    docstring("A row without those of its optional properties that have no value."),
    "    return {name: value for name, value in row.items() if value is not None or name not in optional}",
]


def _with_enum(resource: Resource) -> list[Column]:
    return [each for each in resource.columns if each.shape.enum and not each.refers]


def _model(resource: Resource, label: str) -> Iterator[str]:
    yield f"class {resource.class_name}(models.Model):"
    yield docstring(resource.description)
    yield ""
    yield f"    {resource.key.name} = {_key_field(resource)}"
    for column in resource.columns:
        yield f"    {column.name} = {model_field(column, enum_name(resource.class_name, column))}"
    yield "    place = models.PositiveBigIntegerField(unique=True)"
    yield ""
    yield "    class Meta:"
    yield f"        db_table = {text(resource.table)}"
    constraints = [
        f"one_of({text(column.name)}, {enum_name(resource.class_name, column)}, "
        f"{text(f'{label}_{resource.table}_{column.name}')})"
        for column in _with_enum(resource)
    ]
    if constraints:
        yield f"        constraints = [{', '.join(constraints)}]"
    yield ""
    yield "    class Roles:"
    kept = [column.name for column in resource.columns if column.source in ("created", "updated")]
    yield f"        bookkeeping = {source((*kept, 'place'))}"
    yield ""
    yield "    def __str__(self) -> str:"
    named = next((each for each in resource.columns if each.name == "name" and each.shape.is_text), None)
    yield f"        return {'self.name' if named and not named.nullable else 'str(self.pk)'}"
    yield ""
    yield "    def as_dict(self) -> dict[str, Any]:"
    shown = [(resource.key.wire, f"self.{resource.key.name}")]
    shown += [(column.wire, rendered(column)) for column in resource.columns if column.is_shown]
    omitted = [column.wire for column in resource.columns if column.is_omitted and column.is_shown]
    yield "        row = {" if omitted else "        return {"
    for wire, value in shown:
        yield f"            {text(wire)}: {value},"
    yield "        }"
    if omitted:
        yield f"        return _shown(row, {{{', '.join(map(text, omitted))}}})"


def _key_field(resource: Resource) -> str:
    if resource.key.shape.kind == "integer":
        return "models.BigIntegerField(primary_key=True)"
    return "models.CharField(max_length=200, primary_key=True)"
