"""Which rows does a fixture hold, and how do those of two fixtures differ?

Both are read from their images with SQL, so that a large fixture costs no more than a join by its keys.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import apsw

from worlds.engine.changes import Change, Table, Value, json_value
from worlds.engine.db.pages import Pages, connect
from worlds.engine.errors import WorldBug
from worlds.engine.images import StartingState
from worlds.engine.names import nearest, quoted

OPS = ("insert", "delete", "update")
#: The schema under which the rows of the first fixture stand beside those of the second.
_ONE = "one"


class NoSuchTable(WorldBug):
    """A fixture has no store at that path, or the store no such table."""


class Held(NamedTuple):
    """A table of a fixture."""

    node: str
    table: str
    row_count: int


@dataclass(frozen=True, slots=True)
class TableContrast:
    """How one table differs: how many rows either side has, and how many only the other, only the one, or both have."""

    node: str
    table: str
    one_count: int
    other_count: int
    inserted: int
    deleted: int
    updated: int

    @property
    def differs(self) -> bool:
        return bool(self.inserted or self.deleted or self.updated)

    def count(self, op: str) -> int:
        """How many rows are of one kind of change, one of `OPS`."""
        return {"insert": self.inserted, "delete": self.deleted, "update": self.updated}[op]


# One fixture.


def tables(state: StartingState) -> list[Held]:
    """Every table of every store, the world's own store first."""
    found = []
    for node, schema in state.schemas.items():
        with _opened(state, node) as raw:
            found += [
                Held(node, name, raw.execute(f"SELECT count(*) FROM {quoted(name)}").get) for name in schema.tables
            ]
    return found


def rows(
    state: StartingState, node: str, table: str, cut: slice, *, sort: str = "", descending: bool = False
) -> tuple[list[dict[str, Value]], int]:
    """Some rows of a table, in the order of a column and then of the key, and how many there are in all.

    Raises: NoSuchTable; WorldBug for a column that is not there.
    """
    shape = shape_of(state, node, table)
    if sort and sort not in shape.columns:
        raise WorldBug(f"table {table} has no column {sort!r:.80}; it has: {', '.join(shape.columns)}")
    orders = [f"{quoted(sort)}{' DESC' if descending else ''}"] if sort else []
    orders += map(quoted, shape.key or ("rowid",))
    shown = ", ".join(map(quoted, shape.columns))
    query = f"SELECT {shown} FROM {quoted(table)} ORDER BY {', '.join(orders)} LIMIT ? OFFSET ?"
    with _opened(state, node) as raw:
        found = raw.execute(query, (cut.stop - cut.start, cut.start)).fetchall()
        total: int = raw.execute(f"SELECT count(*) FROM {quoted(table)}").get
    return [dict(zip(shape.columns, map(json_value, row), strict=True)) for row in found], total


def shape_of(state: StartingState, node: str, table: str) -> Table:
    """What a table looks like.

    Raises: NoSuchTable with the nearest name.
    """
    if node not in state.schemas:
        raise NoSuchTable(f"this fixture has no store at {node!r:.80}; it has: {', '.join(state.schemas)}")
    known = state.schemas[node].tables
    if table not in known:
        near = nearest(table, known)
        hint = f"did you mean {near!r}? " if near else ""
        raise NoSuchTable(f"store {node} has no table {table!r:.80}; {hint}it has: {', '.join(known)}")
    return known[table]


@contextmanager
def _opened(state: StartingState, node: str) -> Iterator[apsw.Connection]:
    raw = connect(Pages(state.images[node]), writable=False, cache_kib=2048)
    try:
        yield raw
    finally:
        raw.close()


# Two fixtures.


def contrast(one: StartingState, other: StartingState) -> list[TableContrast]:
    """How two fixtures of a world differ, a line for each table, the world's own store first."""
    found = []
    for node, schema in other.schemas.items():
        is_same = one.images[node] is other.images[node]
        with _beside(one, other, node) as raw:
            for table in schema.tables.values():
                found.append(_contrast(raw, node, table, is_same))
    return found


