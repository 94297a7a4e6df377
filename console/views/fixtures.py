"""Which fixtures are there, and where does each come from?"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from console.pages import page, show
from worlds.engine import installed
from worlds.engine.hosting import LANES


@page()
async def listing(request: HttpRequest) -> HttpResponse:
    """The fixtures of every world."""
    names = installed.names()
    found = await LANES.lane().run(lambda: [(name, installed.get(name).fixtures()) for name in names])
    return show(request, "console/fixtures/list.html", {"worlds": found})
