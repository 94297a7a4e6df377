"""What does Django's SQLite backend need of a driver, and how does APSW give it?

A DB-API 2.0 layer as small as Django allows. A statement runs to its end when it is executed, so that its boundaries
are exact: one clock reading per statement, and no cursor left open across a commit.
"""

from __future__ import annotations

import datetime
import decimal
import functools
import re
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any

import apsw
import apsw.ext

from worlds.engine.clock import iso

apilevel, threadsafety, paramstyle = "2.0", 1, "qmark"
sqlite_version_info = tuple(int(part) for part in apsw.sqlite_lib_version().split("."))
Binary = memoryview


class Error(Exception):
    """The base of the DB-API's errors."""


class Warning(Exception):
    """Required by the DB-API; never raised."""


class InterfaceError(Error):
    """The driver was used in a way it cannot serve."""


class DatabaseError(Error):
    """The database refused."""


class DataError(DatabaseError):
    """A value is out of range."""


class OperationalError(DatabaseError):
    """SQLite could not run the statement: a syntax error, an unknown name, an interrupt."""


class IntegrityError(DatabaseError):
    """A constraint was violated."""


class InternalError(DatabaseError):
    """SQLite found itself in a state it should not be in."""


class ProgrammingError(DatabaseError):
    """The statement or its parameters make no sense."""


class NotSupportedError(DatabaseError):
    """SQLite has no such feature."""


_TRANSLATED: tuple[tuple[type[BaseException], type[Error]], ...] = (
    (apsw.ConstraintError, IntegrityError),
    (apsw.MismatchError, IntegrityError),
    (apsw.TooBigError, DataError),
    (apsw.RangeError, DataError),
    (apsw.BindingsError, ProgrammingError),
    (apsw.ThreadingViolationError, ProgrammingError),
    (apsw.ConnectionClosedError, ProgrammingError),
    (apsw.InternalError, InternalError),
    (apsw.AuthError, DatabaseError),
    (apsw.CorruptError, DatabaseError),
    (apsw.NotADBError, DatabaseError),
)


def translate(error: apsw.Error) -> Error:
    """The DB-API's error for one of APSW's, with SQLite's own text."""
    for theirs, ours in _TRANSLATED:
        if isinstance(error, theirs):
            return ours(str(error))
    return OperationalError(str(error))


def adapt(value: Any) -> Any:
    """A value SQLite can store, for the types Python code hands to raw SQL.

    Raises: TypeError for a type with no storage.
    """
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime.datetime):
        return iso(value if value.tzinfo else value.replace(tzinfo=datetime.UTC))
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return str(value)
    if isinstance(value, uuid.UUID):
        return value.hex
    raise TypeError(f"SQLite stores no {type(value).__name__}: {value!r:.60}")


_FORMAT = re.compile(r"%([%s])")
_DML = re.compile(r"\s*(?:--[^\n]*\n\s*|/\*.*?\*/\s*)*(insert|update|delete|replace|with)\b", re.IGNORECASE | re.DOTALL)


@functools.lru_cache(maxsize=2048)
def from_format(query: str) -> str:
    """Django's `%s` and `%%` as SQLite's `?` and `%`."""
    return _FORMAT.sub(lambda found: "?" if found[1] == "s" else "%", query)


@functools.lru_cache(maxsize=2048)
def _changes_rows(query: str) -> bool:
    return _DML.match(query) is not None


@functools.lru_cache(maxsize=2048)
def _only_reads(query: str) -> bool:
    """Is this one SELECT? What is not told at a glance may write."""
    return query[:7].upper() == "SELECT " and ";" not in query


