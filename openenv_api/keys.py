"""Which API keys are kept in the control database?"""

from __future__ import annotations

from django.db import connection
from django.utils import timezone

from openenv_api.access import KEYS, Scope
from openenv_api.models import ApiKey


def kept() -> dict[str, Scope]:
    """The scopes of the keys that are not revoked, by their hashes; none in a database that was never migrated."""
    try:
        if ApiKey._meta.db_table not in connection.introspection.table_names():
            return {}
        found = ApiKey.objects.filter(revoked_at=None).values_list("hash", "scope")
        return {hash: Scope.named(scope) for hash, scope in found}
    finally:
        connection.close()  # the thread that asks ends


def note_uses(hashes: set[str]) -> None:
    """Note that these keys were used just now; those of the settings are not kept here."""
    try:
        ApiKey.objects.filter(hash__in=hashes).update(used_at=timezone.now())
    finally:
        connection.close()  # the thread that notes ends


def create(name: str, scope: str) -> str:
    """A new key, to show once.

    Raises: ValidationError for a name that is taken, and for what is no scope.
    """
    record = ApiKey(name=name, scope=scope)
    key = record.mint()
    record.full_clean()
    record.save()
    KEYS.forget()
    return key


def revoke(record: ApiKey) -> None:
    """Make a key good for nothing; other processes notice within seconds."""
    record.revoked_at = timezone.now()
    record.save(update_fields=["revoked_at"])
    KEYS.forget()
