"""How is a record changed, so that a change to nothing leaves no trace?"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from worlds.helpdesk.errors import SetAndCleared
from worlds.helpdesk.models import Customer, Macro, SlaPolicy


def given(fields: Mapping[str, Any], clear: Collection[str] | None = None) -> dict[str, Any]:
    """The columns a caller means to change: those not None, text trimmed, and None for each name in `clear`.

    Raises: SetAndCleared for a field that is both.
    """
    changes = {
        name: value.strip() if isinstance(value, str) else value for name, value in fields.items() if value is not None
    }
    for name in clear or ():
        if name in changes:
            raise SetAndCleared(name)
        changes[name] = None
    return changes


def change(record: Customer | Macro | SlaPolicy, changes: Mapping[str, Any], now: datetime) -> None:
    """Write the columns that differ, with the time of the change; write nothing when none does."""
    changed = [name for name, value in changes.items() if getattr(record, name) != value]
    if not changed:
        return
    for name in changed:
        setattr(record, name, changes[name])
    record.updated_at = now
    record.save(update_fields=[*changed, "updated_at"])
