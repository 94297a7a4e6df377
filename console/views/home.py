"""What does this server hold, and how busy is it?"""

from __future__ import annotations

import time

from django.http import HttpRequest, HttpResponse

from console.numbers import NUMBERS
from console.pages import page, show
from worlds.engine import installed
from worlds.engine.hosting import HOSTS


@page()
async def show_home(request: HttpRequest) -> HttpResponse:
    """The worlds, and the latest instances."""
    worlds = [
        {
            "world": world,
            "tools": len(world.surface),
            "fixtures": world.fixture_ids(),
            "open": sum(hosted.world is world for hosted in HOSTS),
        }
        for world in map(installed.get, installed.names())
    ]
    latest = sorted(HOSTS, key=lambda hosted: hosted.used_at, reverse=True)[:8]
    context = {"worlds": worlds, "latest": latest, "numbers": NUMBERS.now(), "now": time.monotonic()}
    return show(request, "console/home.html", context, part="latest")


@page()
async def numbers(request: HttpRequest) -> HttpResponse:
    """How many instances, calls a second and megabytes, now and in the last minutes."""
    return show(request, "console/_numbers.html", {"numbers": NUMBERS.now()})


async def live_is_a_socket(request: HttpRequest) -> HttpResponse:
    """What a browser reads that opens the address of the WebSocket."""
    return HttpResponse(
        "This is a WebSocket: pages use it to hear what moves.\n", status=426, content_type="text/plain"
    )
