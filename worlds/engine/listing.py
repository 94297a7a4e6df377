"""How does an agent read a long list page by page?

A cursor names the last row shown - its place in the order and its id, which breaks ties - and the list it was made
for, with filters and order; any other list refuses it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Callable
from typing import Any, TypeVar

from django.core.exceptions import ValidationError
from django.db.models import Model, Q, QuerySet

from worlds.engine.clock import instant

M = TypeVar("M", bound=Model)


def paginate(
    name: str,
    rows: QuerySet[M],
    *,
    tool: str,
    order: str,
    limit: int,
    cursor: str | None,
    filters: dict[str, Any],
    render: Callable[[M], dict[str, Any]],
    refusal: Callable[[], Exception],
) -> dict[str, Any]:
    """One page: {name: [...], "next_cursor": text or None, "has_next": bool}; costs one query.

    `order` is a column of instants, never null, "-created_at" for descending; ids break ties in the same direction.
    Raises: what `refusal` makes, the product's own words for a cursor of another tool, order or filter, or for none.
    """
    scope = _scope(tool, order, filters)
    if cursor is not None:
        try:
            rows = rows.filter(_after(order, *_decode(cursor, scope, refusal)))
        except ValidationError:  # a place in the order that no row could have
            raise refusal() from None
    found = list(rows.order_by(order, "-id" if order.startswith("-") else "id")[: limit + 1])
    has_next = len(found) > limit
    shown = found[:limit]
    return {
        name: [render(row) for row in shown],
        "next_cursor": _encode(scope, shown[-1], order) if has_next else None,
        "has_next": has_next,
    }


def _scope(tool: str, order: str, filters: dict[str, Any]) -> str:
    """What a cursor is bound to, as a short digest; a filter that is None filters nothing."""
    given = {key: value for key, value in filters.items() if value is not None}
    text = json.dumps([tool, order, given], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _after(order: str, value: str, id: str) -> Q:
    """The rows that follow one place in an order."""
    column, beyond = order.removeprefix("-"), "lt" if order.startswith("-") else "gt"
    # The first half repeats what the second implies, in a form for which SQLite uses the column's index.
    return Q(**{f"{column}__{beyond}e": value}) & (
        Q(**{f"{column}__{beyond}": value}) | Q(**{column: value, f"id__{beyond}": id})
    )


def _encode(scope: str, last: Model, order: str) -> str:
    text = json.dumps([scope, instant(getattr(last, order.removeprefix("-"))), last.pk], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _decode(cursor: str, scope: str, refusal: Callable[[], Exception]) -> tuple[str, str]:
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        found, value, id = json.loads(text)
    except (binascii.Error, ValueError, TypeError):
        raise refusal() from None
    if found != scope or not isinstance(value, str) or not (isinstance(id, str) and id.isascii()):
        raise refusal()
    return value, id
