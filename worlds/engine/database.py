"""How does world code, or a grader, write plain SQL against a store?"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import apsw
from django.db.transaction import atomic

from worlds.engine.db import binding, dbapi
from worlds.engine.errors import DbError


class Db:
    """`ctx.db`: SQL with `?` parameters, or `:name` ones in a dictionary, on the store of the world that runs.

    Raises: DbError for everything SQLite refuses, with SQLite's own text in `sqlite_message`.
    """

    __slots__ = ("_connection", "_wrapper")

    def __init__(self, wrapper: Any) -> None:
        wrapper.ensure_connection()
        self._wrapper = wrapper
        self._connection: dbapi.Connection = wrapper.connection

    @property
    def connection(self) -> apsw.Connection:
        """APSW's connection, for what this class does not offer; the store closes it."""
        return self._connection.raw

    @property
    def in_transaction(self) -> bool:
        return bool(self._wrapper.in_atomic_block) or self._connection.handle.in_transaction

    def rows(self, sql: str, *params: Any) -> list[dict[str, Any]]:
        """Every row, as a dictionary by column name; of two columns with one name the last is kept."""
        raw = self._connection.handle
        self._connection.expect(sql)
        try:
            cursor = raw.execute(sql, _bindings(params))
            names: list[str] = []
            found = []
            for row in cursor:
                names = names or [column[0] for column in cursor.get_description()]
                found.append(dict(zip(names, row, strict=True)))
            return found
        except apsw.Error as error:
            raise _refused(error) from error

    def one(self, sql: str, *params: Any) -> dict[str, Any] | None:
        """The first row, or None."""
        found = self.rows(sql, *params)
        return found[0] if found else None

    def execute(self, sql: str, *params: Any) -> tuple[int, int]:
        """Run one statement; answers (rows changed, rowid of the last row inserted)."""
        raw = self._connection.handle
        self._connection.expect(sql)
        try:
            before = raw.total_changes()
            raw.execute(sql, _bindings(params)).fetchall()
            return (raw.changes() if raw.total_changes() != before else 0), raw.last_insert_rowid()
        except apsw.Error as error:
            raise _refused(error) from error

    def executemany(self, sql: str, rows: Iterable[Sequence[Any] | Mapping[str, Any]]) -> int:
        """Run one statement for each row of parameters; answers how many rows changed."""
        changed = 0
        for row in rows:
            params = (row,) if isinstance(row, Mapping) else row
            changed += self.execute(sql, *params)[0]
        return changed

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A savepoint inside a call, a transaction outside one: undone when the block raises."""
        block = atomic(using=self._wrapper.alias)
        # A handle's store does not stand behind the alias while its host runs, so it is put there for both ends.
        with binding.bound(self._wrapper):
            block.__enter__()
        try:
            yield
        except BaseException:
            with binding.bound(self._wrapper):
                block.__exit__(*sys.exc_info())
            raise
        with binding.bound(self._wrapper):
            block.__exit__(None, None, None)


def _bindings(params: tuple[Any, ...]) -> Any:
    return params[0] if len(params) == 1 and isinstance(params[0], Mapping) else params


def _refused(error: apsw.Error) -> DbError:
    return DbError(sqlite_message=str(error), sqlite_code=getattr(error, "extendedresult", None))
