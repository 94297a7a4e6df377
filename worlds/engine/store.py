"""What is one database of an instance, while it runs?

A store owns its pages, the connection on them, the stream its SQL draws from, and the session that notes what a
transaction changed. It knows no tools and no calls.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

import apsw
from django.db.transaction import atomic

from worlds.engine.chance import Stream
from worlds.engine.changes import Change, read_changeset
from worlds.engine.clock import Clock
from worlds.engine.db import dbapi, functions
from worlds.engine.db.base import DatabaseWrapper, wrapper_for
from worlds.engine.db.pages import Pages, connect
from worlds.engine.errors import WorldBug
from worlds.engine.schema import Schema

logger = logging.getLogger("seahaven.store")


class Savepoint(NamedTuple):
    """A point inside a transaction to go back to; without a name, nothing was written before it."""

    name: str | None
    needs_rollback: bool
    hooks: list[Any]


class Store:
    """One SQLite database of an instance; opened on first use, reopened after its pages were put back."""

    __slots__ = (
        "_attached", "_cache_kib", "_has_begun", "_has_committed", "_is_capturing", "_is_marked", "_kept",
        "_owes_begin", "_read", "_salvaged", "_savepoints", "_session", "_wrapper", "_writable", "chance", "clock",
        "follower", "pages", "path", "reading_ms", "schema", "untracked", "version",
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
        attached: Mapping[str, Pages] | None = None,
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
        self._attached = attached
        #: Told of Django's own transactions and savepoints here, by the transaction over several stores.
        self.follower: Any = None
        self._session: apsw.Session | None = None
        self._is_capturing = False
        #: Do the pages have a mark since the first write of this capture?
        self._is_marked = False
        #: What earlier transactions of this capture changed: as the present one began, and as one was taken back.
        self._kept: list[Change] = []
        self._salvaged: list[Change] = []
        #: A transaction of the engine's: not told to SQLite yet, since nothing was written; told; committed.
        self._owes_begin = self._has_begun = self._has_committed = False
        self._savepoints = 0
        #: The session's changes, and how many rows had been written when they were read.
        self._read: tuple[int, list[Change]] | None = None
        self._wrapper: DatabaseWrapper | None = None

    # The connection.

    @property
    def wrapper(self) -> DatabaseWrapper:
        """Django's connection on this store, open or not."""
        if self._wrapper is None:
            self._wrapper = wrapper_for(self._open)
            self._wrapper.follower = self.follower
        return self._wrapper

    def _open(self) -> dbapi.Connection:
        raw = connect(self.pages, cache_kib=self._cache_kib, writable=self._writable, attached=self._attached)
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

    def _disconnect(self) -> None:
        if self._opened is not None:
            self._opened.close()
            self.wrapper.connection = None

    def close(self) -> None:
        """Close the connection; the pages stay, and the next use opens another."""
        if self._session is not None:
            self._session.close()
            self._session = self._read = None
        self._is_capturing = self._is_marked = False
        self._owes_begin = self._has_begun = self._has_committed = False
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
            if not self._is_marked:
                self._is_marked = True
                self.pages.mark()
        if self._owes_begin:
            self._owes_begin, self._has_begun = False, True
            self.pages.mark()
            connection.handle.execute("BEGIN")

    def end_capture(self) -> tuple[list[Change], Any]:
        """The net changes since `begin_capture`, and what `Pages.revert` needs to go back to it."""
        self._is_capturing = False
        if not self._is_marked:
            return [], None
        # A tool without a transaction may have begun one of its own and not ended it.
        self.connection.rollback()
        self._is_marked = False
        undo = self.pages.take_undo()
        if undo is not None:
            self.version += 1
        changes, self._salvaged = self._salvaged, []
        if self._session is None:
            return changes, undo
        try:
            return changes + self._read_changes(self._session), undo
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

    @property
    def has_begun(self) -> bool:
        """Is a transaction of the engine's open that may have written?"""
        return self._has_begun

    def begin(self) -> None:
        """Begin the transaction of a call, as `atomic()` would; nested `atomic()` blocks become savepoints."""
        wrapper = self.wrapper
        wrapper.autocommit = False
        wrapper.in_atomic_block = True
        wrapper.needs_rollback = False
        wrapper.savepoint_ids = []
        if self._session is not None:
            self._kept = list(self._read_changes(self._session))
        self._owes_begin = True
        self._expect_write()

    def savepoint(self) -> Savepoint:
        """The present, to `rollback_to` or `release`."""
        wrapper, name = self.wrapper, None
        if not self._owes_begin:
            self._savepoints += 1
            name = f"frame_{self._savepoints}"
            self.connection.handle.execute(f"SAVEPOINT {name}")
        return Savepoint(name, wrapper.needs_rollback, list(wrapper.run_on_commit))

    def release(self, savepoint: Savepoint) -> None:
        """Keep what was done since a savepoint."""
        if savepoint.name is not None and self._opened is not None and self._opened.handle.in_transaction:
            self._opened.handle.execute(f"RELEASE {savepoint.name}")

    def rollback_to(self, savepoint: Savepoint) -> None:
        """Undo what was done since a savepoint."""
        wrapper, opened = self.wrapper, self._opened
        is_lost = False
        if savepoint.name is None:
            if self._has_begun and opened is not None:
                opened.rollback()
                self._end_marked()
            self._owes_begin = True
            self._expect_write()
        elif opened is not None and opened.handle.in_transaction:
            opened.handle.execute(f"ROLLBACK TO {savepoint.name}; RELEASE {savepoint.name}").fetchall()
        else:
            is_lost = True  # SQLite undid the whole transaction, what came before the savepoint too
        self._read = None
        wrapper.needs_rollback = savepoint.needs_rollback or is_lost
        wrapper.run_on_commit = list(savepoint.hooks)

    def require_unbroken(self, *, was_broken: bool = False) -> None:
        """Raise WorldBug when an inner block failed and its error was swallowed."""
        if self.wrapper.needs_rollback and not was_broken:
            raise WorldBug(
                "an atomic(savepoint=False) block or a save() failed inside this call and the error was swallowed; "
                "let it escape, or give the block a savepoint"
            )

    def prepare(self) -> None:
        """Look for everything that would keep the transaction from committing.

        Raises: WorldBug when an inner block failed and its error was swallowed, or code ended the transaction or
        changed the schema; DbError for text that is no text; IntegrityError for foreign keys that point nowhere.
        """
        if not self.in_transaction:
            raise WorldBug(
                "the transaction of this call was ended inside it, by COMMIT, ROLLBACK or a conflict clause; "
                "leave it to the engine, and use atomic() or ctx.db.transaction() to undo a part"
            )
        self.require_unbroken()
        if self._owes_begin:
            return
        if self._session is not None:
            # Before the commit: a change that cannot be logged is undone.
            self._read_changes(self._session)
        if self.raw.status(apsw.SQLITE_DBSTATUS_DEFERRED_FKS)[0]:
            with self.wrapper.wrap_database_errors:
                raise dbapi.IntegrityError("FOREIGN KEY constraint failed")

    def commit_pages(self) -> None:
        """Commit what was prepared; it can be taken back until `leave`."""
        with self.wrapper.wrap_database_errors:
            self.connection.run("COMMIT")
        if self._read is not None:
            # Full-text indexes write to their shadow tables while they commit, which counts and changes no tracked row.
            self._read = self.raw.total_changes(), self._read[1]
        self._has_committed = True

    def take_back(self) -> None:
        """Undo the transaction whether it was committed or not; the connection is opened anew at the next use."""
        if self._opened is not None:
            with suppress(dbapi.Error):
                self._opened.rollback()
        undo = self.pages.take_undo()
        self._has_begun = self._has_committed = False
        if self._session is not None:
            self._session.close()
            self._session = self._read = None
            self._salvaged = self._kept
        self._disconnect()
        if undo is not None:
            self.pages.revert(undo)
            self.version += 1

    def begin_block(self) -> None:
        """Django began a transaction of its own here: let `take_back` undo it."""
        self._has_begun = True
        self._kept = list(self._read_changes(self._session)) if self._session is not None else []
        self.pages.mark()

    def end_of_block(self) -> None:
        """That transaction is over."""
        self._end_marked()

    def commit(self) -> None:
        """Run what waits for the commit, then commit.

        Raises: as `prepare` does.
        """
        if not self.wrapper.needs_rollback:
            self.run_hooks()
        self.prepare()
        self.finish()

    def finish(self) -> None:
        """Commit what was prepared, and be in no transaction."""
        if self._has_begun:
            self.commit_pages()
        self.leave()

    def rollback(self) -> None:
        """Undo the transaction; safe to call when SQLite has undone it already."""
        if self._has_begun and not self._has_committed and not self.in_transaction:
            self.take_back()  # SQLite undid it by itself, and what was written then stood alone
        elif self._opened is not None:
            self._opened.rollback()
        self._read = None
        self.leave()

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

    @property
    def has_hooks(self) -> bool:
        """Does anything wait for the commit?"""
        return self._wrapper is not None and bool(self._wrapper.run_on_commit)

    def run_hooks(self) -> None:
        """Run what waits for the commit, inside the transaction: what it writes is undone with the call."""
        wrapper = self.wrapper
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

    def leave(self) -> None:
        """Be in no transaction."""
        wrapper = self.wrapper
        self._end_marked()
        self._owes_begin = False
        wrapper.autocommit = True
        wrapper.in_atomic_block = False
        wrapper.needs_rollback = False
        wrapper.savepoint_ids = []
        wrapper.run_on_commit = []
        wrapper.rollback_exc = None  # type: ignore[attr-defined]

    def _end_marked(self) -> None:
        if self._has_begun:
            self._has_begun = self._has_committed = False
            self.pages.take_undo()
