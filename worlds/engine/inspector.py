"""How do graders and people look at an instance without touching it?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from django.conf import settings

from worlds.engine import active, sandbox
from worlds.engine.chance import Stream
from worlds.engine.changes import json_value
from worlds.engine.db import binding
from worlds.engine.node import Node
from worlds.engine.store import Store


class Inspector:
    """A read-only connection on an instance's rows as they were when it was asked for.

    It has pages of its own (a dictionary copied), so a running call neither waits for it nor shows through.
    """

    def __init__(self, node: Node, seed: bytes) -> None:
        source = node.store
        self.version = source.version
        self._node = node
        self._store = Store(
            source.path,
            source.pages.copy(),
            schema=source.schema,
            clock=source.clock,
            chance=Stream(seed, "inspect"),
            cache_kib=settings.SEAHAVEN_PAGE_CACHE_KIB,
            writable=False,
        )

    def rows(self, sql: str, *params: Any) -> list[dict[str, Any]]:
        """Every row of one read-only statement, as dictionaries; blobs as base64 text.

        Raises: DbError for a statement that writes, attaches or runs longer than SEAHAVEN_SQL_TIMEOUT_S.
        """
        self._store.take_reading()
        policy = sandbox.inspection_policy(settings.SEAHAVEN_SQL_TIMEOUT_S)
        result = sandbox.run_statement(self._store.raw, sql, params, policy=policy)
        return [dict(zip(result.columns, map(json_value, row), strict=True)) for row in result.rows]

    def one(self, sql: str, *params: Any) -> dict[str, Any] | None:
        """The first row, or None."""
        found = self.rows(sql, *params)
        return found[0] if found else None

    @contextmanager
    def bound(self) -> Iterator[None]:
        """Let ORM code in a block read these rows; writing raises."""
        standing = SimpleNamespace(
            clock=self._store.clock, app_labels=self._node.app_labels, world=self._node.world, info=self._node.info
        )
        previous, bound = active.enter(standing), binding.bind(self._store.wrapper)
        try:
            yield
        finally:
            binding.unbind(bound)
            active.leave(previous)

    def close(self) -> None:
        self._store.close()
