"""Where do two runs first differ?"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from console.pages import page, show
from worlds.engine.hosting import HOSTS


@page()
async def runs(request: HttpRequest) -> HttpResponse:
    """Choose two instances, and see."""
    return show(request, "console/calls/compare.html", {"instances": sorted(HOSTS, key=lambda hosted: -hosted.used_at)})
