"""What does this server hold, and how busy is it?"""

from __future__ import annotations

import time
from typing import Any

from django.http import HttpRequest, HttpResponse

from console.numbers import NUMBERS
from console.pages import is_htmx, page, show
from worlds.engine import World, installed
from worlds.engine.composing import ROOT, tree_of
from worlds.engine.hosting import HOSTS

#: So many of each are shown; the rest is a link away.
LATEST, FIXTURES = 8, 4


@page()
async def show_home(request: HttpRequest) -> HttpResponse:
    """The worlds, and the latest instances."""
    latest = sorted(HOSTS, key=lambda hosted: hosted.used_at, reverse=True)[:LATEST]
    context = {
        "worlds": [_card(world) for world in map(installed.get, installed.names())],
        "latest": latest,
        "total": len(HOSTS),
        "numbers": NUMBERS.now(),
        "now": time.monotonic(),
        "is_part": is_htmx(request),
    }
    return show(request, "console/home.html", context, part="latest")


def _card(world: World) -> dict[str, Any]:
    fixtures = world.fixture_ids()
    return {
        "world": world,
        "tools": len(world.surface),
        "fixtures": fixtures[:FIXTURES],
        "more_fixtures": len(fixtures) - FIXTURES,
        "embeds": [branch.world.name for path, branch in tree_of(world).branches.items() if path != ROOT],
        "open": sum(hosted.world is world for hosted in HOSTS),
    }


@page()
async def numbers(request: HttpRequest) -> HttpResponse:
    """How many instances, calls a second and megabytes, now and in the last minutes."""
    return show(request, "console/_numbers.html", {"numbers": NUMBERS.now()})


async def live_is_a_socket(request: HttpRequest) -> HttpResponse:
    """What a browser reads that opens the address of the WebSocket."""
    return HttpResponse(
        "This is a WebSocket: pages use it to hear what moves.\n", status=426, content_type="text/plain"
    )
