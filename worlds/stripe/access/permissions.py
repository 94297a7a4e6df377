"""Which permission does an operation need, and which does a restricted key have?

Keys are given names such as `customer_write`, with or without the `rak_` that Stripe puts before them. Who may write
may read.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable

from worlds.engine import Ctx
from worlds.stripe import facts
from worlds.stripe.access import catalogue

_PREFIX = "rak_"
#: Where `ctx.state` keeps the permissions of restricted keys, and those of the agent's own session.
KEYS, SESSION = "restricted_keys", "agent_permissions"
#: What a permission on the left, as it is known elsewhere, is good for beside itself.
_INCLUDES = {
    "balance_read": ("balance_amount_read",),
    "connected_account_read": ("limited_account_read", "limited_account_retrieve"),
    "customer_read": ("customer_limited_read", "customer_balance_transactions_read"),
}


@functools.cache
def needed(operation_id: str) -> tuple[str, ...]:
    """The permissions an operation needs: as they are known, else as those of its neighbours are named."""
    known = catalogue.offered().get(operation_id)
    if known is not None and known.permissions:
        return known.permissions
    operation = facts.operations()[operation_id]
    return (f"{_subject(operation)}_{'read' if operation.method == 'GET' else 'write'}",)


def _subject(operation: facts.Operation) -> str:
    """What the permission is about: `charge` of `/v1/refunds`, else the words of the path in the singular."""
    root = operation.path.partition("/{")[0]
    for entry in catalogue.offered().values():
        if entry.permissions and facts.operations()[entry.id].path.partition("/{")[0] == root:
            name = entry.permissions[0].rpartition("_")[0].removeprefix("limited_")
            return "connected_account" if name == "account" else name.removesuffix("_limited")
    words = [word for word in root.strip("/").split("/")[1:] if word not in ("test_helpers", "search")]
    return "_".join((*words[:-1], words[-1].removesuffix("s")))


def widened(given: Iterable[str]) -> frozenset[str]:
    """Permissions with all they are good for."""
    found = {name.removeprefix(_PREFIX) for name in given}
    found |= {f"{name.removesuffix('_write')}_read" for name in found if name.endswith("_write")}
    found |= {more for name in tuple(found) for more in _INCLUDES.get(name, ())}
    return frozenset(found)


def of_key(ctx: Ctx, key: str) -> frozenset[str] | None:
    """What a key may do; None for one that nothing was said about, which may do everything."""
    given = ctx.state.get(KEYS, {}).get(key)
    return None if given is None else frozenset(given)


def of_session(ctx: Ctx) -> frozenset[str] | None:
    """What the agent's own session may do; None is everything."""
    given = ctx.state.get(SESSION)
    return None if given is None else frozenset(given)


def missing(permissions: frozenset[str] | None, operation_id: str) -> tuple[str, ...]:
    """What an operation needs and the permissions lack."""
    if permissions is None:
        return ()
    return tuple(name for name in needed(operation_id) if name not in permissions)
