"""What did an instance do, call by call?"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from console.heads import head
from console.pages import instance_of, page, show
from worlds.engine import excerpts


@page()
async def listing(request: HttpRequest, instance_id: str) -> HttpResponse:
    """The timeline."""
    hosted, instance = await instance_of(instance_id)
    found, count = await hosted.run(excerpts.calls, instance, 0, 500)
    context = {**head(hosted, instance, "call-list"), "calls": found, "count": count}
    return show(request, "console/calls/list.html", context, part="calls")


@page()
async def changes(request: HttpRequest, instance_id: str) -> HttpResponse:
    """The net difference since the start."""
    hosted, instance = await instance_of(instance_id)
    found = await hosted.run(lambda: [change._asdict() for change in instance.diff()])
    context = {**head(hosted, instance, "instance-changes"), "changes": found[:500], "count": len(found)}
    return show(request, "console/calls/changes.html", context, part="changes")
