"""How does somebody open an instance?"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import reverse

from console.access import Role
from console.lineage import Entry, entries
from console.opening_forms import OpenForm
from console.pages import go, page, show, world_of
from console.preparing import PATIENCE_S, build, is_ready
from console.progress import JOBS, Job
from worlds.engine import Start, World, installed
from worlds.engine.hosting import HOSTS, LANES, Hosted
from worlds.engine.images import Report

DOOR = "console"
#: Chosen unless another is asked for, where a world has them.
USUAL = ("small_startup", "empty")


@page(Role.OPERATOR)
async def choose(request: HttpRequest) -> HttpResponse:
    """Choose a world."""
    worlds = [
        {"world": world, "tools": len(world.surface), "fixtures": len(world.fixture_ids())}
        for world in map(installed.get, installed.names())
    ]
    return show(request, "console/instances/choose.html", {"worlds": worlds})


@page(Role.OPERATOR)
async def begin(request: HttpRequest, world: str) -> HttpResponse:
    """Say how it begins, and open it."""
    chosen = world_of(world)
    found = await LANES.lane().run(entries, chosen)
    problem = ""
    if request.method == "POST":
        form = OpenForm(chosen, found, request.POST)
        if form.is_valid():
            job = _opening(chosen, form.start(), request.POST)
            is_quick = await LANES.lane().run(is_ready, chosen, form.start().fixture)
            if not await job.wait(settings.SEAHAVEN_CALL_TIMEOUT_S if is_quick else PATIENCE_S):
                return go(request, "job-detail", job.id)
            if not job.problem:
                return go(request, job.to)
            problem = job.problem
    else:
        form, problem = _form(chosen, found, request.GET)
    context = {
        "world": chosen,
        "form": form,
        "problem": problem,
        "entries": _ordered(found),
        "chosen": form["fixture"].value(),
    }
    return show(request, "console/instances/open.html", context, status=422 if problem or form.errors else 200)


def _form(world: World, found: dict[str, Entry], query: QueryDict) -> tuple[OpenForm, str]:
    """The form as the address has it: as it was sent before a job failed, or with the fields that are named."""
    failed = JOBS.get(query.get("again", ""))
    if failed is not None and isinstance(failed.kept, QueryDict):
        return OpenForm(world, found, failed.kept), failed.problem
    usual = next((each for each in USUAL if each in found and found[each].can_be_opened), "")
    initial: dict[str, Any] = {"fixture": usual, "seed": 1, **query.dict()}
    return OpenForm(world, found, initial=initial), ""


def _ordered(found: dict[str, Entry]) -> list[Entry]:
    """Those that can be opened first, the smallest of them before larger ones."""
    return sorted(found.values(), key=lambda each: (not each.can_be_opened, each.row_count, each.id))


def _opening(world: World, start: Start, kept: QueryDict) -> Job:
    async def work(report: Report) -> str:
        if start.fixture is not None and not await LANES.lane().run(is_ready, world, start.fixture):
            await build(world, start.fixture, report)
        hosted = Hosted(world, start, door=DOOR, idle_s=settings.SEAHAVEN_INSTANCE_IDLE_S)
        with HOSTS.place():
            await hosted.begin()
        return reverse("console:tool-list", args=[hosted.id])

    job = JOBS.start(f"Open {world.name}/{start.fixture or 'blank'}", work, back="", kept=kept)
    job.back = f"{reverse('console:instance-begin', args=[world.name])}?again={job.id}"
    return job
