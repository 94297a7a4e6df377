"""What is one database of an instance, while it runs?

A store owns its pages, the connection on them, the stream its SQL draws from, and the session that notes what a
transaction changed. It knows no tools and no calls.
"""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import apsw
from django.db.transaction import atomic

from worlds.engine.chance import Stream
from worlds.engine.changes import Change, Table, read_changeset
from worlds.engine.clock import Clock
from worlds.engine.db import dbapi, functions
from worlds.engine.db.base import DatabaseWrapper, wrapper_for
from worlds.engine.db.pages import Pages, connect
from worlds.engine.errors import WorldBug

logger = logging.getLogger("seahaven.store")


class Schema:
    """What one image's tables look like; read once and shared by every store on it."""

    __slots__ = ("fingerprint", "shadow", "tables", "without_key")

    def __init__(self, raw: apsw.Connection) -> None:
        listed: list[Any] = raw.execute("SELECT name, type FROM pragma_table_list WHERE schema = 'main'").fetchall()
        ordinary = sorted(name for name, kind in listed if kind == "table" and not name.startswith("sqlite_"))
        self.shadow = frozenset(name for name, kind in listed if kind in ("shadow", "virtual"))
        self.tables: dict[str, Table] = {}
        self.without_key: list[str] = []
        for name in ordinary:
            # A changeset leaves generated columns out: what they hold follows from the others.
            sql = "SELECT name, pk FROM pragma_table_xinfo(?) WHERE hidden = 0"
            info: list[Any] = raw.execute(sql, (name,)).fetchall()
            key = tuple(column for column, pk in sorted(info, key=lambda row: row[1]) if pk)
            self.tables[name] = Table(name, tuple(column for column, _ in info), key)
            if not key:
                self.without_key.append(name)
        self.fingerprint = fingerprint(raw)


def fingerprint(raw: apsw.Connection) -> str:
    """SHA-256 of a database's declarations, blind to comments, white space and letter case outside quotes."""
    rows: list[Any] = raw.execute(
        "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' "
        "ORDER BY type, name"
    ).fetchall()
    text = "\n".join("\t".join((kind, name, table, _normal(sql))) for kind, name, table, sql in rows)
    return hashlib.sha256(text.encode()).hexdigest()


