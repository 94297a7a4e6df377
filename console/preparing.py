"""How does a page wait for images that are not built yet?

A small image is built while the page waits; a large one becomes a job, whose page leads on when it is done.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from console.lineage import build_key
from console.pages import Problem, go
from console.progress import BUILD_S, JOBS, Job
from worlds.engine import World, curating, fixtures, images
from worlds.engine.hosting import LANES
from worlds.engine.images import Report

#: A page waits so long for a job; then the job's own page is shown.
PATIENCE_S = 0.4


def is_ready(world: World, fixture_id: str | None) -> bool:
    """Could an instance be made at once? On a worker thread.

    Raises: FixtureError for a fixture that is not there.
    """
    if fixture_id is None:
        return True
    return images.is_built(world, fixtures.get(world.name, fixture_id, world.recipes))


async def build(world: World, fixture_id: str, report: Report) -> None:
    """Build what is missing of a fixture: its text by its recipe, then its image."""
    wanted = partial(curating.build, world, [fixture_id], anew=False, report=report)
    await LANES.lane().run(wanted, timeout_s=BUILD_S)


def start_building(world: World, fixture_id: str, *, to: str, back: str) -> Job:
    """The job that builds a fixture, begun unless it is under way."""

    async def work(report: Report) -> str:
        await build(world, fixture_id, report)
        return to

    return JOBS.start(f"Build {world.name}/{fixture_id}", work, back=back, key=build_key(world, fixture_id))


async def waiting(request: HttpRequest, world: World, wanted: Sequence[str]) -> HttpResponse | None:
    """The way to a job's page while images are missing; None when all are there.

    Raises: Problem for one that cannot be built; FixtureError for a fixture that is not there.
    """
    here = request.get_full_path()
    for fixture_id in wanted:
        if await LANES.lane().run(is_ready, world, fixture_id):
            continue
        job = start_building(world, fixture_id, to=here, back=reverse("console:fixture-list"))
        if not await job.wait(PATIENCE_S):
            return go(request, "job-detail", job.id)
        if job.problem:
            raise Problem(job.problem, 422)
    return None
