"""Do the columns a list is ordered by tell any two of its rows apart?"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from django.core.exceptions import FieldDoesNotExist
from django.db import models
from django.db.models.expressions import OrderBy

Model = type[models.Model]


def is_total(model: Model, order: Iterable[str | None], fixed: Iterable[str] = ()) -> bool:
    """Is there at most one row for each value of these columns, `fixed` being equal in all rows?"""
    names = {name for path in (*order, *fixed) if path and (name := settled(model, path.lstrip("-+")))}
    return any(keys <= names for keys in unique_keys(model))


@lru_cache(maxsize=4096)
def unique_keys(model: Model) -> tuple[frozenset[str], ...]:
    """Every set of fields that no two rows share: keys, unique fields and constraints, none of which may be null."""
    meta = model._meta
    fields = {field.name: field for field in meta.concrete_fields}
    found = [frozenset([name]) for name, field in fields.items() if field.primary_key or field.unique]
    if meta.pk is not None:
        found.append(frozenset([meta.pk.name]))
    for owner in (model, *meta.get_parent_list()):
        found += [frozenset(names) for names in owner._meta.unique_together]
        for constraint in owner._meta.constraints:
            if not isinstance(constraint, models.UniqueConstraint) or constraint.expressions:
                continue
            if constraint.condition is None:
                found.append(frozenset(constraint.fields))
    # What the author says no two rows share, though the database does not: such as numbers of ctx.seq().
    found += [frozenset([name]) for name in getattr(getattr(model, "Roles", None), "distinct", ()) if name in fields]
    return tuple(keys for keys in found if not any(fields[name].null for name in keys if name in fields))


@lru_cache(maxsize=4096)
def settled(model: Model, path: str) -> str | None:
    """The field whose value is settled where that of `path` is: "box" for "box__id"; None when there is none."""
    head, _, rest = path.partition("__")
    if head == "pk":
        head = model._meta.pk.name if model._meta.pk else ""
    try:
        field: Any = model._meta.get_field(head)
    except FieldDoesNotExist:
        return None
    if not getattr(field, "concrete", False) or field.many_to_many:
        return None
    if field.is_relation and head != field.attname:
        other = field.related_model
        if rest:
            inner = settled(other, rest)
            return field.name if inner and frozenset([inner]) in unique_keys(other) else None
        # Ordering by a relation follows the other model's own ordering, or its key.
        return field.name if not other._meta.ordering or is_total(other, default_order(other)) else None
    return None if rest else str(field.name)


def default_order(model: Model) -> tuple[str | None, ...]:
    """A model's `Meta.ordering` as names; None for what is no plain column."""
    return tuple(_name(each) for each in model._meta.ordering or ())


def _name(each: Any) -> str | None:
    if isinstance(each, OrderBy):
        name = _name(each.expression)
        return f"-{name}" if name and each.descending else name
    if isinstance(each, models.F):
        return str(vars(each)["name"])
    return each if isinstance(each, str) else None
