"""How is a record changed, so that a change to nothing leaves no trace?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import Model


def change(record: Model, changes: Mapping[str, Any], **stamps: Any) -> bool:
    """Write the columns that differ, with the stamps of the change; write nothing, and answer False, when none does."""
    changed = [name for name, value in changes.items() if getattr(record, name) != value]
    if not changed:
        return False
    written = {name: changes[name] for name in changed} | stamps
    for name, value in written.items():
        setattr(record, name, value)
    record.save(update_fields=list(written))
    return True
