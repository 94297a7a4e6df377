"""How does a row look on the wire?

A resource says what it knows; the published shape says the rest: a field that is required or nullable is always there,
another only when it has a value.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db.models import Field, Model

from worlds.stripe import facts

#: How many characters follow a prefix, where not 24.
ID_LENGTHS = {
    "cus_": 14, "prod_": 14, "si_": 14, "acct_": 16, "cs_test_": 58, "whsec_": 32, "coupon_": 8, "ent_test_": 32,
    "feat_test_": 32, "appsecret_": 30, "climsup_": 14, "ipcd_": 14, "ics_": 14, "mtr_test_": 32, "mtrusg_test_": 32,
    "qry_": 6, "rate_": 14, "tax_li_": 14, "taxreg_": 14, "tmc_": 14, "": 8,
}  # fmt: skip
#: Parts that are left out unless `expand[]` asks for them, though they may be null: (object, field).
ONLY_EXPANDED: set[tuple[str, str]] = {("charge", "refunds")}
#: Makes a row's values where its columns do not say all: by object name.
SHAPERS: dict[str, Callable[[Any], dict[str, Any]]] = {}


def shaped(name: str) -> Callable[[Callable[[Any], dict[str, Any]]], Callable[[Any], dict[str, Any]]]:
    """Register what a resource shows besides, or instead of, its columns: `fn(row) -> {field: value}`."""

    def register(fn: Callable[[Any], dict[str, Any]]) -> Callable[[Any], dict[str, Any]]:
        SHAPERS[name] = fn
        return fn

    return register


def of(row: Model) -> dict[str, Any]:
    """A row as the API shows it, references as ids."""
    name: str = row.object_name  # type: ignore[attr-defined]
    if getattr(row, "deleted", False):
        return {"id": row.pk, "object": name, "deleted": True}
    values = columns(row)
    if name in SHAPERS:
        values |= SHAPERS[name](row)
    return complete(name, values)


def columns(row: Model) -> dict[str, Any]:
    """What a row's columns say, by the API's names."""
    return {
        field.name: _plain(field, row)
        for field in row._meta.concrete_fields
        if not field.name.startswith("x_") and field.name != "deleted"
    }


def _plain(field: Field[Any, Any], row: Model) -> Any:
    value = getattr(row, field.attname)
    return int(value.timestamp()) if isinstance(value, datetime) else value


def complete(name: str, values: dict[str, Any]) -> dict[str, Any]:
    """An object of the published shape, from the values that are known."""
    shape = facts.objects()[name]
    found: dict[str, Any] = {}
    for field in ("id", "object", *shape.fields):
        if field in shape.fields and field not in found:
            value = _field(shape, field, values)
            if value is not _ABSENT:
                found[field] = value
    return found


_ABSENT: Any = object()


def _field(shape: facts.ObjectShape, field: str, values: dict[str, Any]) -> Any:
    kind = facts.resolved(shape.fields[field])
    nullable = isinstance(kind, list) and kind[0] == "null"
    if values.get(field) is not None:
        return _shaped_value(kind, values[field])
    if field == "livemode":
        return False
    if field == "object":
        return kind[1][0]
    if (shape.name, field) in ONLY_EXPANDED:
        return _ABSENT
    if nullable:
        return None
    return _ABSENT if field in shape.optional else default(kind)


def _shaped_value(kind: Any, value: Any) -> Any:
    """A value with what its shape demands inside it."""
    kind = facts.resolved(kind)
    if isinstance(kind, list) and kind[0] == "null":
        return _shaped_value(kind[1], value)
    if isinstance(value, dict):
        if isinstance(kind, str) and kind.startswith("@") and not facts.objects()[kind[1:]].one_of:
            return complete(kind[1:], value) if "deleted" not in value else value
        return value
    if isinstance(value, list) and isinstance(kind, list) and kind[0] == "array":
        return [_shaped_value(kind[1], item) for item in value]
    return value


def default(kind: Any) -> Any:
    """What stands where something must and nothing is known."""
    kind = facts.resolved(kind)
    if isinstance(kind, str):
        if kind.startswith("@"):
            return complete(kind[1:], {})
        return {"i": 0, "n": 0, "ts": 0, "b": False, "any": None, "dec": "0"}.get(kind, "")
    match kind[0]:
        case "null":
            return None
        case "enum":
            return kind[1][0]
        case "array":
            return []
        case "list":
            return {"object": "list", "data": [], "has_more": False, "url": kind[2] if len(kind) > 2 else ""}
        case "object":
            return {name: default(shape) for name, shape in kind[1].items() if name in (kind[2] if kind[2:] else ())}
        case "any_of":
            return default(kind[1][0])
        case "map":
            return {}
    return ""
