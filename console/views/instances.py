"""Which instances are open, and what can be done with one as a whole?"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse

from console.access import Role
from console.forms import AdvanceForm, InstancesForm
from console.heads import head
from console.pages import go, hosted_of, instance_of, page, patience_s, read, require_post, show
from console.views.opening import DOOR
from worlds.engine import timeline
from worlds.engine.hosting import HOSTS, Hosted


@page()
async def listing(request: HttpRequest) -> HttpResponse:
    """Every instance of this server, whoever opened it."""
    form = InstancesForm(request.GET)
    asked = read(form)
    found = sorted((hosted for hosted in HOSTS if _fits(hosted, asked)), key=lambda h: h.used_at, reverse=True)
    context = {
        "form": form,
        "found": found[:200],
        "count": len(found),
        "total": len(HOSTS),
        "doors": sorted({hosted.door for hosted in HOSTS}),
        "worlds": sorted({hosted.world.name for hosted in HOSTS}),
        "now": time.monotonic(),
    }
    return show(request, "console/instances/list.html", context, part="instances")


def _fits(hosted: Hosted, asked: dict[str, Any]) -> bool:
    words = f"{hosted.id} {hosted.name or ''} {hosted.world.name} {hosted.start.fixture or ''}".lower()
    return (
        asked["world"] in ("", hosted.world.name)
        and asked["door"] in ("", hosted.door)
        and all(word in words for word in asked["q"].lower().split())
    )


@page()
async def detail(request: HttpRequest, instance_id: str) -> HttpResponse:
    """Where an instance stands: the way in to all about it."""
    hosted, instance = await instance_of(instance_id)
    has_moved = await hosted.run(timeline.move_count, instance)
    return go(request, "call-list" if has_moved else "tool-list", instance_id)


@page()
async def standing(request: HttpRequest, instance_id: str) -> HttpResponse:
    """How many calls it has had, and what its clock says: the part of every page that moves."""
    hosted, instance = await instance_of(instance_id)
    return show(request, "console/instances/base.html#standing", head(hosted, instance, ""))


@page(Role.OPERATOR)
async def end(request: HttpRequest, instance_id: str) -> HttpResponse:
    """End an instance, and free what it holds."""
    require_post(request)
    hosted_of(instance_id).end("somebody ended it in the console")
    return go(request, "instance-list")


@page(Role.OPERATOR)
async def advance(request: HttpRequest, instance_id: str) -> HttpResponse:
    """Move its clock, and run what comes due."""
    require_post(request)
    hosted, instance = await instance_of(instance_id)
    form = AdvanceForm(request.POST)
    read(form)
    await hosted.move(partial(instance.advance, **form.by()), timeout_s=patience_s())
    return go(request, "instance-detail", instance_id)


@page(Role.OPERATOR)
async def fork(request: HttpRequest, instance_id: str) -> HttpResponse:
    """Branch an independent copy off, as it stands."""
    require_post(request)
    hosted, instance = await instance_of(instance_id)
    with HOSTS.place():
        twin = Hosted(hosted.world, hosted.start, door=DOOR, idle_s=hosted.idle_s)
        twin.adopt(await hosted.run(instance.fork))
    return go(request, "instance-detail", twin.id)


@page()
async def state(request: HttpRequest, instance_id: str) -> HttpResponse:
    """Its state document, to keep."""
    hosted, instance = await instance_of(instance_id)
    return _download(await hosted.run(instance.state_json), f"state-{instance_id}.json")


@page()
async def episode(request: HttpRequest, instance_id: str) -> HttpResponse:
    """The whole episode, to replay."""
    hosted, instance = await instance_of(instance_id)
    return _download(await hosted.run(instance.export_json), f"episode-{instance_id}.json")


def _download(text: bytes, name: str) -> HttpResponse:
    answer = HttpResponse(text, content_type="application/json")
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer
