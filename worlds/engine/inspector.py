"""How do graders and people look at an instance without touching it?"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from django.conf import settings

from worlds.engine import active, agent_sql, policy, sandbox
from worlds.engine.chance import Stream
from worlds.engine.changes import json_value
from worlds.engine.db import binding
from worlds.engine.errors import InstanceClosed
from worlds.engine.names import schema_name
from worlds.engine.node import Node
from worlds.engine.store import Store


class View(SimpleNamespace):
    """What stands where a running node stands while ORM code looks on: its clock, world and apps."""


def versions(*nodes: Node) -> tuple[int, ...]:
    """What moves when a committed change makes an inspector out of date."""
    return tuple(node.store.version for node in nodes)


class Inspector:
    """A read-only connection on an instance's rows as they were when it was asked for.

    It has pages of its own (a dictionary copied), so a running call neither waits for it nor shows through. It may be
    kept, and used on any thread; its connection closes with it.
    """

    def __init__(self, node: Node, seed: bytes, beside: Sequence[Node] = ()) -> None:
        """`node` is what unqualified names mean; the stores `beside` it stand under their paths, `shop__payments`."""
        source = node.store
        self.version = versions(node, *beside)
        self._node = node
        self._store = Store(
            source.path,
            source.pages.copy(),
            schema=source.schema,
            clock=source.clock,
            chance=Stream(seed, "inspect"),
            cache_kib=settings.SEAHAVEN_PAGE_CACHE_KIB,
            writable=False,
            attached={schema_name(other.path): other.store.pages.copy() for other in beside},
        )
        self._lock = threading.Lock()
        # Its functions point back at the connection, so it would not be collected by itself.
        self._finalize = weakref.finalize(self, self._store.close)
        self._finalize.atexit = False

    def rows(self, sql: str, *params: Any) -> list[dict[str, Any]]:
        """Every row of one read-only statement, as dictionaries; blobs as base64 text.

        Raises: DbError for a statement that writes, attaches or runs longer than SEAHAVEN_SQL_TIMEOUT_S.
        """
        result = self.select(sql, params)
        return [dict(zip(result.columns, map(json_value, row), strict=True)) for row in result.rows]

    def select(
        self, sql: str, params: sandbox.Params = (), *, max_rows: int | None = None, max_bytes: int | None = None
    ) -> sandbox.SqlResult:
        """The first rows of one read-only statement, as SQLite stores the values.

        Raises: DbError as `rows` does.
        """
        allowed = policy.inspection_policy(settings.SEAHAVEN_SQL_TIMEOUT_S)
        allowed = replace(allowed, max_rows=max_rows, max_bytes=max_bytes)
        with self._lock:
            self._require_open()
            self._store.take_reading()
            return sandbox.run_statement(self._store.raw, sql, params, policy=allowed)

    def one(self, sql: str, *params: Any) -> dict[str, Any] | None:
        """The first row, or None."""
        found = self.rows(sql, *params)
        return found[0] if found else None

    def describe(self, tables: Collection[str], node: str = "main") -> list[dict[str, Any]]:
        """What tables of the store at a path look like, as the tool that `describe_schema` makes tells it."""
        store = schema_name(node)
        with self._lock:
            self._require_open()
            return [agent_sql.describe_table(self._store.raw, table, store) for table in tables]

    @contextmanager
    def bound(self) -> Iterator[None]:
        """Let ORM code in a block read these rows; writing raises."""
        node = self._node
        view = View(clock=self._store.clock, app_labels=node.app_labels, world=node.world, info=node.info)
        previous, bound = active.enter(view), binding.bind(self._store.wrapper)
        try:
            yield
        finally:
            binding.unbind(bound)
            active.leave(previous)

    def _require_open(self) -> None:
        if not self._finalize.alive:
            raise InstanceClosed("the instance was destroyed, and what inspected it with it")

    def close(self) -> None:
        with self._lock:
            self._finalize()
