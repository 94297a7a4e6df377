"""How does ORM code find the store of the instance it runs in?

For the length of a call the store's connection stands behind the alias `world` on this thread, and behind `default`
too: `transaction.atomic()`, `connection.cursor()` and a reusable app's own `using="default"` then reach the instance's
store, and nothing a world does can touch the control database.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections

from worlds.engine.db.base import ALIAS

_ABSENT = object()


def bind(wrapper: Any) -> tuple[Any, Any]:
    """Put a store behind the aliases on this thread; answers what `unbind` puts back."""
    here = connections._connections  # type: ignore[attr-defined]
    previous = getattr(here, ALIAS, _ABSENT), getattr(here, DEFAULT_DB_ALIAS, _ABSENT)
    setattr(here, ALIAS, wrapper)
    setattr(here, DEFAULT_DB_ALIAS, wrapper)
    return previous


@contextmanager
def bound(wrapper: Any) -> Iterator[None]:
    """A block with a store behind the aliases."""
    previous = bind(wrapper)
    try:
        yield
    finally:
        unbind(previous)


def unbind(previous: tuple[Any, Any]) -> None:
    """Put back what stood behind the aliases before `bind`."""
    here = connections._connections  # type: ignore[attr-defined]
    for alias, wrapper in zip((ALIAS, DEFAULT_DB_ALIAS), previous, strict=True):
        if wrapper is _ABSENT:
            delattr(here, alias)
        else:
            setattr(here, alias, wrapper)
