"""How does somebody open an instance?"""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from console.access import Role
from console.forms import OpenForm
from console.pages import go, page, show, world_of
from worlds.engine import SeahavenError, installed
from worlds.engine.hosting import HOSTS, LANES, Hosted

DOOR = "console"


@page(Role.OPERATOR)
async def choose(request: HttpRequest) -> HttpResponse:
    """Choose a world."""
    worlds = [installed.get(name) for name in installed.names()]
    return show(request, "console/instances/choose.html", {"worlds": worlds})


@page(Role.OPERATOR)
async def begin(request: HttpRequest, world: str) -> HttpResponse:
    """Say how it begins, and open it."""
    chosen = world_of(world)
    problem = ""
    if request.method == "POST":
        form = OpenForm(chosen, request.POST)
        try:
            if form.is_valid():
                hosted = Hosted(chosen, form.start(), door=DOOR, idle_s=settings.SEAHAVEN_INSTANCE_IDLE_S)
                with HOSTS.place():
                    await hosted.begin()
                return go(request, "tool-list", hosted.id)
        except SeahavenError as error:
            problem = str(error)
    else:
        ids = chosen.fixture_ids()
        first = request.GET.get("fixture") or next((id for id in ("small_startup", "empty") if id in ids), "")
        form = OpenForm(chosen, initial={"fixture": first, "seed": 1})
    fixtures = await LANES.lane().run(chosen.fixtures)
    context = {"world": chosen, "form": form, "problem": problem, "fixtures": fixtures}
    return show(request, "console/instances/open.html", context, status=422 if problem or form.errors else 200)
