"""Which tables does an instance have, and which rows of one does a reader want?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from worlds.engine.changes import json_value
from worlds.engine.composing import ROOT
from worlds.engine.errors import WorldBug
from worlds.engine.inspector import Inspector
from worlds.engine.instance import Instance
from worlds.engine.names import nearest, quoted, schema_name
from worlds.engine.schedule import TABLE as EVENTS

#: Tables that are no part of a world.
_HIDDEN = (EVENTS, "django_migrations")
#: How a condition compares a column, as SQL; its value is bound to the `?`.
COMPARISONS = {
    "eq": "{} = ?",
    "ne": "{} IS NOT ?",
    "lt": "{} < ?",
    "lte": "{} <= ?",
    "gt": "{} > ?",
    "gte": "{} >= ?",
    "contains": "instr(lower({}), lower(?)) > 0",
    "null": "{} IS NULL",
    "notnull": "{} IS NOT NULL",
}


class NoTable(WorldBug):
    """An instance has no world at that path, or the world no such table."""


class NoColumn(WorldBug):
    """A table has no such column."""


class Condition(NamedTuple):
    """What a row must be like; text is compared with a number column as the number it spells."""

    column: str
    comparison: str
    value: str = ""


class Order(NamedTuple):
    """A column to sort by."""

    column: str
    is_descending: bool = False


def listed(inst: Instance, node: str | None = None) -> list[dict[str, Any]]:
    """Every table, of one node or of all: [{"node", "world", "name", "row_count", "columns"}].

    Shape:  a column is {"name", "type", "nullable", "key"}, `key` its place in the primary key from 1, or null.
    Raises: NoTable for a node that is not there.
    """
    composition, inspector = inst.composition(), inst.inspect()
    paths = list(composition) if node is None else [_known(node, composition, "this instance", "world at")]
    return [
        {
            "node": path,
            "world": composition[path]["world"],
            "name": table,
            "row_count": _count(inspector, path, table),
            "columns": _columns(inspector, path, table),
        }
        for path in paths
        for table in _names(inspector, path)
    ]


def rows(
    inst: Instance, node: str, table: str, conditions: Sequence[Condition], orders: Sequence[Order], cut: slice
) -> tuple[list[dict[str, Any]], int]:
    """Some rows of a table as dictionaries, blobs as base64 text, and how many fit the conditions in all.

    Raises: NoTable; NoColumn; DbError when it takes longer than SEAHAVEN_SQL_TIMEOUT_S.
    """
    _known(node, inst.composition(), "this instance", "world at")
    inspector = inst.inspect()
    _known(table, _names(inspector, node), f"world {node}", "table")
    columns = _columns(inspector, node, table)
    names = [column["name"] for column in columns]
    for column in [*(each.column for each in conditions), *(each.column for each in orders)]:
        if column not in names:
            raise NoColumn(_missing(column, names, f"table {table}", "column"))
    where = " AND ".join(COMPARISONS[each.comparison].format(quoted(each.column)) for each in conditions) or "1"
    values = [each.value for each in conditions if "?" in COMPARISONS[each.comparison]]
    source = f"{_place(node, table)} WHERE {where}"
    shown = ", ".join(map(quoted, names))
    query = f"SELECT {shown} FROM {source} ORDER BY {', '.join(_ordering(columns, orders))} LIMIT ? OFFSET ?"
    found = inspector.select(query, [*values, cut.stop - cut.start, cut.start])
    total = inspector.one(f"SELECT count(*) AS total FROM {source}", *values)
    assert total is not None
    return [dict(zip(names, map(json_value, row), strict=True)) for row in found.rows], total["total"]


def _ordering(columns: list[dict[str, Any]], orders: Sequence[Order]) -> Iterator[str]:
    """What to sort by, and the key last, so that the order is total."""
    for order in orders:
        yield quoted(order.column) + (" DESC" if order.is_descending else "")
    key = sorted((column for column in columns if column["key"]), key=lambda column: column["key"])
    yield from [quoted(column["name"]) for column in key] or ["rowid"]


def _names(inspector: Inspector, node: str) -> list[str]:
    query = "SELECT name FROM pragma_table_list WHERE schema = ? AND type = 'table' ORDER BY name"
    found = [row["name"] for row in inspector.rows(query, _schema(node))]
    return [name for name in found if name not in _HIDDEN and not name.startswith("sqlite_")]


def _columns(inspector: Inspector, node: str, table: str) -> list[dict[str, Any]]:
    query = 'SELECT name, type, "notnull", pk FROM pragma_table_xinfo(?, ?) WHERE hidden <> 1 ORDER BY cid'
    return [
        {"name": row["name"], "type": row["type"], "nullable": not row["notnull"], "key": row["pk"] or None}
        for row in inspector.rows(query, table, _schema(node))
    ]


def _count(inspector: Inspector, node: str, table: str) -> int:
    found = inspector.one(f"SELECT count(*) AS total FROM {_place(node, table)}")
    assert found is not None
    total: int = found["total"]
    return total


def _schema(node: str) -> str:
    return "main" if node == ROOT else schema_name(node)


def _place(node: str, table: str) -> str:
    return f"{quoted(_schema(node))}.{quoted(table)}"


def _known(name: str, known: Any, owner: str, what: str) -> str:
    if name not in known:
        raise NoTable(_missing(name, known, owner, what))
    return name


def _missing(name: str, known: Any, owner: str, what: str) -> str:
    near = nearest(name, known)
    hint = f"did you mean {near!r}? " if near else ""
    return f"{owner} has no {what} {name!r:.80}; {hint}it has: {', '.join(known) or 'none'}"


# One table a page at a time, over an inspector that a reader keeps while the instance goes on.


class ForeignKey(NamedTuple):
    """Columns of a table, and the table and columns of the same store that they point to."""

    columns: tuple[str, ...]
    table: str
    to: tuple[str, ...]


class Table(NamedTuple):
    """What a table looks like; a column is as `listed` has it."""

    node: str
    name: str
    columns: tuple[dict[str, Any], ...]
    foreign_keys: tuple[ForeignKey, ...]
    has_rowid: bool

    @property
    def key(self) -> tuple[str, ...]:
        """The columns of its primary key, in their order."""
        keyed = sorted((column for column in self.columns if column["key"]), key=lambda column: column["key"])
        return tuple(column["name"] for column in keyed)

    @property
    def names(self) -> list[str]:
        return [column["name"] for column in self.columns]


class Cell(NamedTuple):
    """A value as SQLite stores it, or its beginning; `length` is the whole one's where it was cut."""

    value: Any
    length: int | None = None


