"""What is in one row, and how does somebody keep all rows of a table?"""

from __future__ import annotations

import csv
import io
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import quote

import orjson
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse

from console.heads import head
from console.pages import instance_of, page, show
from console.runs.net import net
from console.tables.looking import count, look, looking, schema
from console.tables.rows import (
    LONGEST,
    LONGEST_ALONE,
    Places,
    of_table,
    shown_alone,
    shown_cell,
    shown_deleted,
    shown_rows,
    unfolded,
)
from console.tables.table_forms import Asked
from console.views.tables import nodes_of
from worlds.engine import tables
from worlds.engine.changes import json_value
from worlds.engine.hosting import LANES
from worlds.engine.inspector import Inspector
from worlds.engine.tables import Condition, NoColumn, NoTable, Row, Table

#: So many rows that refer to one are shown, and so many are read at once of those to keep.
MOST_REFERRING, AT_ONCE = 10, 1000
#: Beyond any value.
_WHOLE = 2**40
#: What a text begins with that a spreadsheet takes for a formula.
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


@page()
async def detail(request: HttpRequest, instance_id: str, node: str, table: str) -> HttpResponse:
    """One row whole, and the rows that refer to it; `?id=…` says which."""
    hosted, instance = await instance_of(instance_id)
    nodes = nodes_of(instance)
    conditions = [Condition(name, "eq", str(value)) for name, value in request.GET.items()]
    try:
        shown, found, referring = await look(hosted, instance, _row, instance_id, list(nodes), node, table, conditions)
    except (NoTable, NoColumn) as error:
        raise Http404(str(error)) from None
    changes = of_table(await net(hosted, instance), shown)
    key = " ".join(each.value for each in conditions)
    context = {**head(hosted, instance, "table-list"), "table": shown, "world": nodes[node], "key": key}
    if found is None:
        gone = [c for c in changes.values() if c.op == "delete" and _is_asked(c.key, conditions)]
        context |= {"deleted": shown_deleted(list(shown.columns), gone)}
        return show(request, "console/tables/gone.html", context, status=404)
    places = Places(instance_id, node)
    [line] = shown_rows(shown, list(shown.columns), [found], places, changes)
    line.cells = [shown_alone(cell, found.cells[cell.column]) for cell in line.cells]
    links = {column: link for link in shown.foreign_keys for column in link.columns}
    context |= {
        "line": line,
        "cells": [
            (column, cell, unfolded(cell.text) if cell.kind == "text" else "", links.get(cell.column))
            for column, cell in zip(shown.columns, line.cells, strict=True)
        ],
        "referring": [
            (other, link, total, places.referring(other.name, link, found.cells), _named(other, rows, places))
            for other, link, total, rows in referring
        ],
    }
    return show(request, "console/tables/row.html", context, part="row")


def _named(table: Table, rows: list[Row], places: Places) -> list[tuple[str, str]]:
    """The page of each row, and its key as text."""
    keys = table.key or ("rowid",)
    return [
        (
            places.of(table, row),
            " ".join(str(row.rowid if key == "rowid" else shown_cell(key, row.cells[key]).text) for key in keys),
        )
        for row in rows
    ]


def _is_asked(key: dict[str, Any], conditions: list[Condition]) -> bool:
    return all(str(key.get(each.column)) == each.value for each in conditions)


Referring = tuple[Table, tables.ForeignKey, int, list[Row]]


def _row(
    inspector: Inspector, instance_id: str, nodes: list[str], node: str, name: str, conditions: list[Condition]
) -> tuple[Table, Row | None, list[Referring]]:
    table = tables.described(inspector, nodes, node, name)
    if not conditions:
        raise NoColumn(f"Say which row of {name} by its key, such as ?{(table.key or ('rowid',))[0]}=…")
    found = tables.window(inspector, table, conditions, [], slice(0, 1), total=1, longest=LONGEST_ALONE)
    if not found:
        return table, None, []
    referring = []
    for other in schema(inspector, instance_id, nodes)[node]:
        for link in other.foreign_keys:
            if link.table != name or any(found[0].cells[to].value is None for to in link.to):
                continue
            same = [
                Condition(column, "eq", str(found[0].cells[to].value))
                for column, to in zip(link.columns, link.to, strict=True)
            ]
            total = count(inspector, other, same)
            few = slice(0, min(total, MOST_REFERRING))
            rows = tables.window(inspector, other, same, [], few, total=total, longest=LONGEST) if total else []
            referring.append((other, link, total, rows))
    return table, found[0], referring


