"""Which fixtures are there, what is in them, and where does each come from?"""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import NoReverseMatch, reverse

from console.access import Role
from console.fixture_forms import FixturesForm, RowsForm
from console.lineage import Entry, entries, line_of, parts, tree
from console.pages import Problem, go, page, read, require_post, show, world_of
from console.paging import cut_of, page_of
from console.preparing import PATIENCE_S, start_building, waiting
from worlds.engine import World, contrasting, images, installed
from worlds.engine.hosting import HOSTS, LANES

ROWS = 50


@page()
async def listing(request: HttpRequest) -> HttpResponse:
    """The fixtures of every world, each below the one it was forked off."""
    names = installed.names()
    wanted = read(FixturesForm(request.GET))["world"]
    if wanted:
        world_of(wanted)
    shown = [installed.get(name) for name in names if wanted in ("", name)]
    found = await LANES.lane().run(lambda: [(world, entries(world)) for world in shown])
    worlds = [
        {
            "world": world,
            "roots": tree(fixtures),
            "count": sum(each.fixture is not None for each in fixtures.values()),
            "can_compare": sum(each.can_be_opened for each in fixtures.values()) > 1,
            "is_building": any(each.is_being_built for each in fixtures.values()),
        }
        for world, fixtures in found
    ]
    context = {
        "worlds": worlds,
        "names": names,
        "wanted": wanted,
        "is_building": any(each["is_building"] for each in worlds),
    }
    return show(request, "console/fixtures/list.html", context, part="fixtures")


@page()
async def detail(request: HttpRequest, world: str, fixture: str) -> HttpResponse:
    """All about one fixture."""
    chosen = world_of(world)
    found = await LANES.lane().run(entries, chosen)
    entry = _entry(chosen, found, fixture)
    tree(found)
    context: dict[str, Any] = {
        "world": chosen,
        "entry": entry,
        "fixture": entry.fixture,
        "ancestors": list(line_of(found, entry))[:0:-1],
        "parent": found.get(entry.parent or ""),
        "parts": await LANES.lane().run(parts, chosen, entry.fixture) if entry.fixture else [],
        "others": [each for each in found.values() if each.can_be_opened and each is not entry],
        "open_count": sum(each.world is chosen and each.start.fixture == fixture for each in HOSTS),
        "origin": f"{request.scheme}://{request.get_host()}",
        "is_frozen": "frozen" in request.GET,
        "frozen_from": HOSTS.get(request.GET.get("frozen", "")),
        "draft": _draft(),
    }
    return show(request, "console/fixtures/detail.html", context)


def _entry(world: World, found: dict[str, Entry], fixture: str) -> Entry:
    if fixture not in found:
        raise Http404(f"World {world.name} has no fixture {fixture!r:.80}; it has: {', '.join(found) or 'none'}.")
    return found[fixture]


def _draft() -> str:
    """Where a draft is started from a fixture, if this server has drafts."""
    try:
        return reverse("admin:console_draft_add")
    except NoReverseMatch:
        return ""


@page(Role.OPERATOR)
async def build(request: HttpRequest, world: str, fixture: str) -> HttpResponse:
    """Build a fixture's image, and before that its text if only its recipe is there."""
    require_post(request)
    chosen = world_of(world)
    entry = _entry(chosen, await LANES.lane().run(entries, chosen), fixture)
    if entry.fixture is None and request.role < Role.CURATOR:  # type: ignore[attr-defined]
        raise Problem(f"Fixture {fixture} is to be made by its recipe, and that needs the role curator.", 403)
    to = reverse("console:fixture-detail", args=[world, fixture])
    job = start_building(chosen, fixture, to=to, back=to)
    if not await job.wait(PATIENCE_S):
        return go(request, "job-detail", job.id)
    if job.problem:
        raise Problem(job.problem, 422)
    return go(request, to)


@page()
async def table(request: HttpRequest, world: str, fixture: str, node: str, table: str) -> HttpResponse:
    """The rows of one table of a fixture, page by page."""
    chosen = world_of(world)
    asked = read(RowsForm(request.GET))
    wait = await waiting(request, chosen, [fixture])
    if wait is not None:
        return wait
    column, is_descending = asked["sort"].removeprefix("-"), asked["sort"].startswith("-")

    def rows() -> tuple[list[dict[str, Any]], int, list[str], list[contrasting.Held]]:
        state = images.starting_state(chosen, fixture)
        columns = list(contrasting.shape_of(state, node, table).columns)
        cut = cut_of(asked["page"], ROWS)
        found, total = contrasting.rows(state, node, table, cut, sort=column, descending=is_descending)
        return found, total, columns, contrasting.tables(state)

    found, total, columns, held = await LANES.lane().run(rows)
    context = {
        "world": chosen,
        "fixture": fixture,
        "node": node,
        "table": table,
        "rows": [list(row.values()) for row in found],
        "columns": columns,
        "tables": held,
        "is_composite": len({each.node for each in held}) > 1,
        "sort": column,
        "is_descending": is_descending,
        "page": page_of(request.GET, asked["page"], ROWS, total),
    }
    return show(request, "console/fixtures/table.html", context, part="rows")