class Cursor:
    """A DB-API cursor over rows already fetched."""

    arraysize = 100

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._query = ""
        self._rows: list[tuple[Any, ...]] = []
        self._next = 0
        self.rowcount = -1
        self.lastrowid: int | None = None

    def execute(self, query: str, params: Sequence[Any] | Mapping[str, Any] | None = None) -> Cursor:
        if params is None:
            pass
        elif isinstance(params, Mapping):
            query = query % {name: f":{name}" for name in params}
        else:
            query = from_format(query)
            if type(params) is not tuple:
                params = tuple(params)
        self._query, self._next = query, 0
        if not _changes_rows(query):
            self._rows, self.rowcount = self._connection.run(query, params), -1
            return self
        raw = self._connection.handle
        before = raw.total_changes()
        self._rows = self._connection.run(query, params)
        # A statement that begins WITH may be a SELECT, after which `changes` still speaks of an earlier one.
        self.rowcount = raw.changes() if raw.total_changes() != before else 0
        self.lastrowid = raw.last_insert_rowid()
        return self

    def executemany(self, query: str, param_list: Iterable[Sequence[Any]]) -> Cursor:
        total = 0
        for params in param_list:
            self.execute(query, params)
            total += max(self.rowcount, 0)
        self.rowcount = total
        return self

    @property
    def description(self) -> tuple[tuple[Any, ...], ...] | None:
        """Seven-item column descriptions; asked of SQLite only when somebody wants them."""
        if not self._query:
            return None
        try:
            info = apsw.ext.query_info(self._connection.handle, self._query)
        except apsw.Error:
            return None  # such as DROP TABLE, which cannot be prepared twice and answers no rows
        return tuple((name, None, None, None, None, None, None) for name, _ in info.description) or None

    def fetchone(self) -> tuple[Any, ...] | None:
        if self._next >= len(self._rows):
            return None
        self._next += 1
        return self._rows[self._next - 1]

    def fetchmany(self, size: int | None = None) -> list[tuple[Any, ...]]:
        start = self._next
        self._next = min(start + (size or self.arraysize), len(self._rows))
        return self._rows[start : self._next]

    def fetchall(self) -> list[tuple[Any, ...]]:
        rows = self._rows[self._next :] if self._next else self._rows
        self._next = len(self._rows)
        return rows

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(self.fetchone, None)

    def close(self) -> None:
        self._rows, self._next = [], 0


class Connection:
    """A DB-API connection over an APSW one, in autocommit until somebody begins.

    `before_statement`, when set, is called before each statement: the store takes its clock reading there.
    `before_write`, when set, is called before the first that may write, and takes itself away: a store begins its
    transaction, and to note what changes, only then, since most calls only read.
    """

    __slots__ = ("before_statement", "before_write", "handle", "isolation_level")

    def __init__(self, handle: apsw.Connection, before_statement: Callable[[], None] | None = None) -> None:
        #: APSW's connection, for those who do not write to it.
        self.handle = handle
        self.before_statement = before_statement
        self.before_write: Callable[[], None] | None = None
        self.isolation_level: str | None = None
        handle.convert_binding = _convert_binding

    @property
    def raw(self) -> apsw.Connection:
        """APSW's connection, made ready for whatever is done to it."""
        if self.before_statement is not None:
            self.before_statement()
        if self.before_write is not None:
            self.before_write()
        return self.handle

    def expect(self, query: str) -> None:
        """A statement is about to run."""
        if self.before_statement is not None:
            self.before_statement()
        if self.before_write is not None and not _only_reads(query):
            self.before_write()

    def run(self, query: str, params: Any = None) -> list[tuple[Any, ...]]:
        """All rows of one statement.

        Raises: the DB-API's errors.
        """
        self.expect(query)
        try:
            return self.handle.execute(query, params).fetchall()
        except apsw.Error as error:
            raise translate(error) from error

    def cursor(self, factory: type[Cursor] = Cursor) -> Cursor:
        return factory(self)

    def execute(self, query: str, params: Any = None) -> Cursor:
        return self.cursor().execute(query, params)

    def create_function(self, name: str, narg: int, func: Callable[..., Any], *, deterministic: bool = False) -> None:
        # Innocuous: a world's own schema may use it in defaults, triggers and generated columns.
        self.handle.create_scalar_function(name, func, narg, deterministic=deterministic, flags=apsw.SQLITE_INNOCUOUS)

    def create_aggregate(self, name: str, narg: int, factory: Callable[[], Any]) -> None:
        def step(aggregates: list[Any], *values: Any) -> None:
            if not aggregates:
                aggregates.append(factory())
            aggregates[0].step(*values)

        def final(aggregates: list[Any]) -> Any:
            # Of no rows it is NULL, and Django's aggregates count on not being asked.
            return aggregates[0].finalize() if aggregates else None

        self.handle.create_aggregate_function(name, lambda: ([], step, final), narg)

    def commit(self) -> None:
        if self.handle.in_transaction:
            self.run("COMMIT")

    def rollback(self) -> None:
        if self.handle.in_transaction:
            self.run("ROLLBACK")

    def close(self) -> None:
        self.handle.close()


def _convert_binding(cursor: apsw.Cursor, number: int, value: Any) -> Any:
    return adapt(value)
