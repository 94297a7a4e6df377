"""What does this process remember for pages to be reloaded, and how much of it?"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Generic, TypeVar

from worlds.engine.hosting import new_id

T = TypeVar("T")


class Shelf(Generic[T]):
    """A bounded number of things under ids that nobody can guess; the one used longest ago goes first."""

    def __init__(self, most: int, most_bytes: int = 0) -> None:
        self._most, self._most_bytes = most, most_bytes
        self._kept: OrderedDict[str, tuple[T, int]] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def put(self, thing: T, size: int = 0, *, id: str = "") -> str:
        """Keep a thing of some bytes; answers its id."""
        id = id or new_id()
        with self._lock:
            self._drop(id)
            self._kept[id] = thing, size
            self._size += size
            while len(self._kept) > 1 and self._is_full():
                self._drop(next(iter(self._kept)))
        return id

    def get(self, id: str) -> T | None:
        with self._lock:
            found = self._kept.get(id)
            if found is None:
                return None
            self._kept.move_to_end(id)
            return found[0]

    def items(self) -> list[tuple[str, T]]:
        """What is kept, the latest first."""
        with self._lock:
            return [(id, thing) for id, (thing, _) in reversed(self._kept.items())]

    def _is_full(self) -> bool:
        return len(self._kept) > self._most or bool(self._most_bytes and self._size > self._most_bytes)

    def _drop(self, id: str) -> None:
        if id in self._kept:
            self._size -= self._kept.pop(id)[1]