# To keep.


class Kept(NamedTuple):
    """The names of the columns, and the rows some at a time, all of one moment."""

    names: list[str]
    pieces: AsyncIterator[list[list[Any]]]


@page()
async def as_csv(request: HttpRequest, instance_id: str, node: str, table: str) -> StreamingHttpResponse:
    """Every row that fits, as CSV; text that a spreadsheet would compute is kept from it by an apostrophe."""
    kept = await _kept(request, instance_id, node, table)

    async def lines() -> AsyncIterator[str]:
        yield csv_lines([kept.names])
        async for rows in kept.pieces:
            yield csv_lines(rows)

    return download(lines(), f"{table}.csv", "text/csv; charset=utf-8")


@page()
async def as_json(request: HttpRequest, instance_id: str, node: str, table: str) -> StreamingHttpResponse:
    """Every row that fits, as a JSON list of objects; null and empty text are two."""
    kept = await _kept(request, instance_id, node, table)

    async def text() -> AsyncIterator[bytes]:
        before = b"[\n"
        async for rows in kept.pieces:
            yield before + b",\n".join(orjson.dumps(dict(zip(kept.names, row, strict=True))) for row in rows)
            before = b",\n"
        yield b"[]\n" if before == b"[\n" else b"\n]\n"

    return download(text(), f"{table}.json", "application/json")


def csv_lines(rows: list[list[Any]]) -> str:
    """Rows as CSV."""
    written = io.StringIO()
    csv.writer(written).writerows([[_harmless(value) for value in row] for row in rows])
    return written.getvalue()


def _harmless(value: Any) -> Any:
    """A value that a spreadsheet does not take for a formula."""
    if not isinstance(value, str) or value[:1] not in _FORMULAS:
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value


def download(content: AsyncIterator[Any], name: str, kind: str) -> StreamingHttpResponse:
    """Content to keep, sent as it is made."""
    answer = StreamingHttpResponse(content, content_type=kind)
    answer["Content-Disposition"] = f'attachment; filename="{quote(name)}"'
    return answer


async def _kept(request: HttpRequest, instance_id: str, node: str, table: str) -> Kept:
    """What an address asks for, and the rows that fit.

    Raises: Http404.
    """
    hosted, instance = await instance_of(instance_id)
    try:
        readings = await look(hosted, instance, _readings, request, list(nodes_of(instance)), node, table)
    except NoTable as error:
        raise Http404(str(error)) from None
    names, reads = readings

    async def pieces() -> AsyncIterator[list[list[Any]]]:
        lane = LANES.lane()
        with looking(hosted):
            for read in reads:
                yield [[json_value(value) for value in row] for row in await lane.run(read)]

    return Kept(names, pieces())


def _readings(
    inspector: Inspector, request: HttpRequest, nodes: list[str], node: str, name: str
) -> tuple[list[str], list[Callable[[], Sequence[Sequence[Any]]]]]:
    """The columns asked for, and what reads the next rows, one after the other."""
    table = tables.described(inspector, nodes, node, name)
    asked = Asked(request.GET, table)
    names = [column["name"] for column in asked.shown]
    if table.has_rowid:
        rowids = tables.ordered_rowids(inspector, table, asked.conditions, asked.orders)
        parts = (rowids[start : start + AT_ONCE] for start in range(0, len(rowids), AT_ONCE))
        return names, [partial(tables.values_of, inspector, table, names, part) for part in parts]
    total = count(inspector, table, asked.conditions)

    def some(start: int) -> list[list[Any]]:
        cut = slice(start, start + AT_ONCE)
        rows = tables.window(inspector, table, asked.conditions, asked.orders, cut, total=total, longest=_WHOLE)
        return [[row.cells[name].value for name in names] for row in rows]

    return names, [partial(some, start) for start in range(0, total, AT_ONCE)]
