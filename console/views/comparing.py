"""Where do two runs first differ?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from console.keeping import Shelf
from console.pages import Problem, go, page, patience_s, read, show
from console.runs.alignment import Contrast, contrast
from console.runs.call_forms import CompareForm, UploadForm
from worlds.engine import Instance, InstanceClosed, SeahavenError
from worlds.engine.episode_documents import read as read_episode
from worlds.engine.hosting import HOSTS, LANES, Hosted, new_id

#: So many pairs of moves stand on one page, and so many instances in a list to choose from.
PAIRS, LISTED = 100, 300
#: What an id of an uploaded document begins with.
FILE = "file-"


class Upload(NamedTuple):
    """An episode document that somebody uploaded."""

    name: str
    data: bytes
    #: What is in it, in words.
    about: str


class Source(NamedTuple):
    """One of the two runs."""

    id: str
    label: str
    #: What tells this state of the run from another one, and what has to live for as long as it does.
    stamp: tuple[Any, ...]
    held: Any
    #: Its episode document, read on a worker thread; None where it has to be asked of an instance.
    hosted: Hosted | None
    data: bytes | None


UPLOADS: Shelf[Upload] = Shelf(40, 256 * 1024 * 1024)
_CONTRASTS: Shelf[tuple[tuple[Any, ...], Any, Contrast]] = Shelf(8)


@page()
async def runs(request: HttpRequest) -> HttpResponse:
    """Choose two runs, and see."""
    if request.method == "POST":
        return await _upload(request)
    form = CompareForm(request.GET)
    asked = read(form)
    return await _shown(request, asked, form)


async def _shown(
    request: HttpRequest, asked: dict[str, Any], form: CompareForm, problem: str = "", status: int = 200
) -> HttpResponse:
    sources: dict[str, Source | None] = {"a": None, "b": None}
    found: Contrast | None = None
    try:
        for side in sources:
            if asked[side]:
                sources[side] = await _source(asked[side], side)
        one, other = sources["a"], sources["b"]
        if one is not None and other is not None and not problem:
            found = await _contrast(one, other)
    except Problem as error:
        problem, status = f"{problem} {error.message}".strip(), error.status if status == 200 else status
    except SeahavenError as error:
        problem, status = f"{problem} {error}".strip(), 422
    context = {
        "form": form,
        "asked": asked,
        "choices": _choices(asked),
        "uploads": UPLOADS.items(),
        "one": sources["a"],
        "other": sources["b"],
        "problem": problem,
        "found": found,
        "limit_mib": settings.SEAHAVEN_MAX_MESSAGE_MIB,
        **(_page_of(found, asked) if found else {}),
    }
    return show(request, "console/calls/compare.html", context, part="comparison", status=status)


def _page_of(found: Contrast, asked: dict[str, Any]) -> dict[str, Any]:
    places = [place for place, pair in enumerate(found.pairs) if not (asked.get("show") and pair.is_same)]
    first = found.first
    at = asked.get("at")
    start = 0 if at is None else at
    if at is None and first is not None and not asked.get("show") and first >= PAIRS:
        start = max(0, first - 3)  # the first difference in view, with what led to it
    shown = places[start : start + PAIRS]
    query = {name: asked.get(name) for name in ("a", "b", "show")}
    return {
        "pairs": [(place, found.pairs[place], place == first) for place in shown],
        "count": len(places),
        "begins": start + 1 if shown else 0,
        "ends": start + len(shown),
        "earlier": _query(query, at=max(0, start - PAIRS)) if start else None,
        "later": _query(query, at=start + PAIRS) if start + PAIRS < len(places) else None,
        "first": first,
        "first_pair": None if first is None else found.pairs[first],
        "first_query": None if first is None else _query({**query, "show": ""}, at=max(0, first - 3)),
    }


def _query(asked: dict[str, Any], **changed: Any) -> str:
    return urlencode({name: value for name, value in {**asked, **changed}.items() if value not in (None, "")})


def _choices(asked: dict[str, Any]) -> list[tuple[str, str]]:
    """The instances to choose from, with words that tell them apart."""
    live = sorted((hosted for hosted in HOSTS if hosted.instance is not None), key=lambda each: -each.used_at)
    listed = live[:LISTED]
    listed += [hosted for hosted in live[LISTED:] if hosted.id in (asked.get("a"), asked.get("b"))]
    return [(hosted.id, _label(hosted)) for hosted in listed]


def _label(hosted: Hosted) -> str:
    calls = hosted.instance.call_count if hosted.instance else 0
    seed = "" if hosted.start.seed is None else f", seed {hosted.start.seed}"
    name = hosted.name or hosted.id[:8]
    start = f"{hosted.world.name}/{hosted.start.fixture or 'blank'}{seed}"
    return f"{name} · {start} · {calls:,} call{'' if calls == 1 else 's'} · {hosted.door}"


async def _source(id: str, side: str) -> Source:
    which = "first" if side == "a" else "second"
    if id.startswith(FILE):
        upload = UPLOADS.get(id)
        if upload is None:
            raise Problem(f"The file of the {which} run is not kept any more: upload it again.", 404)
        return Source(id, upload.name, (id,), None, None, upload.data)
    hosted = HOSTS.get(id)
    if hosted is None or hosted.instance is None:
        reason = HOSTS.end_of(id)
        said = f"is over: {reason}" if reason else "is not on this server"
        raise Problem(f"The instance of the {which} run {said}. Choose another one.", 410 if reason else 404)
    try:
        stamp, held = await hosted.run(_stamp, hosted.instance)
    except InstanceClosed as error:
        raise Problem(f"The instance of the {which} run is over: {error}. Choose another one.", 410) from None
    return Source(id, _label(hosted), (id, *stamp), held, hosted, None)


def _stamp(inst: Instance) -> tuple[tuple[int, ...], Any]:
    with inst.reading() as at:
        last = at.calls[-1] if at.calls else None
        return (len(at.calls), len(at.between), len(at.log.records), id(last)), last


async def _contrast(one: Source, other: Source) -> Contrast:
    key = f"{one.stamp}{other.stamp}"
    kept = _CONTRASTS.get(key)
    if kept is not None:
        return kept[2]
    documents = [await _document(one), await _document(other)]
    found = await LANES.lane().run(_contrasted, *documents, timeout_s=patience_s())
    # What the stamps are made of is kept with it, so that no other call comes to be where that one stood.
    _CONTRASTS.put(((one.stamp, other.stamp), (one.held, other.held), found), id=key)
    return found


async def _document(source: Source) -> bytes:
    if source.data is not None:
        return source.data
    assert source.hosted is not None
    instance = source.hosted.instance
    assert instance is not None
    export: Callable[[], bytes] = instance.export_json
    return await source.hosted.run(export)


def _contrasted(one: bytes, other: bytes) -> Contrast:
    return contrast(read_episode(one), read_episode(other))


# Documents that are uploaded.


async def _upload(request: HttpRequest) -> HttpResponse:
    form = UploadForm(request.POST, request.FILES)
    asked = {side: request.POST.get(side, "") for side in ("a", "b")}
    if not form.is_valid():
        said = " ".join(str(error) for errors in form.errors.values() for error in errors)
        return await _shown(request, asked, CompareForm(asked), said, 422)
    problems, status = [], 422
    for side in ("a", "b"):
        given = form.cleaned_data[f"file_{side}"]
        if not given:
            continue
        limit = settings.SEAHAVEN_MAX_MESSAGE_MIB
        if given.size > limit * 1024 * 1024:
            status = 413
            problems.append(
                f"{given.name} is {given.size / 2**20:.1f} MiB, and up to {limit} MiB are read: raise "
                f"SEAHAVEN_MAX_MESSAGE_MIB, or compare the files with manage.py seahaven_replay."
            )
            continue
        try:
            upload = await LANES.lane().run(_read, given.name, given.read(), timeout_s=patience_s())
        except SeahavenError as error:
            problems.append(f"{given.name}: {error}.")
            continue
        asked[side] = UPLOADS.put(upload, len(upload.data), id=f"{FILE}{new_id()}")
    if problems:
        return await _shown(request, asked, CompareForm(asked), " ".join(problems), status)
    return go(request, f"{reverse('console:run-compare')}?{urlencode(asked)}")


def _read(name: str, data: bytes) -> Upload:
    document = read_episode(data)
    fixture = document.fixture.id if document.fixture else "blank"
    return Upload(name, data, f"{document.world.name}/{fixture}, {document.call_count} calls")
