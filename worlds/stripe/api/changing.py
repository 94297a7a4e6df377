"""How do parameters become columns, and what did a change change?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from worlds.stripe.api import wire
from worlds.stripe.api.validating import CLEARED
from worlds.stripe.models.base import Resource


def metadata(present: dict[str, str] | None, given: Any) -> dict[str, str]:
    """The keys after a request: given ones are merged, one with "" goes, and "" for all clears."""
    if given == CLEARED:
        return {}
    merged = {**(present or {}), **(given or {})}
    return {key: value for key, value in merged.items() if value != ""}


def merged(present: Any, given: Any) -> Any:
    """A nested object after a request, leaf by leaf; "" clears it."""
    if given == CLEARED:
        return None
    if not isinstance(given, dict):
        return given
    return {**(present or {}), **{key: merged((present or {}).get(key), value) for key, value in given.items()}}


def values(params: dict[str, Any], names: Iterable[str], present: Resource | None = None) -> dict[str, Any]:
    """The columns that a request sets, of those named; nested objects are merged into what is there."""
    found: dict[str, Any] = {}
    for name in names:
        if name not in params:
            continue
        before = getattr(present, name) if present is not None else None
        if name == "metadata":
            found[name] = metadata(before, params[name])
        else:
            found[name] = merged(before, params[name])
    return found


def change(row: Resource, new: dict[str, Any]) -> dict[str, Any] | None:
    """Write the columns that differ; answers what the changed attributes were on the wire, None when nothing was."""
    before = wire.of(row)
    new = {name: _default(row, name) if value is None else value for name, value in new.items()}
    changed = [name for name, value in new.items() if getattr(row, name) != value]
    if not changed:
        return None
    for name in changed:
        setattr(row, name, new[name])
    row.save(update_fields=changed)
    return differences(before, wire.of(row)) or None


def _default(row: Resource, name: str) -> Any:
    """What a column holds that was cleared: nothing, or a list without items."""
    field: Any = row._meta.get_field(name.removesuffix("_id"))
    return None if field.null else field.get_default()


def differences(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """The old values of what changed; of nested objects only the keys that did, null for a new one."""
    found: dict[str, Any] = {}
    for key in {**after, **before}:
        old, new = before.get(key), after.get(key)
        if old == new:
            continue
        if isinstance(old, dict) and isinstance(new, dict) and key != "items":
            found[key] = {name: old.get(name) for name in {**old, **new} if old.get(name) != new.get(name)}
        else:
            found[key] = old
    return dict(sorted(found.items()))
