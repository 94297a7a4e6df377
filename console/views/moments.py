"""How was it then, and what if it had gone on otherwise from there?"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import orjson
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from console.access import Role
from console.heads import head
from console.keeping import Shelf
from console.pages import Problem, go, instance_of, is_htmx, page, patience_s, read, require_post, show
from console.progress import BUILD_S, JOBS
from console.runs.call_forms import ThenForm
from console.runs.moments import moment, require_call
from console.views.calls import moved, steps_of
from console.views.opening import DOOR
from worlds.engine import Instance, InstanceClosed, WorldBug, excerpts, tables, timeline
from worlds.engine.differing import Divergence
from worlds.engine.episode_documents import read as read_episode
from worlds.engine.hosting import HOSTS, LANES, Hosted
from worlds.engine.images import Report
from worlds.engine.replaying import rebuild
from worlds.engine.tables import Order

#: A replay that is done so soon is not watched.
PATIENCE_S = 0.4
#: So many rows stand on one page, and so many divergences of a replay.
ROWS, DIVERGENCES = 100, 50


class Made(NamedTuple):
    """What came of making a run again."""

    source_id: str
    made_id: str
    call: int | None
    moves: int
    of_moves: int
    elsewhere: list[Divergence]
    divergences: list[Divergence]
    stopped: str | None


MADE: Shelf[Made] = Shelf(200)


@page()
async def then_tables(request: HttpRequest, instance_id: str, call: int) -> HttpResponse:
    """The tables as they were just after a call."""
    hosted, instance = await instance_of(instance_id)
    context = {
        **head(hosted, instance, "call-list"),
        **steps_of(instance_id, instance, call, view="tables"),
    }
    try:
        then = await moment(hosted, instance, call)
    except WorldBug as error:
        return _out_of_reach(request, context, error)
    found, changed = await LANES.lane().run(_tables, then, call)
    context |= {
        "tables": [table | {"changed": changed.get((table["node"], table["name"]), 0)} for table in found],
        "then": then.clock.iso(),
    }
    return moved(request, show(request, "console/calls/then_tables.html", context, part="moment"))


def _out_of_reach(request: HttpRequest, context: dict[str, Any], error: WorldBug) -> HttpResponse:
    """The page of a point that nothing leads back to: the way to other points stays."""
    if isinstance(error, InstanceClosed):
        raise error
    context |= {"problem": f"{error}."}
    status = 200 if is_htmx(request) else 422  # htmx puts only what was answered well in its place
    return moved(request, show(request, "console/calls/out_of_reach.html", context, part="moment", status=status))


def _tables(then: Instance, call: int) -> tuple[list[dict[str, Any]], dict[tuple[str, str], int]]:
    changed: dict[tuple[str, str], int] = {}
    for change in _changes(then, call):
        place = change["world"], change["table"]
        changed[place] = changed.get(place, 0) + 1
    return tables.listed(then), changed


def _changes(then: Instance, call: int) -> list[dict[str, Any]]:
    line = timeline.of_call(then, call)
    return [] if line is None else [orjson.loads(each) for each in excerpts.changes(then, line.first, line.last)[0]]


@page()
async def then_rows(request: HttpRequest, instance_id: str, call: int, node: str, table: str) -> HttpResponse:
    """The rows of a table as they were just after a call, those that it changed highlighted."""
    hosted, instance = await instance_of(instance_id)
    asked = read(ThenForm(request.GET))
    start, sort = asked["at"] or 0, asked["sort"]
    context = {
        **head(hosted, instance, "call-list"),
        **steps_of(instance_id, instance, call, view="tables", node=node, table=table, sort=sort),
    }
    try:
        then = await moment(hosted, instance, call)
    except WorldBug as error:
        return _out_of_reach(request, context, error)
    found = await LANES.lane().run(_rows, then, call, node, table, sort, start)
    context |= {
        **found,
        "then": then.clock.iso(),
        "begins": start + 1 if found["rows"] else 0,
        "ends": start + len(found["rows"]),
        "earlier": max(0, start - ROWS) if start else None,
        "later": start + ROWS if start + ROWS < found["total"] else None,
    }
    return moved(request, show(request, "console/calls/then_rows.html", context, part="moment"))


def _rows(then: Instance, call: int, node: str, table: str, sort: str, start: int) -> dict[str, Any]:
    orders = [Order(sort.removeprefix("-"), sort.startswith("-"))] if sort else []
    rows, total = tables.rows(then, node, table, [], orders, slice(start, start + ROWS))
    columns = next(each["columns"] for each in tables.listed(then, node) if each["name"] == table)
    keys = [column["name"] for column in columns if column["key"]]
    mine = [each for each in _changes(then, call) if (each["world"], each["table"]) == (node, table)]
    touched = {_key(change["key"]): change for change in mine}
    shown = []
    for row in rows:
        change = touched.get(_key({name: row[name] for name in keys}))
        cells = [(name, value, change is not None and _is_new(change, name)) for name, value in row.items()]
        shown.append({"cells": cells, "op": change["op"] if change else ""})
    return {"rows": shown, "total": total, "columns": columns, "changes": mine[:20], "change_count": len(mine)}


def _key(key: dict[str, Any]) -> bytes:
    return orjson.dumps(key, option=orjson.OPT_SORT_KEYS)


def _is_new(change: dict[str, Any], column: str) -> bool:
    return bool(change["op"] == "insert" or column in (change["after"] or {}))


# Going on from there.


@page(Role.OPERATOR)
async def fork(request: HttpRequest, instance_id: str, call: int) -> HttpResponse:
    """Branch a copy off, as it was just after a call."""
    require_post(request)
    hosted, instance = await instance_of(instance_id)
    then = await moment(hosted, instance, call)
    with HOSTS.place():
        twin = Hosted(hosted.world, hosted.start, door=DOOR, idle_s=settings.SEAHAVEN_INSTANCE_IDLE_S)
        twin.adopt(await LANES.lane().run(then.fork))
    messages.success(request, f"Forked after call {call}: what is done here leaves the other as it is.")
    return go(request, "instance-detail", twin.id)


@page(Role.OPERATOR)
async def rewind(request: HttpRequest, instance_id: str, call: int) -> HttpResponse:
    """Take back what came after a call."""
    require_post(request)
    hosted, instance = await instance_of(instance_id)
    require_call(instance, call, or_start=True)
    lost = instance.call_count - 1 - call
    await hosted.move(partial(instance.rewind, call=call), timeout_s=patience_s())
    messages.success(request, f"Rewound to just after call {call}; {lost} calls were taken back.")
    return go(request, "call-list", instance_id)


@page(Role.OPERATOR)
async def replay(request: HttpRequest, instance_id: str, call: int) -> HttpResponse:
    """Make the run up to a call again in a new instance, and say where it goes another way."""
    require_post(request)
    hosted, instance = await instance_of(instance_id)
    then = await moment(hosted, instance, call)
    HOSTS.require_place()

    async def work(report: Report) -> str:
        made, again = await LANES.lane().run(_made_again, hosted, then, call, report, timeout_s=BUILD_S)
        with HOSTS.place():
            twin = Hosted(hosted.world, hosted.start, door=DOOR, idle_s=settings.SEAHAVEN_INSTANCE_IDLE_S)
            twin.adopt(again)
        return reverse("console:replay-detail", args=[MADE.put(made._replace(made_id=twin.id))])

    back = reverse("console:call-list", args=[instance_id])
    job = JOBS.start(f"Replay {call + 1} calls of {hosted.world.name} in a new instance", work, back=back)
    if not await job.wait(PATIENCE_S):
        return go(request, "job-detail", job.id)
    if job.problem:
        raise Problem(job.problem, 422)
    return go(request, job.to)


def _made_again(hosted: Hosted, then: Instance, call: int, report: Report) -> tuple[Made, Instance]:
    document = read_episode(then.export_json())
    total = len(document.moves)
    again, done = rebuild(document, hosted.world, lambda count: report("Making the moves again", count, total))
    found = Made(hosted.id, "", call, done.made, total, done.elsewhere, done.divergences, done.stopped)
    return found, again


@page()
async def replayed(request: HttpRequest, replay_id: str) -> HttpResponse:
    """What came of making a run again."""
    made = MADE.get(replay_id)
    if made is None:
        raise Problem("What came of this replay is not kept any more. Replay the run once more from its timeline.", 404)
    first = made.divergences[0] if made.divergences else None
    context = {
        "made": made,
        "first": first,
        "divergences": made.divergences[:DIVERGENCES],
        "is_there": HOSTS.get(made.made_id) is not None,
        "has_source": HOSTS.get(made.source_id) is not None,
    }
    return show(request, "console/calls/replayed.html", context)
