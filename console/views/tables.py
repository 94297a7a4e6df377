"""What stands in the tables of an instance?"""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse

from console.heads import head
from console.pages import instance_of, page, show
from console.runs.net import net
from console.tables.looking import count, look, schema
from console.tables.rows import LONGEST, Places, of_table, shown_deleted, shown_rows
from console.tables.table_forms import ROWS, WORDS, Asked
from worlds.engine import Instance, tables
from worlds.engine.composing import ROOT
from worlds.engine.inspector import Inspector
from worlds.engine.names import quoted, schema_name
from worlds.engine.tables import Condition, NoTable, Row, Table

#: So many deleted rows are shown.
MOST_DELETED = 200


def nodes_of(instance: Instance) -> dict[str, str]:
    """The world at each node's path."""
    return {path: node["world"] for path, node in instance.composition().items()}


def place_of(table: Table) -> str:
    """A table as SQL over all stores of an instance names it."""
    name = table.name if table.name.isidentifier() else quoted(table.name)
    return name if table.node == ROOT else f"{schema_name(table.node)}.{name}"


@page()
async def listing(request: HttpRequest, instance_id: str) -> HttpResponse:
    """The tables of every store, with how many rows each has and how many the episode changed."""
    hosted, instance = await instance_of(instance_id)
    nodes = nodes_of(instance)
    found = await look(hosted, instance, _listed, instance_id, list(nodes))
    changed: dict[tuple[str, str], int] = {}
    for change in await net(hosted, instance):
        changed[change.world, change.table] = changed.get((change.world, change.table), 0) + 1
    stores = [
        (path, nodes[path], [(table, rows, changed.get((path, table.name), 0)) for table, rows in each])
        for path, each in found.items()
    ]
    context = {**head(hosted, instance, "table-list"), "stores": stores, "total": sum(map(len, found.values()))}
    return show(request, "console/tables/list.html", context, part="tables")


def _listed(inspector: Inspector, instance_id: str, nodes: list[str]) -> dict[str, list[tuple[Table, int]]]:
    known = schema(inspector, instance_id, nodes)
    return {node: [(table, count(inspector, table, ())) for table in found] for node, found in known.items()}


@page()
async def detail(request: HttpRequest, instance_id: str, node: str, table: str) -> HttpResponse:
    """The rows of one table: those asked for, sorted, a page of them."""
    hosted, instance = await instance_of(instance_id)
    nodes = nodes_of(instance)
    try:
        asked, rows, total, whole = await look(hosted, instance, _window, request, list(nodes), node, table)
    except NoTable as error:
        raise Http404(str(error)) from None
    changes = of_table(await net(hosted, instance), asked.table)
    deleted = [change for change in changes.values() if change.op == "delete"]
    cut = asked.cut(total)
    context = {
        **head(hosted, instance, "table-list"),
        **_controls(asked, total),
        "asked": asked,
        "table": asked.table,
        "world": nodes[node],
        "sql": f"SELECT * FROM {place_of(asked.table)} LIMIT 100",
        "rows": shown_rows(asked.table, asked.shown, rows, Places(instance_id, node), changes),
        "total": total,
        "whole": whole,
        "begins": cut.start + 1 if total else 0,
        "ends": cut.stop,
        "deleted_count": len(deleted),
        "deleted": shown_deleted(asked.shown, deleted[:MOST_DELETED]) if asked.with_deleted else [],
        "changed_count": len(changes) - len(deleted),
    }
    return show(request, "console/tables/detail.html", context, part="rows")


def _window(
    inspector: Inspector, request: HttpRequest, nodes: list[str], node: str, name: str
) -> tuple[Asked, list[Row], int, int]:
    table = tables.described(inspector, nodes, node, name)
    asked = Asked(request.GET, table)
    total = count(inspector, table, asked.conditions)
    rows = tables.window(
        inspector, table, asked.conditions, asked.orders, asked.cut(total), total=total, longest=LONGEST
    )
    return asked, rows, total, count(inspector, table, ())


def _controls(asked: Asked, total: int) -> dict[str, Any]:
    """The headers to sort by, the conditions, and the other pages."""
    last = asked.pages(total)
    pages = {"first": 1, "before": asked.page - 1, "next": asked.page + 1, "last": last}
    links = {column: link for link in asked.table.foreign_keys for column in link.columns}
    return {
        "headers": [(column, *asked.sorted_by(column["name"]), links.get(column["name"])) for column in asked.shown],
        "conditions": [*asked.conditions, Condition("", "eq")],
        "comparisons": WORDS,
        "sizes": ROWS,
        "pages": {
            name: asked.address(page=number) if 1 <= number <= last and number != asked.page else ""
            for name, number in pages.items()
        },
        "last": last,
        "with_deleted": asked.address(deleted="1"),
        "without_deleted": asked.address(deleted=None),
        "query": asked.address(page=None, rows=None, deleted=None, hide=None).removeprefix("?"),
    }