class Row(NamedTuple):
    """One row: its rowid (None where the table has none) and its cells, by column."""

    rowid: int | None
    cells: dict[str, Cell]


def described(inspector: Inspector, nodes: Sequence[str], node: str, table: str) -> Table:
    """One table of the node at a path.

    Raises: NoTable.
    """
    _known(node, nodes, "this instance", "world at")
    _known(table, _names(inspector, node), f"world {node}", "table")
    return _described(inspector, node, table)


def all_described(inspector: Inspector, node: str) -> list[Table]:
    """Every table of a node."""
    return [_described(inspector, node, table) for table in _names(inspector, node)]


def _described(inspector: Inspector, node: str, table: str) -> Table:
    links = inspector.describe([table], _schema(node))[0]["foreign_keys"]
    keys = (ForeignKey(tuple(k["columns"]), k["references"]["table"], tuple(k["references"]["columns"])) for k in links)
    query = "SELECT wr FROM pragma_table_list WHERE schema = ? AND name = ?"
    found = inspector.one(query, _schema(node), table)
    return Table(node, table, tuple(_columns(inspector, node, table)), tuple(keys), not (found and found["wr"]))


def counted(inspector: Inspector, table: Table, conditions: Sequence[Condition]) -> int:
    """How many rows fit.

    Raises: NoColumn; DbError.
    """
    source, values = _source(table, conditions)
    found = inspector.one(f"SELECT count(*) AS total FROM {source}", *values)
    assert found is not None
    total: int = found["total"]
    return total


