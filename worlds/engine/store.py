"""What is one database of an instance, while it runs?

A store owns its pages, the connection on them, the stream its SQL draws from, and the session that notes what a
transaction changed. It knows no tools and no calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import apsw

from worlds.engine.chance import Stream
from worlds.engine.changes import Change, Table, read_changeset
from worlds.engine.clock import Clock
from worlds.engine.db import dbapi, functions
from worlds.engine.db.base import DatabaseWrapper, wrapper_for
from worlds.engine.db.pages import Pages, connect
from worlds.engine.errors import WorldBug


class Schema:
    """What one image's tables look like; read once and shared by every store on it."""

    __slots__ = ("fingerprint", "shadow", "tables", "without_key")

    def __init__(self, raw: apsw.Connection) -> None:
        listed = raw.execute("SELECT name, type FROM pragma_table_list WHERE schema = 'main'").fetchall()
        ordinary = sorted(name for name, kind in listed if kind == "table" and not name.startswith("sqlite_"))
        self.shadow = frozenset(name for name, kind in listed if kind in ("shadow", "virtual"))
        self.tables: dict[str, Table] = {}
        self.without_key: list[str] = []
        for name in ordinary:
            info = raw.execute("SELECT name, pk FROM pragma_table_xinfo(?) WHERE hidden <> 1", (name,)).fetchall()
            key = tuple(column for column, pk in sorted(info, key=lambda row: row[1]) if pk)
            self.tables[name] = Table(name, tuple(column for column, _ in info), key)
            if not key:
                self.without_key.append(name)
        self.fingerprint = fingerprint(raw)


def fingerprint(raw: apsw.Connection) -> str:
    """SHA-256 of a database's declarations, blind to comments, white space and letter case outside quotes."""
    import hashlib

    rows = raw.execute(
        "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' "
        "ORDER BY type, name"
    ).fetchall()
    text = "\n".join("\t".join((kind, name, table, _normal(sql))) for kind, name, table, sql in rows)
    return hashlib.sha256(text.encode()).hexdigest()


def _normal(sql: str) -> str:
    import re

    pieces = re.findall(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/|\w+|[^\s\w]", sql, re.DOTALL)
    kept = (p if p[0] in "'\"" else p.lower() for p in pieces if not p.startswith(("--", "/*")))
    return " ".join(kept)


class Store:
    """One SQLite database of an instance; opened on first use, reopened after its pages were put back."""

    __slots__ = (
        "_cache_kib", "_session", "_wrapper", "_writable", "chance", "clock", "pages", "path", "reading_ms", "schema",
        "untracked", "version",
    )  # fmt: skip

    def __init__(
        self,
        path: str,
        pages: Pages,
        *,
        schema: Schema,
        clock: Clock,
        chance: Stream,
        untracked: frozenset[str] = frozenset(),
        cache_kib: int = 64,
        writable: bool = True,
    ) -> None:
        self.path = path
        self.pages = pages
        self.schema = schema
        self.clock = clock
        self.chance = chance
        self.untracked = untracked
        self.reading_ms = clock.ms()
        #: Moves with every committed change, so that readers know when to look again.
        self.version = 0
        self._cache_kib = cache_kib
        self._writable = writable
        self._session: apsw.Session | None = None
        self._wrapper: DatabaseWrapper | None = None

    # The connection.

    @property
    def wrapper(self) -> DatabaseWrapper:
        """Django's connection on this store."""
        if self._wrapper is None:
            raw = connect(self.pages, cache_kib=self._cache_kib, writable=self._writable)
            connection = dbapi.Connection(raw, self.take_reading)
            functions.register(connection, self)
            self._wrapper = wrapper_for(connection)
        return self._wrapper

    @property
    def raw(self) -> apsw.Connection:
        """APSW's connection on this store."""
        return self.wrapper.connection.raw  # type: ignore[no-any-return]

    def take_reading(self) -> None:
        """Read the clock for the statement about to run: every function in it sees this one instant."""
        self.reading_ms = self.clock.ms()

    def interrupt(self) -> None:
        """Stop a running statement; for another thread to call."""
        if self._wrapper is not None:
            self._wrapper.connection.raw.interrupt()

    def close(self) -> None:
        """Close the connection; the pages stay, and the next use opens another."""
        if self._session is not None:
            self._session.close()
            self._session = None
        if self._wrapper is not None:
            self._wrapper.connection.close()
            self._wrapper = None

    def revert(self, undo: Any) -> None:
        """Put pages back as they were; the connection does not notice, so it goes."""
        self.close()
        self.pages.revert(undo)
        self.version += 1

    def replace_pages(self, pages: Pages) -> None:
        """Become another database of the same schema."""
        self.close()
        self.pages = pages
        self.version += 1

    # What changed.

    def begin_capture(self) -> None:
        """Begin to note changed rows and pages."""
        session = apsw.Session(self.raw, "main")
        session.table_filter(self._is_tracked)
        session.attach()
        self._session = session
        self.pages.mark()

    def end_capture(self) -> tuple[list[Change], Any]:
        """The net changes since `begin_capture`, and what `Pages.revert` needs to go back to it."""
        session, self._session = self._session, None
        assert session is not None
        changeset = session.changeset()
        session.close()
        changes = list(read_changeset(changeset, self.schema.tables, self.path)) if changeset else []
        undo = self.pages.take_undo()
        if undo is not None:
            self.version += 1
        return changes, undo

    def _is_tracked(self, table: str) -> bool:
        return table not in self.untracked and table in self.schema.tables

    # Transactions.

    def begin(self) -> None:
        """Begin the transaction of a call, as `atomic()` would; nested `atomic()` blocks become savepoints."""
        wrapper = self.wrapper
        wrapper.connection.run("BEGIN")
        wrapper.autocommit = False
        wrapper.in_atomic_block = True
        wrapper.needs_rollback = False
        wrapper.savepoint_ids = []

    def commit(self) -> None:
        """Run what waits for the commit, then commit.

        Raises: WorldBug when an inner block failed and its error was swallowed; IntegrityError for rows whose
        foreign keys point nowhere.
        """
        wrapper = self.wrapper
        self._run_commit_hooks(wrapper)
        if wrapper.needs_rollback:
            raise WorldBug(
                "an atomic(savepoint=False) block or a save() failed inside this call and the error was swallowed; "
                "let it escape, or give the block a savepoint"
            )
        with wrapper.wrap_database_errors:
            wrapper.connection.run("COMMIT")
        self._leave(wrapper)

    def rollback(self) -> None:
        """Undo the transaction; safe to call when SQLite has undone it already."""
        wrapper = self.wrapper
        wrapper.connection.rollback()
        self._leave(wrapper)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A transaction around a block: committed at its end, undone when it raises."""
        self.begin()
        try:
            yield
            self.commit()
        except BaseException:
            self.rollback()
            raise

    def _run_commit_hooks(self, wrapper: DatabaseWrapper) -> None:
        # Inside the transaction, so that what they write is part of the call and undone with it.
        while wrapper.run_on_commit:
            hooks, wrapper.run_on_commit = wrapper.run_on_commit, []
            for _, hook, _ in hooks:
                hook()

    def _leave(self, wrapper: DatabaseWrapper) -> None:
        wrapper.autocommit = True
        wrapper.in_atomic_block = False
        wrapper.needs_rollback = False
        wrapper.savepoint_ids = []
        wrapper.run_on_commit = []
