"""How does ORM code find the store of the instance it runs in?

For the length of a call the store's connection stands behind the alias `world` on this thread, and behind `default`
too: `transaction.atomic()`, `connection.cursor()` and a reusable app's own `using="default"` then reach the instance's
store, and nothing a world does can touch the control database.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections

from worlds.engine.db.base import ALIAS

_ABSENT: Any = object()
#: Where Django looks for this thread's connections, what stood behind the aliases there.
Bound = tuple[dict[str, Any], Any, Any]


def _connections() -> dict[str, Any]:
    """This thread's connections by alias: what every query looks in, without the locks and layers around it."""
    storage = connections._connections  # type: ignore[attr-defined]
    if not isinstance(storage, threading.local):
        storage = storage._get_storage()
    found: dict[str, Any] = storage.__dict__ if isinstance(storage, threading.local) else _AsAttributes(storage)
    return found


class _AsAttributes(dict[str, Any]):
    """The same for code that runs on an event loop, whose connections belong to its task."""

    def __init__(self, storage: Any) -> None:
        self._storage = storage

    def get(self, key: str, default: Any = None) -> Any:
        return getattr(self._storage, key, default)

    def __setitem__(self, key: str, value: Any) -> None:
        setattr(self._storage, key, value)

    def __delitem__(self, key: str) -> None:
        delattr(self._storage, key)


def bind(wrapper: Any) -> Bound:
    """Put a store behind the aliases on this thread; answers what `unbind` puts back."""
    here = _connections()
    previous = here, here.get(ALIAS, _ABSENT), here.get(DEFAULT_DB_ALIAS, _ABSENT)
    here[ALIAS] = here[DEFAULT_DB_ALIAS] = wrapper
    return previous


def unbind(previous: Bound) -> None:
    """Put back what stood behind the aliases before `bind`."""
    here, *wrappers = previous
    for alias, wrapper in zip((ALIAS, DEFAULT_DB_ALIAS), wrappers, strict=True):
        if wrapper is _ABSENT:
            del here[alias]
        else:
            here[alias] = wrapper


@contextmanager
def bound(wrapper: Any) -> Iterator[None]:
    """A block with a store behind the aliases."""
    previous = bind(wrapper)
    try:
        yield
    finally:
        unbind(previous)
