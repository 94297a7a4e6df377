"""How do two fixtures differ, row by row?"""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from console.fixture_forms import ContrastForm
from console.lineage import Entry, entries
from console.pages import Problem, is_htmx, page, read, show, world_of
from console.paging import cut_of, page_of
from console.preparing import waiting
from worlds.engine import World, contrasting, images
from worlds.engine.changes import Change
from worlds.engine.contrasting import OPS, TableContrast
from worlds.engine.hosting import LANES

#: Rows on a page: whole ones, and those that are shown cell by cell.
ROWS, CHANGED_ROWS = 40, 15
WORDS = {"insert": "inserted", "delete": "deleted", "update": "changed"}


@page()
async def compare(request: HttpRequest, world: str) -> HttpResponse:
    """Two fixtures of a world: how many rows of each table came, went and changed, and which those are."""
    chosen = world_of(world)
    found = await LANES.lane().run(entries, chosen)
    form = ContrastForm(request.GET)
    context: dict[str, Any] = {
        "world": chosen,
        "choices": [each.id for each in found.values() if each.can_be_opened],
        "problem": "",
        "contrast": None,
    }
    try:
        asked = read(form)
    except Problem as problem:
        if is_htmx(request):
            raise
        context |= {"asked": request.GET, "problem": problem.message}
        return show(request, "console/fixtures/compare.html", context, part="contrast", status=422)
    context["asked"] = asked
    if asked["a"] and asked["b"]:
        ids = asked["a"], asked["b"]
        for fixture_id in ids:
            _require_usable(found, chosen, fixture_id)
        wait = await waiting(request, chosen, ids)
        if wait is not None:
            return wait
        context |= await LANES.lane().run(_contrast, chosen, asked)
        context |= {
            "contrast": True,
            "back": f"{reverse('console:fixture-compare', args=[world])}?a={ids[1]}&b={ids[0]}",
            "is_lineage": _is_lineage(found, *ids),
            "page": page_of(request.GET, asked["page"], _size(context["op"]), context["shown_count"]),
        }
    return show(request, "console/fixtures/compare.html", context, part="contrast")


def _require_usable(found: dict[str, Entry], world: World, fixture_id: str) -> None:
    entry = found.get(fixture_id)
    if entry is None:
        raise Problem(
            f"World {world.name} has no fixture {fixture_id!r:.80}; it has: {', '.join(found) or 'none'}.", 404
        )
    if not entry.can_be_opened:
        raise Problem(entry.problem or f"Fixture {fixture_id} is not built yet; build it first.", 422)


def _is_lineage(found: dict[str, Entry], a: str, b: str) -> bool:
    """Did one of them come of the other?"""
    return any(found[one].parent == other for one, other in ((a, b), (b, a)))


def _contrast(world: World, asked: dict[str, Any]) -> dict[str, Any]:
    """The tables, and the rows of the one that is asked for, or of the first that differs. On a worker thread."""
    one, other = (images.starting_state(world, asked[side]) for side in "ab")
    tables = contrasting.contrast(one, other)
    chosen = _chosen(tables, asked)
    shown: list[Change] = []
    op = ""
    if chosen is not None:
        op = asked["op"] or next((op for op in ("update", "insert", "delete") if chosen.count(op)), "update")
        cut = cut_of(asked["page"], _size(op))
        shown = contrasting.differing_rows(one, other, chosen.node, chosen.table, op, cut)
    return {
        "tables": tables,
        "totals": [(op, WORDS[op], sum(table.count(op) for table in tables)) for op in OPS],
        "differing": sum(table.differs for table in tables),
        "is_composite": len({table.node for table in tables}) > 1,
        "chosen": chosen,
        "op": op,
        "ops": [(each, WORDS[each], chosen.count(each)) for each in OPS] if chosen else [],
        "columns": list(contrasting.shape_of(other, chosen.node, chosen.table).columns) if chosen else [],
        "rows": [_row(change) for change in shown],
        "shown_count": chosen.count(op) if chosen else 0,
    }


def _chosen(tables: list[TableContrast], asked: dict[str, Any]) -> TableContrast | None:
    if asked["table"]:
        for table in tables:
            if table.table == asked["table"] and asked["node"] in ("", table.node):
                return table
        known = ", ".join(table.table for table in tables)
        raise Problem(f"These fixtures have no table {asked['table']!r:.80}; they have: {known}.", 404)
    return next((table for table in tables if table.differs), None)


def _size(op: str) -> int:
    return CHANGED_ROWS if op == "update" else ROWS


def _row(change: Change) -> dict[str, Any]:
    whole = change.after if change.op == "insert" else change.before
    cells = [(name, (change.before or {}).get(name), (change.after or {}).get(name)) for name in change.after or {}]
    return {"key": list(change.key.items()), "cells": cells, "values": list((whole or {}).values())}
