"""What does a change mean to the world's models?"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from typing import Any

from django.apps import apps
from django.db import connections, models

from worlds.engine import installed
from worlds.engine.changes import Change
from worlds.engine.db.base import ALIAS
from worlds.engine.errors import WorldBug

BUSINESS, BOOKKEEPING, DERIVED = "business", "bookkeeping", "derived"


@dataclass(frozen=True, slots=True)
class TypedChange:
    """A change with its values as Python has them, by column; `roles` says what each column is for."""

    world: str
    table: str
    op: str
    model: type[models.Model]
    key: dict[str, Any]
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    roles: dict[str, str]


@lru_cache(maxsize=1024)
def model_of(table: str, world: str) -> type[models.Model]:
    """The model behind a table of a world.

    Raises: WorldBug when there is none.
    """
    labels = installed.get(world).app_labels
    for model in apps.get_models(include_auto_created=True):
        if model._meta.db_table == table and model._meta.app_label in labels:
            return model
    raise WorldBug(
        f"no model of world {world} stands for table {table!r}; give it one (managed = False if made by hand)"
    )


@lru_cache(maxsize=1024)
def roles_of(model: type[models.Model]) -> dict[str, str]:
    """What each column is for, as `class Roles` on the model declares it; business unless it says otherwise.

    Raises: WorldBug for a name that is no field, or is given two roles.
    """
    declared = getattr(model, "Roles", None)
    by_name: dict[str, Any] = {field.name: field.column for field in model._meta.local_concrete_fields}
    # A model that extends another's table inherits its roles too, and has those columns in the other's rows.
    known = {field.name for field in model._meta.concrete_fields}
    roles = dict.fromkeys(by_name.values(), BUSINESS)
    given: dict[str, str] = {}
    for role in (BOOKKEEPING, DERIVED):
        for name in getattr(declared, role, ()):
            if name not in known:
                raise WorldBug(f"{model._meta.label}.Roles.{role} names {name!r}, which is no field of the model")
            if name in given:
                raise WorldBug(
                    f"{model._meta.label}.Roles gives {name!r} two roles, {given[name]} and {role}; keep one"
                )
            given[name] = role
            if name in by_name:
                roles[by_name[name]] = role
    return roles


def typed(change: Change, world: str) -> TypedChange:
    """A change of a world through its model."""
    model = model_of(change.table, world)
    fields = {field.column: field for field in model._meta.local_concrete_fields}

    def values(row: dict[str, Any] | None) -> dict[str, Any] | None:
        return None if row is None else {name: _python(fields.get(name), value) for name, value in row.items()}

    return TypedChange(
        change.world,
        change.table,
        change.op,
        model,
        values(change.key) or {},
        values(change.before),
        values(change.after),
        roles_of(model),
    )


def _python(field: Any, value: Any) -> Any:
    """One stored value as its field's Python type."""
    if field is None or value is None:
        return value
    target = field.target_field if field.is_relation else field
    if isinstance(target, models.BinaryField):
        value = base64.b64decode(value)
    if hasattr(target, "from_db_value"):
        # JSON among them, and the fields of a world that store what they show in a form of their own.
        return target.from_db_value(value, None, connections[ALIAS])
    if isinstance(target, models.DurationField):
        return timedelta(microseconds=value)
    if isinstance(target, models.DecimalField):
        # Stored as a 15-digit number; the field's own scale is what was meant.
        value = f"{value:.{target.decimal_places}f}"
    return target.to_python(value)