def window(
    inspector: Inspector,
    table: Table,
    conditions: Sequence[Condition],
    orders: Sequence[Order],
    cut: slice,
    *,
    total: int,
    longest: int,
) -> list[Row]:
    """Some of the `total` rows that fit, what is longer than `longest` cut.

    Which rows they are is asked first, of what is sorted by alone, and from the nearer end.
    Raises: NoColumn; DbError.
    """
    for order in orders:
        _check_column(table, order.column)
    source, values = _source(table, conditions)
    start, stop = min(cut.start, total), min(cut.stop, total)
    is_backwards = start > total - stop
    orders = [*orders, *(Order(name) for name in table.key or ("rowid",))]
    by = ", ".join(quoted(o.column) + (" DESC" if o.is_descending != is_backwards else "") for o in orders)
    limits = [stop - start, total - stop if is_backwards else start]
    if table.has_rowid:
        found = inspector.select(f"SELECT rowid FROM {source} ORDER BY {by} LIMIT ? OFFSET ?", [*values, *limits])
        rows = by_rowid(inspector, table, [rowid for (rowid,) in found.rows], longest=longest)
    else:
        query = f"SELECT NULL, {_cut_columns(table, longest)} FROM {source} ORDER BY {by} LIMIT ? OFFSET ?"
        rows = [_row(table, row) for row in inspector.select(query, [*values, *limits]).rows]
    return rows[::-1] if is_backwards else rows


def ordered_rowids(
    inspector: Inspector, table: Table, conditions: Sequence[Condition], orders: Sequence[Order]
) -> list[int]:
    """The rowids of all rows that fit, in their order.

    Raises: NoColumn; DbError.
    """
    for order in orders:
        _check_column(table, order.column)
    source, values = _source(table, conditions)
    by = ", ".join(_ordering(list(table.columns), list(orders)))
    return [rowid for (rowid,) in inspector.select(f"SELECT rowid FROM {source} ORDER BY {by}", values).rows]


def values_of(inspector: Inspector, table: Table, names: Sequence[str], rowids: Sequence[int]) -> list[Sequence[Any]]:
    """Some columns of the rows of these rowids, in this order, as SQLite stores them: for many rows."""
    marks, columns = ", ".join("?" * len(rowids)), ", ".join(map(quoted, names))
    query = f"SELECT rowid, {columns} FROM {_place(table.node, table.name)} WHERE rowid IN ({marks})"
    rows = {row[0]: row[1:] for row in inspector.select(query, list(rowids)).rows}
    return [rows[rowid] for rowid in rowids if rowid in rows]


def by_rowid(inspector: Inspector, table: Table, rowids: Sequence[int], *, longest: int) -> list[Row]:
    """The rows of these rowids, in this order."""
    marks = ", ".join("?" * len(rowids))
    place = _place(table.node, table.name)
    found = inspector.select(
        f"SELECT rowid, {_cut_columns(table, longest)} FROM {place} WHERE rowid IN ({marks})", list(rowids)
    )
    rows = {row[0]: _row(table, row) for row in found.rows}
    return [rows[rowid] for rowid in rowids if rowid in rows]


def _source(table: Table, conditions: Sequence[Condition]) -> tuple[str, list[str]]:
    for condition in conditions:
        if condition.column != "rowid" or not table.has_rowid:
            _check_column(table, condition.column)
    where = " AND ".join(COMPARISONS[each.comparison].format(quoted(each.column)) for each in conditions) or "1"
    values = [each.value for each in conditions if "?" in COMPARISONS[each.comparison]]
    return f"{_place(table.node, table.name)} WHERE {where}", values


def _check_column(table: Table, column: str) -> None:
    if column not in table.names:
        raise NoColumn(_missing(column, table.names, f"table {table.name}", "column"))


def _cut_columns(table: Table, longest: int) -> str:
    """Each column, and its length where it is longer than that."""
    return ", ".join(
        f"iif(length({name}) > {longest}, substr({name}, 1, {longest}), {name}), "
        f"iif(length({name}) > {longest}, length({name}), NULL)"
        for name in map(quoted, table.names)
    )


def _row(table: Table, row: Sequence[Any]) -> Row:
    cells = (Cell(value, length) for value, length in zip(row[1::2], row[2::2], strict=True))
    return Row(row[0], dict(zip(table.names, cells, strict=True)))
