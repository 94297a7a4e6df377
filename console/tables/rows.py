"""How is a row of a table shown: its cells, where they lead, and what the episode did to it?"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import orjson
from django.urls import reverse

from console.tables.table_forms import where
from worlds.engine.changes import Change, json_value
from worlds.engine.tables import Cell, ForeignKey, Row, Table

#: As much of a value is shown among others, of a blob, and of a value by itself.
LONGEST, LONGEST_BLOB, LONGEST_ALONE, LONGEST_BLOB_ALONE = 160, 24, 100_000, 3000
_MISSING = object()


@dataclass
class Shown:
    """One cell, as a template shows it."""

    column: str
    text: str
    #: "text", "number", "null", "empty" or "blob".
    kind: str
    #: Where it leads, if it points to another row.
    href: str = ""
    #: How long the whole of it is, where it is cut.
    length: int | None = None
    #: What was there when the episode began, where that was something else.
    before: Shown | None = None
    is_changed: bool = False


@dataclass
class ShownRow:
    """One row, as a template shows it."""

    href: str
    cells: list[Shown]
    #: "insert", "update", "delete" or "".
    op: str = ""


class Places:
    """Where the rows of an instance have their pages."""

    def __init__(self, instance_id: str, node: str) -> None:
        self._id, self._node = instance_id, node
        self._rows: dict[str, str] = {}

    def table(self, name: str) -> str:
        return reverse("console:table-detail", args=[self._id, self._node, name])

    def row(self, name: str, pairs: Iterable[tuple[str, Any]]) -> str:
        if name not in self._rows:  # what a page asks for again and again
            self._rows[name] = reverse("console:row-detail", args=[self._id, self._node, name])
        return f"{self._rows[name]}?{urlencode(list(pairs))}"

    def of(self, table: Table, row: Row) -> str:
        """The page of a row: by its primary key where that can stand in an address."""
        key = [(name, row.cells[name].value) for name in table.key]
        is_plain = key and all(
            isinstance(value, str | int | float) and row.cells[name].length is None for name, value in key
        )
        return self.row(table.name, key if is_plain else [("rowid", row.rowid)])

    def target(self, link: ForeignKey, cells: Mapping[str, Cell]) -> str:
        """The page of the row that a foreign key points to; nothing where a part of it is null."""
        pairs = [(to, cells[column].value) for column, to in zip(link.columns, link.to, strict=False)]
        if not pairs or any(value is None or isinstance(value, bytes) for _, value in pairs):
            return ""
        return self.row(link.table, pairs)

    def referring(self, table: str, link: ForeignKey, cells: Mapping[str, Cell]) -> str:
        """The page of those rows of a table that point to one."""
        pairs = [(column, cells[to].value) for column, to in zip(link.columns, link.to, strict=False)]
        return self.table(table) + where(pairs)


def shown_cell(column: str, cell: Cell) -> Shown:
    """A value, cut where it is long."""
    value = cell.value
    if value is None:
        return Shown(column, "null", "null")
    if isinstance(value, bytes):
        length = cell.length or len(value)
        text = base64.b64encode(value[:LONGEST_BLOB]).decode()
        return Shown(column, f"{text}{'…' if length > LONGEST_BLOB else ''}", "blob", length=length)
    if isinstance(value, str):
        return Shown(column, value or "empty", "text" if value else "empty", length=cell.length)
    return Shown(column, repr(value), "number")


def shown_alone(shown: Shown, cell: Cell) -> Shown:
    """The same where there is room for it."""
    if isinstance(cell.value, bytes):
        shown.text = base64.b64encode(cell.value[:LONGEST_BLOB_ALONE]).decode()
        shown.length = cell.length or len(cell.value)
    return shown


def shown_rows(
    table: Table, columns: list[dict[str, Any]], rows: Iterable[Row], places: Places, changes: Mapping[bytes, Change]
) -> list[ShownRow]:
    """The rows of a page, with what the episode did to each."""
    links = {link.columns[0]: link for link in table.foreign_keys if len(link.columns) == 1}
    found = []
    for row in rows:
        change = changes.get(_key({name: json_value(row.cells[name].value) for name in table.key}))
        cells = []
        for column in columns:
            name = column["name"]
            cell = shown_cell(name, row.cells[name])
            if name in links:
                cell.href = places.target(links[name], row.cells)
            _mark(cell, change)
            cells.append(cell)
        found.append(ShownRow(places.of(table, row), cells, change.op if change else ""))
    return found


def _mark(cell: Shown, change: Change | None) -> None:
    """Say of a cell what was there before."""
    if change is None or change.op != "update":
        return
    before = (change.before or {}).get(cell.column, _MISSING)
    if before is not _MISSING:
        cell.is_changed, cell.before = True, shown_cell(cell.column, _cut(before))


def shown_deleted(columns: list[dict[str, Any]], changes: Iterable[Change]) -> list[ShownRow]:
    """The rows that are gone, as they were when the episode began."""
    return [
        ShownRow("", [shown_cell(c["name"], _cut((change.before or {}).get(c["name"]))) for c in columns], "delete")
        for change in changes
    ]


def _cut(value: Any) -> Cell:
    if isinstance(value, str) and len(value) > LONGEST:
        return Cell(value[:LONGEST], len(value))
    return Cell(value)


def of_table(changes: Iterable[Change], table: Table) -> dict[bytes, Change]:
    """The changes of one table by the keys of their rows."""
    return {_key(each.key): each for each in changes if each.table == table.name and each.world == table.node}


def _key(key: dict[str, Any]) -> bytes:
    return orjson.dumps(key, option=orjson.OPT_SORT_KEYS)


def unfolded(text: str) -> str:
    """JSON of an object or a list, indented; nothing for any other text."""
    if text[:1] not in ("{", "["):
        return ""
    try:
        return orjson.dumps(orjson.loads(text), option=orjson.OPT_INDENT_2).decode()
    except ValueError:
        return ""