def _normal(sql: str) -> str:
    pieces = re.findall(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/|\w+|[^\s\w]", sql, re.DOTALL)
    kept = (p if p[0] in "'\"" else p.lower() for p in pieces if not p.startswith(("--", "/*")))
    return " ".join(kept)


class Store:
    """One SQLite database of an instance; opened on first use, reopened after its pages were put back."""

    __slots__ = (
        "_cache_kib", "_is_capturing", "_owes_begin", "_read", "_session", "_wrapper", "_writable", "chance", "clock",
        "pages", "path", "reading_ms", "schema", "untracked", "version",
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
        self._is_capturing = False
        #: In a transaction that SQLite has not been told of, since nothing was written yet.
        self._owes_begin = False
        #: The session's changes, and how many rows had been written when they were read.
        self._read: tuple[int, list[Change]] | None = None
        self._wrapper: DatabaseWrapper | None = None

    # The connection.

    @property
    def wrapper(self) -> DatabaseWrapper:
        """Django's connection on this store, open or not."""
        if self._wrapper is None:
            self._wrapper = wrapper_for(self._open)
        return self._wrapper

    def _open(self) -> dbapi.Connection:
        raw = connect(self.pages, cache_kib=self._cache_kib, writable=self._writable)
        connection = dbapi.Connection(raw, self.take_reading)
        functions.register(connection, self)
        raw.set_rollback_hook(self._note_rollback)
        if self._is_capturing or self._owes_begin:
            connection.before_write = self._before_first_write
        return connection

    @property
    def connection(self) -> dbapi.Connection:
        """The DB-API's connection on this store, opened if need be."""
        self.wrapper.ensure_connection()
        connection: dbapi.Connection = self.wrapper.connection
        return connection

    @property
    def raw(self) -> apsw.Connection:
        """APSW's connection on this store, opened if need be."""
        return self.connection.handle

    @property
    def _opened(self) -> dbapi.Connection | None:
        # Asked by the watchdog too, while the store is being closed.
        return getattr(self._wrapper, "connection", None)

    def take_reading(self) -> None:
        """Read the clock for the statement about to run: every function in it sees this one instant."""
        self.reading_ms = self.clock.ms()

    def interrupt(self) -> None:
        """Stop a running statement; for another thread to call."""
        opened = self._opened
        if opened is not None:
            with suppress(apsw.ConnectionClosedError):
                opened.handle.interrupt()

    def close(self) -> None:
        """Close the connection; the pages stay, and the next use opens another."""
        if self._session is not None:
            self._session.close()
            self._session = self._read = None
        self._is_capturing = self._owes_begin = False
        if self._wrapper is not None:
            if self._opened is not None:
                self._opened.close()
            self._wrapper.retire()
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
        """Note changed rows and pages from the first write on."""
        self._is_capturing = True
        self._expect_write()

    def _expect_write(self) -> None:
        if self._opened is not None:
            self._opened.before_write = self._before_first_write

    def _before_first_write(self) -> None:
        connection = self.connection
        connection.before_write = None
        if self._is_capturing and self._session is None:
            session = apsw.Session(connection.handle, "main")
            session.table_filter(self._is_tracked)
            session.attach()
            self._session = session
            self.pages.mark()
        if self._owes_begin:
            self._owes_begin = False
            connection.handle.execute("BEGIN")

    def end_capture(self) -> tuple[list[Change], Any]:
        """The net changes since `begin_capture`, and what `Pages.revert` needs to go back to it."""
        self._is_capturing = False
        if self._session is None:
            return [], None
        # A tool without a transaction may have begun one of its own and not ended it.
        self.connection.rollback()
        undo = self.pages.take_undo()
        if undo is not None:
            self.version += 1
        try:
            return self._read_changes(self._session), undo
        finally:
            self._session.close()
            self._session = self._read = None

    def _read_changes(self, session: apsw.Session) -> list[Change]:
        written = self.raw.total_changes()
        if self._read is None or self._read[0] != written:
            try:
                changeset = b"" if session.is_empty else session.changeset()
            except apsw.SchemaChangeError as error:
                raise WorldBug("the schema was changed in a call; that is for a migration to do") from error
            self._read = written, list(read_changeset(changeset, self.schema.tables, self.path)) if changeset else []
        return self._read[1]

    def _is_tracked(self, table: str) -> bool:
        return table not in self.untracked and table in self.schema.tables

    # Transactions.

    @property
    def in_transaction(self) -> bool:
        """Is one open, told to SQLite or not?"""
        return self._owes_begin or (self._opened is not None and self._opened.handle.in_transaction)

    def begin(self) -> None:
        """Begin the transaction of a call, as `atomic()` would; nested `atomic()` blocks become savepoints."""
        wrapper = self.wrapper
        wrapper.autocommit = False
        wrapper.in_atomic_block = True
        wrapper.needs_rollback = False
        wrapper.savepoint_ids = []
        self._owes_begin = True
        self._expect_write()

    def commit(self) -> None:
        """Run what waits for the commit, then commit.

        Raises: WorldBug when an inner block failed and its error was swallowed, or code ended the transaction or
        changed the schema; DbError for text that is no text; IntegrityError for foreign keys that point nowhere.
        """
        wrapper = self.wrapper
        if not wrapper.needs_rollback:
            self._run_commit_hooks(wrapper)
        if not self.in_transaction:
            raise WorldBug(
                "the transaction of this call was ended inside it, by COMMIT, ROLLBACK or a conflict clause; "
                "leave it to the engine, and use atomic() or ctx.db.transaction() to undo a part"
            )
        if wrapper.needs_rollback:
            raise WorldBug(
                "an atomic(savepoint=False) block or a save() failed inside this call and the error was swallowed; "
                "let it escape, or give the block a savepoint"
            )
        if self._owes_begin:
            self._leave(wrapper)
            return
        if self._session is not None:
            # Before the commit: a change that cannot be logged is undone.
            self._read_changes(self._session)
        with wrapper.wrap_database_errors:
            self.connection.run("COMMIT")
        if self._read is not None:
            # Full-text indexes write to their shadow tables while they commit, which counts and changes no tracked row.
            self._read = self.raw.total_changes(), self._read[1]
        self._leave(wrapper)

    def rollback(self) -> None:
        """Undo the transaction; safe to call when SQLite has undone it already."""
        wrapper = self.wrapper
        if self._opened is not None:
            self._opened.rollback()
        self._read = None
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

    def _note_rollback(self) -> None:
        # SQLite undoes a whole transaction when a write is interrupted. What a call did until then is gone, so what it
        # does next must not be committed alone.
        if self._wrapper is not None and self._wrapper.in_atomic_block:
            self._wrapper.needs_rollback = True

    def _run_commit_hooks(self, wrapper: DatabaseWrapper) -> None:
        # Inside the transaction, so that what they write is part of the call and undone with it.
        while wrapper.run_on_commit:
            hooks, wrapper.run_on_commit = wrapper.run_on_commit, []
            for _, hook, is_robust in hooks:  # type: ignore[misc]
                self._run_robustly(hook) if is_robust else hook()

    def _run_robustly(self, hook: Callable[[], object]) -> None:
        """Run a hook registered with `robust=True`: when it fails it is undone, logged and forgotten."""
        try:
            with atomic(using=self.wrapper.alias):
                hook()
        except Exception:
            logger.exception("on_commit hook %s failed", getattr(hook, "__qualname__", hook))

    def _leave(self, wrapper: DatabaseWrapper) -> None:
        self._owes_begin = False
        wrapper.autocommit = True
        wrapper.in_atomic_block = False
        wrapper.needs_rollback = False
        wrapper.savepoint_ids = []
        wrapper.run_on_commit = []
        wrapper.rollback_exc = None  # type: ignore[attr-defined]
