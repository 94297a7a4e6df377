"""Which tools does an instance have, and what comes of calling one?"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import orjson
from django.http import Http404, HttpRequest, HttpResponse
from django_htmx.http import replace_url, retarget

from console.access import Role
from console.heads import head
from console.pages import Problem, instance_of, is_htmx, page, show
from console.tools.argument_form import Form
from console.tools.arguments import Wrong, arguments_in, read, written
from console.tools.shapes import Shape, json_text, shape_of
from worlds.engine import Instance, InstanceClosed, ToolError, excerpts
from worlds.engine.composing import ROOT
from worlds.engine.hosting import Hosted

#: Arguments longer than that do not stand in an address.
LONGEST_ADDRESS = 6000


@page()
async def listing(request: HttpRequest, instance_id: str) -> HttpResponse:
    """The tools, to choose one."""
    hosted, instance = await instance_of(instance_id)
    return show(request, "console/tools/list.html", {**head(hosted, instance, "tool-list"), **_tools(instance)})


def _tools(instance: Instance) -> dict[str, Any]:
    """The tools, those of each embedded world apart: by the name that theirs begin with."""
    tools = instance.tools()
    composition = instance.composition()
    prefixes = {path.replace("/", "_") + "_": path for path in composition if path != ROOT}
    groups: dict[str, list[dict[str, Any]]] = {ROOT: []}
    for tool in tools:
        fitting = [prefix for prefix in prefixes if tool["name"].startswith(prefix)]
        groups.setdefault(prefixes[max(fitting, key=len)] if fitting else ROOT, []).append(tool)
    named = [(composition[path]["world"], path, found) for path, found in groups.items() if found]
    return {"tools": tools, "groups": named if len(named) > 1 else [("", "", tools)]}


@page()
async def detail(request: HttpRequest, instance_id: str, tool: str) -> HttpResponse:
    """One tool: what it is, a form to call it, and what came of a call."""
    hosted, instance = await instance_of(instance_id)
    chosen = next((each for each in instance.tools() if each["name"] == tool), None)
    if chosen is None:
        raise Http404(f"This instance has no tool {tool!r:.60}.")
    shape = shape_of(chosen["input_schema"])
    if request.method == "POST":
        if request.role < Role.OPERATOR:  # type: ignore[attr-defined]
            raise Problem("Calling a tool needs the role operator.", 403)
        return await _posted(request, hosted, instance, chosen, shape)
    filled = _asked(shape, request.GET)
    return _page(request, hosted, instance, chosen, filled)


def _asked(shape: Shape, query: Mapping[str, str]) -> dict[str, Any]:
    """The form as an address describes it: `?arguments={…}` is what it is filled in with, `?raw=1` asks for JSON."""
    text = query.get("arguments", "")
    try:
        arguments = arguments_in(text)
    except Wrong as wrong:
        return _raw(text, str(wrong))
    return _raw(_pretty(arguments)) if query.get("raw") else _form(shape, arguments)


def _raw(text: str, error: str = "") -> dict[str, Any]:
    return {"is_raw": True, "text": text, "error": error}


def _form(shape: Shape, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"is_raw": False, "form": Form(shape, written(shape, arguments))}


def _pretty(arguments: dict[str, Any]) -> str:
    try:
        return orjson.dumps(arguments, option=orjson.OPT_INDENT_2).decode()
    except (TypeError, ValueError):
        return json_text(arguments)


async def _posted(
    request: HttpRequest, hosted: Hosted, instance: Instance, tool: dict[str, Any], shape: Shape
) -> HttpResponse:
    """Call it with what was sent, or show the same in the other way."""
    wanted = request.POST.get("show", "")
    is_raw = "arguments" in request.POST
    sent = {name: [str(value) for value in values] for name, values in request.POST.lists()}
    if is_raw:
        text = str(request.POST["arguments"])
        try:
            arguments = arguments_in(text)
        except Wrong as wrong:
            return _page(request, hosted, instance, tool, _raw(text, str(wrong)), status=400)
    else:
        arguments, errors = read(shape, sent)
        if wanted:  # what is still missing is no mistake yet
            errors = {name: error for name, error in errors.items() if any(map(str.strip, sent.get(name, ())))}
        if errors:
            return _page(request, hosted, instance, tool, {"form": Form(shape, sent, errors)}, status=400)
    if wanted == "form" and not is_raw:
        return _page(request, hosted, instance, tool, {"form": Form(shape, sent)})
    if wanted:
        shown = _raw(_pretty(arguments)) if wanted == "raw" else _form(shape, arguments)
        return _addressed(_page(request, hosted, instance, tool, shown), request, arguments, wanted == "raw")
    outcome = await hosted.move(called, instance, tool["name"], arguments)
    filled = _raw(str(request.POST["arguments"])) if is_raw else {"form": Form(shape, sent)}
    answer = _page(request, hosted, instance, tool, filled, outcome=outcome)
    return _addressed(answer, request, arguments, is_raw)


def _addressed(answer: HttpResponse, request: HttpRequest, arguments: dict[str, Any], is_raw: bool) -> HttpResponse:
    """Have the address say what stands in the form, so that nothing is lost on a reload."""
    query = ({"raw": "1"} if is_raw else {}) | ({"arguments": json_text(arguments)} if arguments else {})
    address = f"{request.path}?{urlencode(query)}" if query else request.path
    if is_htmx(request) and len(address) <= LONGEST_ADDRESS:
        replace_url(answer, address)
    return answer


def _page(
    request: HttpRequest,
    hosted: Hosted,
    instance: Instance,
    tool: dict[str, Any],
    filled: dict[str, Any],
    *,
    outcome: dict[str, Any] | None = None,
    status: int = 200,
) -> HttpResponse:
    """The whole page; to htmx what came of the call, or the form where it was not called."""
    context = {**head(hosted, instance, "tool-list"), "tool": tool, **filled, "outcome": outcome}
    if is_htmx(request):
        if outcome is not None:
            return show(request, "console/tools/detail.html", context, part="outcome")
        # htmx leaves the page as it is on any other status.
        return retarget(show(request, "console/tools/detail.html", context, part="arguments"), "#arguments")
    context |= _tools(instance)
    return show(request, "console/tools/detail.html", context, status=status)


def called(instance: Instance, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Call a tool; answers {"ordinal", "result", "error", "took_ms", "changes"}. On a worker thread."""
    result: Any = None
    error: dict[str, Any] | None = None
    began = time.perf_counter()
    try:
        result = orjson.loads(instance.dispatch(tool, arguments).json)
    except InstanceClosed:
        raise
    except ToolError as refusal:
        error = refusal.to_dict()
    except Exception as bug:  # the engine has logged it; here its author reads it
        error = {"code": "internal_error", "message": f"The world has a bug here. {type(bug).__name__}: {bug}"}
    took_ms = (time.perf_counter() - began) * 1000
    ordinal = instance.call_count - 1
    changes = [orjson.loads(record) for record in excerpts.changes_of_call(instance, ordinal)]
    return {"ordinal": ordinal, "result": result, "error": error, "took_ms": took_ms, "changes": changes}
