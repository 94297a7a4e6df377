"""Which tables may be asked in SQL, and what is in them?"""

from __future__ import annotations

import functools
import re
from typing import Any

from django.apps import apps
from django.db import models

from worlds.stripe.models.base import Resource
from worlds.stripe.tools import errors

#: Tables that are the tools' own.
_NOT_DATA = frozenset({"approvals", "feedback", "query_runs"})
_TYPES = {
    models.BooleanField: "boolean",
    models.DateTimeField: "timestamp",
    models.IntegerField: "integer",
    models.BigIntegerField: "integer",
    models.JSONField: "json",
}


@functools.cache
def by_name() -> dict[str, type[Resource]]:
    """The tables with data of the account."""
    found = {
        model._meta.db_table: model
        for model in apps.get_app_config("stripe").get_models()
        if issubclass(model, Resource) and model._meta.db_table not in _NOT_DATA
    }
    return dict(sorted(found.items()))


def columns(name: str) -> list[str]:
    """The columns that are shown of a table."""
    return [field.name for field in _fields(by_name()[name])]


def described(name: str) -> dict[str, Any]:
    """A table with its columns.

    Raises: WrongQuery for one that is not there.
    """
    model = by_name().get(name)
    if model is None:
        raise errors.WrongQuery(f"No such table: '{name:.100}'. Use search_query_tables to find the tables there are.")
    return {"object": "query_table", **_named(name), "columns": [_column(field) for field in _fields(model)]}


def _fields(model: type[Resource]) -> list[Any]:
    # A column is named like its field, references too.
    return [field for field in model._meta.concrete_fields if not field.name.startswith("x_")]


def _named(name: str) -> dict[str, Any]:
    text = re.split(r"[:;\n]", (by_name()[name].__doc__ or "").strip(), maxsplit=1)[0]
    return {"name": name, "description": text.rstrip(".") + "."}


def _column(field: Any) -> dict[str, Any]:
    shown = {"name": field.name, "type": _TYPES.get(type(field), "text"), "nullable": field.null}
    if field.is_relation:
        shown |= {"type": "text", "references": field.related_model._meta.db_table}
    if field.choices:
        shown["values"] = [value for value, _ in field.choices]
    return shown


def search(query: str) -> list[dict[str, Any]]:
    """The tables that have most of the words in their names, descriptions and columns; all for no words."""
    words = [word.rstrip("s") for word in re.findall(r"[a-z0-9]+", query.lower())]
    found = []
    for name in by_name():
        text = " ".join((_named(name)["description"], *columns(name))).lower()
        score = sum(3 * (word in name) + (word in text) for word in words)
        if score or not words:
            found.append((-score, name))
    return [{"object": "query_table", **_named(name)} for _, name in sorted(found)]
