"""Which tools does an instance have, and what comes of calling one?"""

from __future__ import annotations

import time
from typing import Any

import orjson
from django.http import Http404, HttpRequest, HttpResponse

from console.access import Role
from console.forms import ArgumentsForm
from console.heads import head
from console.pages import Problem, instance_of, page, read, show
from worlds.engine import Instance, ToolError, excerpts


@page()
async def listing(request: HttpRequest, instance_id: str) -> HttpResponse:
    """The tools, to choose one."""
    hosted, instance = await instance_of(instance_id)
    return show(request, "console/tools/list.html", {**head(hosted, instance, "tool-list"), "tools": instance.tools()})


@page()
async def detail(request: HttpRequest, instance_id: str, tool: str) -> HttpResponse:
    """One tool: what it is, a form to call it, and what came of a call."""
    hosted, instance = await instance_of(instance_id)
    tools = instance.tools()
    chosen = next((each for each in tools if each["name"] == tool), None)
    if chosen is None:
        raise Http404(f"This instance has no tool {tool!r:.60}.")
    outcome = None
    if request.method == "POST":
        if request.role < Role.OPERATOR:  # type: ignore[attr-defined]
            raise Problem("Calling a tool needs the role operator.", 403)
        arguments = read(ArgumentsForm(request.POST))["arguments"]
        outcome = await hosted.move(called, instance, tool, arguments)
    context = {**head(hosted, instance, "tool-list"), "tools": tools, "tool": chosen, "outcome": outcome}
    return show(request, "console/tools/detail.html", context, part="outcome")


def called(instance: Instance, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Call a tool; answers {"ordinal", "result", "error", "took_ms", "changes"}. On a worker thread."""
    result: Any = None
    error: dict[str, Any] | None = None
    began = time.perf_counter()
    try:
        result = orjson.loads(instance.dispatch(tool, arguments).json)
    except ToolError as refusal:
        error = refusal.to_dict()
    took_ms = (time.perf_counter() - began) * 1000
    ordinal = instance.call_count - 1
    changes = [orjson.loads(record) for record in excerpts.changes_of_call(instance, ordinal)]
    return {"ordinal": ordinal, "result": result, "error": error, "took_ms": took_ms, "changes": changes}
