"""What did an instance do, move by move?"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from console.heads import head
from console.pages import Problem, go, instance_of, is_htmx, page, read, show
from console.runs.call_forms import ORDERS, ChangesForm, PlaceForm, ScrubForm, TimelineForm
from console.runs.copying import run_of, snippets
from console.runs.lines import ROWS, brief, grouped_by_table, whole
from console.runs.moments import require_call
from console.runs.net import net
from worlds.engine import Instance, timeline
from worlds.engine.changes import Change
from worlds.engine.earlier import START

#: So many moves stand on one page.
MOVES = 100


@page()
async def listing(request: HttpRequest, instance_id: str) -> HttpResponse:
    """The timeline: the latest moves, or those from a place on."""
    hosted, instance = await instance_of(instance_id)
    form = TimelineForm(request.GET)
    asked = read(form)
    is_newest_first = asked["order"] != ORDERS[1][0]
    start = asked["at"] if asked["at"] is not None or is_newest_first else 0
    found = await hosted.run(timeline.piece, instance, form.wanted(), start, MOVES)
    lines = [brief(line) for line in found.lines]
    context = {
        **head(hosted, instance, "call-list"),
        **_window(asked, found.start, len(lines), found.fitting, is_newest_first),
        "form": form,
        "lines": lines[::-1] if is_newest_first else lines,
        "found": found,
        "tools": sorted({*found.tools, *filter(None, [asked["tool"]])}),
        "is_newest_first": is_newest_first,
        "is_chosen": any(form.wanted()),
    }
    return show(request, "console/calls/list.html", context, part="timeline")


def _window(asked: dict[str, Any], start: int, length: int, total: int, is_newest_first: bool) -> dict[str, Any]:
    """Which of all lines are shown, and the queries that show others."""
    has_earlier, has_later = start > 0, start + MOVES < total
    latest = None if is_newest_first else max(0, total - MOVES)
    return {
        "begins": start + 1 if length else 0,
        "ends": start + length,
        "earlier": _query(asked, at=max(0, start - MOVES)) if has_earlier else None,
        "later": _query(asked, at=start + MOVES) if has_later else None,
        "oldest": _query(asked, at=0) if has_earlier else None,
        "latest": _query(asked, at=latest) if has_later else None,
        "follows": asked["at"] is None or not has_later,
    }


def _query(asked: dict[str, Any], **changed: Any) -> str:
    """The query of the same page with something else in it."""
    return urlencode({name: value for name, value in {**asked, **changed}.items() if value not in (None, "")})


@page()
async def detail(request: HttpRequest, instance_id: str, ordinal: int) -> HttpResponse:
    """One call: what it was given, what it answered, and the rows it changed."""
    hosted, instance = await instance_of(instance_id)
    require_call(instance, ordinal)
    place = read(PlaceForm(request.GET))["at"] or 0
    found = await hosted.run(_call, instance, ordinal, place)
    if found is None:  # it was rewound just now
        require_call(instance, ordinal)
        raise Problem("This call was taken back.", 404)
    call, run, position = found
    may_call = request.role.word != "viewer"  # type: ignore[attr-defined]
    base_url = request.build_absolute_uri("/").rstrip("/")
    context = {
        **head(hosted, instance, "call-list"),
        **steps_of(instance_id, instance, ordinal),
        "call": call,
        "snippets": snippets(hosted, run, base_url, may_call=may_call),
        "rows_shown": ROWS,
        "timeline_at": position // MOVES * MOVES,
    }
    return moved(request, show(request, "console/calls/detail.html", context, part="moment"))


def _call(inst: Instance, ordinal: int, place: int) -> Any:
    line = timeline.of_call(inst, ordinal)
    if line is None:
        return None
    return whole(inst, line, place), run_of(inst, ordinal), timeline.place_of(inst, ordinal)


def steps_of(
    instance_id: str,
    instance: Instance,
    ordinal: int,
    *,
    view: str = "",
    node: str = "",
    table: str = "",
    sort: str = "",
) -> dict[str, Any]:
    """Where one can go from a call, or from tables as they were after it."""
    last = instance.call_count - 1
    first = START if view else 0
    asked = {"view": view, "node": node, "table": table, "sort": sort}
    previous = ordinal - 1 if ordinal > first else None
    following = ordinal + 1 if ordinal < last else None
    return {
        **asked,
        "ordinal": ordinal,
        "last": last,
        "previous": previous,
        "previous_url": None if previous is None else _address(instance_id, previous, asked),
        "next": following,
        "next_url": None if following is None else _address(instance_id, following, asked),
        "steps_url": f"{reverse('console:call-steps', args=[instance_id, ordinal])}?{_query(asked)}",
        "is_gone": ordinal > last,
    }


def _address(instance_id: str, call: int, asked: dict[str, Any]) -> str:
    """The page of a call, or the same page of tables as they were after it."""
    if not asked["view"]:
        return reverse("console:call-detail", args=[instance_id, max(0, call)])
    if not asked["table"]:
        return reverse("console:then-tables", args=[instance_id, call])
    to = reverse("console:then-rows", args=[instance_id, call, asked["node"], asked["table"]])
    return f"{to}?{urlencode({'sort': asked['sort']})}" if asked["sort"] else to


def moved(request: HttpRequest, answer: HttpResponse) -> HttpResponse:
    """Of a page that was scrubbed to: the address is its own, and the way back is not littered with all in between."""
    if is_htmx(request) and answer.status_code == 200:
        answer["HX-Replace-Url"] = request.get_full_path()
    return answer


@page()
async def steps(request: HttpRequest, instance_id: str, ordinal: int) -> HttpResponse:
    """The way to the calls before and after: the part of a call's page that moves."""
    _, instance = await instance_of(instance_id)
    asked = read(ScrubForm({**request.GET.dict(), "n": ordinal}))
    asked.pop("n")
    context = {"instance_id": instance_id, **steps_of(instance_id, instance, ordinal, **asked)}
    return show(request, "console/calls/_steps.html", context)


