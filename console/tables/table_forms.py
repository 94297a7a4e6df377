"""Which rows of a table does an address ask for, and what is the address of others?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import QueryDict

from console.pages import Problem
from worlds.engine.tables import COMPARISONS, Condition, Order, Table

#: How a comparison reads.
WORDS = {
    "eq": "is",
    "ne": "is not",
    "contains": "contains",
    "lt": "<",
    "lte": "≤",
    "gt": ">",
    "gte": "≥",
    "null": "is null",
    "notnull": "is not null",
}
ROWS = (25, 50, 100, 500)
USUAL_ROWS = 50


class Asked:
    """The query of a table: `?column=…&is=…&value=…` again and again, `sort`, `page`, `rows`, `hide`, `deleted`."""

    def __init__(self, query: QueryDict, table: Table) -> None:
        self._query = query
        self.table = table
        self.conditions = _conditions(query, table)
        self.orders = _orders(query.get("sort", ""), table)
        self.page = max(1, _whole(query.get("page", ""), 1))
        wanted = _whole(query.get("rows", ""), USUAL_ROWS)
        self.rows = wanted if wanted in ROWS else USUAL_ROWS
        self.hidden = [name for name in query.getlist("hide") if name in table.names]
        self.with_deleted = bool(query.get("deleted"))

    @property
    def shown(self) -> list[dict[str, Any]]:
        """The columns that are shown."""
        return [column for column in self.table.columns if column["name"] not in self.hidden]

    def cut(self, total: int) -> slice:
        """Where the page is among the rows; the last one where the page asked for is beyond it."""
        self.page = min(self.page, self.pages(total))
        start = (self.page - 1) * self.rows
        return slice(start, min(start + self.rows, total))

    def pages(self, total: int) -> int:
        return max(1, -(-total // self.rows))

    def address(self, **changed: Any) -> str:
        """The query with something else in it; None leaves a name out."""
        query = self._query.copy()
        for name, value in changed.items():
            if value is None:
                query.pop(name, None)
            else:
                query[name] = str(value)
        return f"?{query.urlencode()}" if query else "?"

    def sorted_by(self, column: str) -> tuple[str, str]:
        """How the rows are sorted by a column ("ascending", "descending" or ""), and the query that turns it."""
        first = self.orders[0] if self.orders else None
        if first is None or first.column != column:
            return "", self.address(sort=column, page=None)
        if first.is_descending:
            return "descending", self.address(sort=None, page=None)
        return "ascending", self.address(sort=f"-{column}", page=None)

    def without(self, index: int) -> str:
        """The query without one of its conditions."""
        query = self._query.copy()
        kept = [condition for number, condition in enumerate(self.conditions) if number != index]
        query.setlist("column", [each.column for each in kept])
        query.setlist("is", [each.comparison for each in kept])
        query.setlist("value", [each.value for each in kept])
        query.pop("page", None)
        return f"?{query.urlencode()}"

    @property
    def described(self) -> list[tuple[str, str]]:
        """Each condition in words, and the query without it."""
        return [
            (f"{each.column} {WORDS[each.comparison]} {each.value}".strip(), self.without(index))
            for index, each in enumerate(self.conditions)
        ]


def _conditions(query: QueryDict, table: Table) -> list[Condition]:
    columns, comparisons, values = query.getlist("column"), query.getlist("is"), query.getlist("value")
    found = []
    for index, column in enumerate(columns):
        comparison = comparisons[index] if index < len(comparisons) else "eq"
        value = values[index] if index < len(values) else ""
        if not column:
            continue
        if column not in table.names:
            raise Problem(f"Table {table.name} has no column {column!r:.60}; it has {', '.join(table.names)}.", 422)
        if comparison not in COMPARISONS:
            raise Problem(f"{comparison!r:.40} is no comparison; there are {', '.join(COMPARISONS)}.", 422)
        found.append(Condition(column, comparison, value if "?" in COMPARISONS[comparison] else ""))
    return found


def _orders(text: str, table: Table) -> list[Order]:
    orders = [Order(part.removeprefix("-"), part.startswith("-")) for part in text.split(",") if part]
    for order in orders:
        if order.column not in table.names:
            raise Problem(f"Table {table.name} has no column {order.column!r:.60} to sort by.", 422)
    return orders


def _whole(text: str, otherwise: int) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else otherwise


def where(pairs: Sequence[tuple[str, Any]]) -> str:
    """The query that finds the rows with these values."""
    query = QueryDict(mutable=True)
    for column, value in pairs:
        query.appendlist("column", column)
        query.appendlist("is", "eq")
        query.appendlist("value", str(value))
    return f"?{query.urlencode()}"
