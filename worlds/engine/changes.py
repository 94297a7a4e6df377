"""Which rows did a transaction change, and how is that written down?

SQLite's session extension answers the first half: a changeset is already the net of its session. Here it becomes
change records, one JSON object a row, in the order and with the values the state document promises.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import apsw
import orjson

from worlds.engine.compact import compact
from worlds.engine.errors import DbError, WorldBug

Value = int | float | str | None


class Table(NamedTuple):
    """What a changeset does not say about a table: its columns, in order, and which of them are the key."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]


class Change(NamedTuple):
    """One row changed: `before` is None for an insert, `after` for a delete; an update has the changed columns."""

    world: str
    table: str
    op: str
    key: dict[str, Value]
    before: dict[str, Value] | None
    after: dict[str, Value] | None


def json_value(value: Any) -> Value:
    """A SQLite value as JSON carries it: blobs as base64 text, infinity as null."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _rank(value: Value) -> tuple[int, Any]:
    """NULL before numbers before text."""
    if value is None:
        return 0, 0
    return (2, value) if isinstance(value, str) else (1, value)


def sort_key(change: Change) -> tuple[Any, ...]:
    """The order of records inside one transaction: world, table, key values ascending."""
    return change.world, change.table, tuple(map(_rank, change.key.values()))


def read_changeset(changeset: bytes, tables: dict[str, Table], world: str) -> Iterator[Change]:
    """The changes of one store; rows with NULL in their key are not among them, as SQLite leaves them out.

    Raises: DbError for text that is not UTF-8; WorldBug for a table whose columns are not those it began with.
    """
    for change in apsw.Changeset.iter(changeset):
        table = tables[change.name]
        if change.column_count != len(table.columns):
            raise WorldBug(f"table {table.name}: the schema was changed in a call; that is for a migration to do")
        try:
            old, new = change.old, change.new
        except UnicodeDecodeError as error:
            raise DbError(sqlite_message=f"table {table.name} was given text that is not UTF-8: {error}") from error
        known = old if old is not None else new
        assert known is not None
        columns, keys = table.columns, table.key
        at = {name: known[index] for index, name in enumerate(columns) if name in keys}
        key = {name: json_value(at[name]) for name in keys}
        if change.op == "INSERT":
            yield Change(world, table.name, "insert", key, None, _row(columns, new))
        elif change.op == "DELETE":
            yield Change(world, table.name, "delete", key, _row(columns, old), None)
        else:
            before, after = {}, {}
            assert old is not None
            assert new is not None
            for index, name in enumerate(columns):
                if new[index] is not apsw.no_change and name not in keys:
                    before[name], after[name] = json_value(old[index]), json_value(new[index])
            yield Change(world, table.name, "update", key, before, after)


def _row(columns: tuple[str, ...], values: Any) -> dict[str, Value]:
    return {name: json_value(value) for name, value in zip(columns, values, strict=True)}


@dataclass(slots=True)
class ChangeLog:
    """Every record of an instance, each rendered once, when its transaction committed.

    A record is kept as the JSON it will be read as: 300 bytes rather than a dictionary, and a document of 60,000 of
    them is one join.
    """

    records: list[bytes]
    #: The call each record belongs to, None outside calls; as long as `records`.
    calls: list[int | None]

    @classmethod
    def empty(cls) -> ChangeLog:
        return cls([], [])

    def append(self, changes: list[Change], call: int | None, by: str) -> None:
        """Add one transaction's changes, in their order."""
        for change in sorted(changes, key=sort_key):
            record: dict[str, Any] = {"i": call, **change._asdict(), "seq": len(self.records)}
            if by != "agent":
                record["by"] = by
            self.records.append(compact(orjson.dumps(record)))
            self.calls.append(call)

    def copy(self) -> ChangeLog:
        return ChangeLog(list(self.records), list(self.calls))

    def cut(self, length: int) -> None:
        """Forget the records from `length` on."""
        del self.records[length:]
        del self.calls[length:]

    def of_call(self, call: int) -> list[bytes]:
        """The records of one call, which must be among the latest to be found quickly."""
        end = len(self.calls)
        found: list[bytes] = []
        while end and self.calls[end - 1] != call and (self.calls[end - 1] is None or self.calls[end - 1] > call):  # type: ignore[operator]
            end -= 1
        while end and self.calls[end - 1] == call:
            end -= 1
            found.append(self.records[end])
        return found[::-1]

    def as_dicts(self) -> list[dict[str, Any]]:
        """The records as fresh dictionaries, the reader's to change."""
        return [orjson.loads(record) for record in self.records]