def _contrast(raw: apsw.Connection, node: str, table: Table, is_same: bool) -> TableContrast:
    place = quoted(table.name)
    other_count: int = raw.execute(f"SELECT count(*) FROM main.{place}").get
    if is_same:
        return TableContrast(node, table.name, other_count, other_count, 0, 0, 0)
    one_count: int = raw.execute(f"SELECT count(*) FROM {_ONE}.{place}").get
    if not table.key:
        missing = f"SELECT count(*) FROM (SELECT * FROM {{}}.{place} EXCEPT SELECT * FROM {{}}.{place})"
        inserted: int = raw.execute(missing.format("main", _ONE)).get
        deleted: int = raw.execute(missing.format(_ONE, "main")).get
        return TableContrast(node, table.name, one_count, other_count, inserted, deleted, 0)
    differing = f"coalesce(sum({_differs(table)}), 0)"
    found: Any = raw.execute(f"SELECT count(*), {differing} FROM {_joined(table)}").fetchall()
    ((both, updated),) = found
    return TableContrast(node, table.name, one_count, other_count, other_count - both, one_count - both, updated)


def differing_rows(
    one: StartingState, other: StartingState, node: str, table: str, op: str, cut: slice
) -> list[Change]:
    """Some rows of a table that differ, of one kind of change, in the order of their keys.

    Shape:  as a run's changes: "insert" of a row that only `other` has, "delete" of one that only `one` has, "update"
            of one that both have, with the columns that differ.
    Raises: NoSuchTable.
    """
    shape = shape_of(other, node, table)
    with _beside(one, other, node) as raw:
        if op == "update":
            return list(_updated(raw, node, shape, cut))
        here, there = ("main", _ONE) if op == "insert" else (_ONE, "main")
        return list(_lone(raw, node, shape, op, here, there, cut))


@contextmanager
def _beside(one: StartingState, other: StartingState, node: str) -> Iterator[apsw.Connection]:
    beside = {_ONE: Pages(one.images[node])}
    raw = connect(Pages(other.images[node]), writable=False, cache_kib=4096, attached=beside)
    try:
        yield raw
    finally:
        raw.close()


def _lone(
    raw: apsw.Connection, node: str, table: Table, op: str, here: str, there: str, cut: slice
) -> Iterator[Change]:
    """Rows that stand in one schema and not in the other."""
    keys = table.key or table.columns
    shown = ", ".join(f"a.{quoted(column)}" for column in table.columns)
    order = ", ".join(f"a.{quoted(key)}" for key in keys)
    query = (
        f"SELECT {shown} FROM {here}.{quoted(table.name)} a WHERE NOT EXISTS "
        f"(SELECT 1 FROM {there}.{quoted(table.name)} b WHERE {_same_key(table)}) ORDER BY {order} LIMIT ? OFFSET ?"
    )
    for row in raw.execute(query, (cut.stop - cut.start, cut.start)):
        values = dict(zip(table.columns, map(json_value, row), strict=True))
        key = {name: values[name] for name in keys}
        yield Change(node, table.name, op, key, *((None, values) if op == "insert" else (values, None)))


def _updated(raw: apsw.Connection, node: str, table: Table, cut: slice) -> Iterator[Change]:
    if not table.key:
        return
    shown = ", ".join(f"{side}.{quoted(column)}" for side in "ab" for column in table.columns)
    order = ", ".join(f"a.{quoted(key)}" for key in table.key)
    query = f"SELECT {shown} FROM {_joined(table)} WHERE {_differs(table)} ORDER BY {order} LIMIT ? OFFSET ?"
    width = len(table.columns)
    for row in raw.execute(query, (cut.stop - cut.start, cut.start)):
        before = dict(zip(table.columns, map(json_value, row[:width]), strict=True))
        after = dict(zip(table.columns, map(json_value, row[width:]), strict=True))
        differing = [column for i, column in enumerate(table.columns) if row[i] != row[width + i]]
        key = {name: after[name] for name in table.key}
        yield Change(
            node, table.name, "update", key, {c: before[c] for c in differing}, {c: after[c] for c in differing}
        )


def _joined(table: Table) -> str:
    place = quoted(table.name)
    return f"{_ONE}.{place} a JOIN main.{place} b ON {_same_key(table)}"


def _same_key(table: Table) -> str:
    if table.key:
        return " AND ".join(f"a.{quoted(key)} = b.{quoted(key)}" for key in table.key)
    return " AND ".join(f"a.{quoted(column)} IS b.{quoted(column)}" for column in table.columns)


def _differs(table: Table) -> str:
    """Is a cell another? A column's own collation does not hide that."""
    others = [column for column in table.columns if column not in table.key]
    cells = (f"a.{quoted(column)} IS NOT b.{quoted(column)} COLLATE BINARY" for column in others)
    return f"({' OR '.join(cells) or '0'})"
