"""Which page of many is shown, and which are beside it?"""

from __future__ import annotations

from typing import NamedTuple

from django.http import QueryDict


class Page(NamedTuple):
    """One page of a list; addresses are queries, empty where there is no such page."""

    number: int
    last: int
    first_row: int
    last_row: int
    total: int
    before: str
    after: str


def cut_of(number: int, size: int) -> slice:
    """The rows of a page that is counted from 1."""
    return slice((number - 1) * size, number * size)


def page_of(query: QueryDict, number: int, size: int, total: int) -> Page:
    """A page, with the queries of those beside it."""
    last = max(1, -(-total // size))
    return Page(
        number,
        last,
        min((number - 1) * size + 1, total),
        min(number * size, total),
        total,
        _to(query, number - 1) if number > 1 else "",
        _to(query, number + 1) if number < last else "",
    )


def _to(query: QueryDict, number: int) -> str:
    copy = query.copy()
    copy["page"] = str(number)
    return f"?{copy.urlencode()}"
