"""How are kept objects listed and filtered?"""

from __future__ import annotations

from collections.abc import Container
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.db.models import Q, QuerySet

from worlds.stripe import facts
from worlds.stripe.api import errors, listing
from worlds.stripe.api.call import Call
from worlds.stripe.api.operations import MODELS
from worlds.stripe.generic import reference, stored
from worlds.stripe.generic.planning import Place, Plan
from worlds.stripe.generic.wording import noun_of
from worlds.stripe.models.base import Resource
from worlds.stripe.models.objects import StoredObject

_BOUNDS = {"created_after": "gt", "created_before": "lt", **{f"created_{word}": word for word in (
    "gt", "gte", "lt", "lte")}}  # fmt: skip
_PAGING = frozenset({"created", "ending_before", "expand", "include", "limit", "page", "starting_after"})


def page(call: Call, plan: Plan) -> dict[str, Any]:
    """A page of what an operation lists."""
    name = plan.names[0]
    if name in reference.names():
        return _published(call, name)
    rows = of(call, plan)
    if call.operation.is_v2:
        return _v2_page(call, rows)
    return listing.page(call, rows, noun=noun_of(name), shown=lambda row: stored.shown(call, row))


def of(call: Call, plan: Plan) -> QuerySet[Any]:
    """The rows an operation lists, all pages of them."""
    name = plan.names[0]
    if name in MODELS and len(plan.names) == 1:
        return _of_table(call, plan, MODELS[name])
    rows = call.rows(StoredObject).filter(object__in=plan.names, deleted=False).filter(_filters(call, plan))
    if plan.above and plan.above[-1].objects:
        rows = rows.filter(_within(call, plan.above[-1], facts.objects()[name].fields))
    return rows


def fields_for(place: Place, fields: Container[str]) -> list[str]:
    """The fields by which an object names what stands at a place before it."""
    words = {place.name, *(name.rpartition(".")[2] for name in place.objects)}
    return sorted(word for word in words if word != "id" and word in fields)


def _within(call: Call, place: Place, fields: Container[str]) -> Q:
    parent = call.path[place.name]
    found = Q(parent=parent)
    for field in fields_for(place, fields):
        found |= Q(**{f"data__{field}": parent})
    return found


def _filters(call: Call, plan: Plan) -> Q:
    """Filters by fields of the same names, by ranges of instants, and by any of several."""
    fields = facts.objects()[plan.names[0]].fields
    found = Q()
    if "created" in call.params:
        found &= _created(call.params["created"])
    for param, value in call.params.items():
        if param in _PAGING:
            continue
        if (bound := _BOUNDS.get(param)) is not None:
            found &= _created({bound: value})
        elif param in fields:
            found &= _equal(f"data__{param}", value)
        elif isinstance(value, list) and param.removesuffix("s") in fields:
            found &= Q(**{f"data__{param.removesuffix('s')}__in": value})
    return found


def _created(value: Any) -> Q:
    """A filter on when; v2 says instants as text."""
    if isinstance(value, dict):
        return listing.in_range("created", {bound: _seconds(each) for bound, each in value.items()})
    return listing.in_range("created", _seconds(value))


def _seconds(value: Any) -> int:
    try:
        return value if isinstance(value, int) else int(datetime.fromisoformat(value).timestamp())
    except ValueError:
        raise errors.invalid("timestamp", value, "created") from None


def _equal(path: str, value: Any) -> Q:
    if isinstance(value, dict):
        found = Q()
        for key, item in value.items():
            ranged = key in ("gt", "gte", "lt", "lte") and not isinstance(item, dict)
            found &= Q(**{f"{path}__{key}": item}) if ranged else _equal(f"{path}__{key}", item)
        return found
    return Q() if isinstance(value, list) else Q(**{path: value})


def _of_table(call: Call, plan: Plan, model: type[Resource]) -> QuerySet[Any]:
    """Rows of a table, filtered by its columns."""
    columns = {field.name for field in model._meta.concrete_fields}
    rows: QuerySet[Any] = call.rows(model)
    if "deleted" in columns:
        rows = rows.filter(Q(deleted=False))
    if plan.above and plan.above[-1].objects:
        for field in fields_for(plan.above[-1], columns):
            rows = rows.filter(**{field: call.path[plan.above[-1].name]})
    names = [name for name in call.params if name in columns and not isinstance(call.params[name], dict | list)]
    return rows.filter(listing.equal(call, *names, *(["created"] if "created" in call.params else [])))


def _published(call: Call, name: str) -> dict[str, Any]:
    """A page of what is the same for everybody."""
    everything = reference.all_of(name)
    ids = [each["id"] for each in everything]
    after, before = call.params.get("starting_after"), call.params.get("ending_before")
    for param, cursor in (("starting_after", after), ("ending_before", before)):
        if cursor is not None and cursor not in ids:
            raise errors.no_such(noun_of(name), cursor, param=param, in_path=False)
    if after is not None and before is not None:
        raise errors.both_cursors()
    limit = min(max(call.params.get("limit", 10), 1), 100)
    start = ids.index(after) + 1 if after is not None else 0
    end = ids.index(before) if before is not None else len(ids)
    if before is not None:
        start = max(end - limit, 0)
    found = everything[start:end][:limit]
    has_more = start > 0 if before is not None else start + limit < len(ids)
    return listing.envelope(found, url=call.operation.path, has_more=has_more)


def _v2_page(call: Call, rows: QuerySet[StoredObject]) -> dict[str, Any]:
    """A page as v2 has them: with the address of the next."""
    limit = min(max(call.params.get("limit", 20), 1), 100)
    if token := call.params.get("page"):
        rows = rows.filter(x_seq__lt=_place_of(token))
    found = list(rows.order_by("-x_seq")[: limit + 1])
    following = None
    if len(found) > limit:
        found = found[:limit]
        given = {key: value for key, value in call.params.items() if key != "page" and not isinstance(value, dict)}
        query = urlencode({**given, "page": f"page_{found[-1].x_seq:x}"}, doseq=True)
        following = f"{listing.path_of(call)}?{query}"
    data = [stored.shown(call, row) for row in found]
    return {"data": data, "next_page_url": following, "previous_page_url": None}


def _place_of(token: str) -> int:
    try:
        return int(token.removeprefix("page_"), 16)
    except ValueError:
        raise errors.invalid("page", token, "page") from None
