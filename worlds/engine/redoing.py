"""How are rows changed again as change records say they were?

A log can be kept as text and its rows made anew on what it began with, without the code that wrote them.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from worlds.engine.changes import json_value
from worlds.engine.database import Db
from worlds.engine.errors import DbError, WorldBug
from worlds.engine.names import quoted

Record = Mapping[str, Any]
Row = dict[str, Any]


class NotAsRecorded(WorldBug):
    """A row is not what a record says it was before it changed."""


def redo(db: Db, records: Iterable[Record]) -> None:
    """Change the rows of one store as the records of one transaction say; all of them or none.

    Raises: NotAsRecorded naming the row; DbError for what SQLite refuses, such as a second row of one key.
    """
    tables = _Tables(db)
    steps = [_Step(tables, record) for record in records]
    try:
        with db.transaction():
            for step in sorted(steps, key=lambda step: step.order):
                step.make()
    except DbError:
        # Two rows may have exchanged what must be unique: then none of them can be written while the other stands.
        with db.transaction():
            for step in steps:
                step.take_away()
            for step in steps:
                step.put_back()


class _Tables:
    """The columns of each table that is asked for: which of them hold blobs."""

    def __init__(self, db: Db) -> None:
        self.db = db
        self._known: dict[str, dict[str, bool]] = {}

    def columns(self, table: str) -> dict[str, bool]:
        found = self._known.get(table)
        if found is None:
            sql = "SELECT name, lower(type) = 'blob' AS is_blob FROM pragma_table_xinfo(?) WHERE hidden = 0"
            found = self._known[table] = {row["name"]: bool(row["is_blob"]) for row in self.db.rows(sql, table)}
            if not found:
                raise NotAsRecorded(f"there is no table {table} any more")
        return found


class _Step:
    """One record, checked against the row as it is now."""

    def __init__(self, tables: _Tables, record: Record) -> None:
        self.db = tables.db
        self.table, self.op, self.key = str(record["table"]), record["op"], dict(record["key"])
        self.order = ("delete", "update", "insert").index(self.op)
        self.columns = tables.columns(self.table)
        before, after = record["before"], record["after"]
        for column in {**self.key, **(before or {}), **(after or {})}:
            if column not in self.columns:
                raise NotAsRecorded(f"table {self.table} has no column {column} any more")
        now = self._read()
        if self.op == "insert":
            if now is not None:
                raise NotAsRecorded(f"{self._row()} is there already, and was to be inserted")
        elif now is None:
            raise NotAsRecorded(f"{self._row()} is not there any more")
        else:
            for column, value in before.items():
                if (found := json_value(now[column])) != value:
                    raise NotAsRecorded(f"{self._row()} has {column} {found!r:.60}, and it was {value!r:.60}")
        self.after: Row = {name: self._value(name, value) for name, value in (after or {}).items()}
        self.whole: Row = {**{name: value for name, value in (now or {}).items() if name in self.columns}, **self.after}

    def _row(self) -> str:
        return f"row {self.key} of table {self.table}"

    def _value(self, column: str, value: Any) -> Any:
        return base64.b64decode(value) if self.columns[column] and isinstance(value, str) else value

    def _read(self) -> Row | None:
        return self.db.one(f"SELECT * FROM {quoted(self.table)} WHERE {self._where()}", *self._keys())

    def _where(self) -> str:
        return " AND ".join(f"{quoted(column)} = ?" for column in self.key)

    def _keys(self) -> Iterator[Any]:
        return (self._value(column, value) for column, value in self.key.items())

    def make(self) -> None:
        if self.op == "delete":
            self.take_away()
        elif self.op == "insert":
            self.put_back()
        else:
            changed = ", ".join(f"{quoted(column)} = ?" for column in self.after)
            sql = f"UPDATE {quoted(self.table)} SET {changed} WHERE {self._where()}"
            self.db.execute(sql, *self.after.values(), *self._keys())

    def take_away(self) -> None:
        if self.op != "insert":
            self.db.execute(f"DELETE FROM {quoted(self.table)} WHERE {self._where()}", *self._keys())

    def put_back(self) -> None:
        if self.op != "delete":
            columns, holes = ", ".join(map(quoted, self.whole)), ", ".join("?" * len(self.whole))
            self.db.execute(f"INSERT INTO {quoted(self.table)} ({columns}) VALUES ({holes})", *self.whole.values())
