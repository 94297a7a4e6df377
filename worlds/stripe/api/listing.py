"""How is a list paged and filtered? Newest first, by cursors that are ids."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from django.db.models import Q, QuerySet

from worlds.stripe.api import errors, wire
from worlds.stripe.api.call import Call, utc
from worlds.stripe.models.base import Resource

R = TypeVar("R", bound=Resource)


def page(
    call: Call,
    rows: QuerySet[R],
    *,
    noun: str,
    shown: Callable[[R], dict[str, Any]] = wire.of,
    url: str | None = None,
    oldest_first: bool = False,
) -> dict[str, Any]:
    """One page in the list envelope.

    Raises: StripeError for both cursors at once, and for a cursor that names nothing.
    """
    params = call.params
    limit = min(max(params.get("limit", 10), 1), 100)
    after, before = params.get("starting_after"), params.get("ending_before")
    bounds = {
        name: _seq(rows, params[name], noun, name) for name in ("starting_after", "ending_before") if name in params
    }
    if after is not None and before is not None:
        raise errors.both_cursors()
    ascending = oldest_first != (before is not None)
    for name, seq in bounds.items():
        later = oldest_first == (name == "starting_after")
        rows = rows.filter(**{f"x_seq__{'gt' if later else 'lt'}": seq})
    found = list(rows.order_by("x_seq" if ascending else "-x_seq")[: limit + 1])
    has_more = len(found) > limit
    found = found[:limit]
    if before is not None:
        found.reverse()
    return envelope([shown(row) for row in found], url=url or path_of(call), has_more=has_more)


def envelope(data: Sequence[dict[str, Any]], *, url: str, has_more: bool = False) -> dict[str, Any]:
    return {"object": "list", "data": list(data), "has_more": has_more, "url": url}


def path_of(call: Call) -> str:
    """The path of an operation, with what stood in its places."""
    path = call.operation.path
    for name, value in call.path.items():
        path = path.replace(f"{{{name}}}", value)
    return path


def _seq(rows: QuerySet[R], cursor: str, noun: str, param: str) -> int:
    """The place of a cursor; it may name a row the filter leaves out."""
    found = rows.model._default_manager.filter(pk=cursor).values_list("x_seq", flat=True).first()
    if found is None:
        raise errors.no_such(noun, cursor, param=param, in_path=False)
    return int(found)


def in_range(column: str, value: Any) -> Q:
    """A filter on an instant: seconds, or {"gt", "gte", "lt", "lte"}."""
    if isinstance(value, dict):
        return Q(**{f"{column}__{bound}": utc(seconds) for bound, seconds in value.items()})
    return Q(**{column: utc(value)})


def equal(call: Call, *names: str) -> Q:
    """Filters on columns of the same name, as far as they were given."""
    found = Q()
    for name in names:
        if name in call.params:
            value = call.params[name]
            found &= in_range(name, value) if name == "created" else Q(**{name: value})
    return found