@page()
async def scrub(request: HttpRequest, instance_id: str) -> HttpResponse:
    """Go to a call, or to a table as it was then."""
    await instance_of(instance_id)
    asked = read(ScrubForm(request.GET))
    # To htmx this is no page of its own: it follows as the browser does, and takes the part that is answered there.
    return HttpResponseRedirect(_address(instance_id, asked["n"], asked))


@page()
async def between(request: HttpRequest, instance_id: str, number: int) -> HttpResponse:
    """One move that is no call: the clock moved, a request came to the product's own API, rows were written."""
    hosted, instance = await instance_of(instance_id)
    place = read(PlaceForm(request.GET))["at"] or 0
    found = await hosted.run(_between, instance, number, place)
    if found is None:
        raise Problem(f"There is no move {number} between calls; it may have been rewound.", 404)
    context = {**head(hosted, instance, "call-list"), "call": found, "rows_shown": ROWS}
    return show(request, "console/calls/between.html", context)


def _between(inst: Instance, number: int, place: int) -> Any:
    line = timeline.between(inst, number)
    return None if line is None else whole(inst, line, place)


@page()
async def last(request: HttpRequest, instance_id: str) -> HttpResponse:
    """The latest call."""
    _, instance = await instance_of(instance_id)
    if not instance.call_count:
        raise Problem("There is no call yet.", 404)
    return go(request, "call-detail", instance_id, instance.call_count - 1)


@page()
async def changes(request: HttpRequest, instance_id: str) -> HttpResponse:
    """The net difference since the start."""
    hosted, instance = await instance_of(instance_id)
    form = ChangesForm(request.GET)
    asked = read(form)
    every = await net(hosted, instance)
    counts = _counts(every)
    found = (
        [change for change in every if _fits(change, asked)] if asked["table"] or asked["op"] or asked["q"] else every
    )
    start = asked["at"] or 0
    shown = found[start : start + MOVES]
    context = {
        **head(hosted, instance, "instance-changes"),
        "form": form,
        "counts": counts,
        "groups": grouped_by_table(shown),
        "count": len(found),
        "total": len(every),
        "begins": start + 1 if shown else 0,
        "ends": start + len(shown),
        "earlier": _query(asked, at=max(0, start - MOVES)) if start else None,
        "later": _query(asked, at=start + MOVES) if start + MOVES < len(found) else None,
    }
    return show(request, "console/calls/changes.html", context, part="changes")


def _counts(every: list[Change]) -> list[dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for change in every:
        name = f"{change.world}.{change.table}"
        counted = found.setdefault(name, {"name": name, "insert": 0, "update": 0, "delete": 0, "all": 0})
        counted[change.op] += 1
        counted["all"] += 1
    return [found[name] for name in sorted(found)]


def _fits(change: Change, asked: dict[str, Any]) -> bool:
    if asked["table"] not in ("", f"{change.world}.{change.table}") or asked["op"] not in ("", change.op):
        return False
    words = asked["q"].lower().split()
    if not words:
        return True
    values = [*change.key.values(), *(change.before or {}).values(), *(change.after or {}).values()]
    text = " ".join(map(str, values)).lower()
    return all(word in text for word in words)
