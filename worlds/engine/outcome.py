"""Did two runs achieve the same thing?

Two runs that did the same work differ in the ids they drew, the order they worked in and the columns that only keep
books. Here a row inserted by the run is known by what it says, not by its id, and a reference to it by the row it
refers to; what is left of the two runs must be the same collection of changes.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import Any

import orjson

from worlds.engine.changes import Change
from worlds.engine.errors import WorldBug
from worlds.engine.typed import BUSINESS, model_of, roles_of

_SHORTEST_ID = 6


class Outcomes:
    """The changes of one run, made comparable.

    Each inserted row starts with a name made of its business columns; then, in rounds, references are replaced by the
    names of the rows they point to and the names are made again, until as many rows are told apart as will be.
    """

    def __init__(self, changes: list[Change], worlds: dict[str, str]) -> None:
        self._changes = changes
        self._worlds = worlds
        self._inserted = {_place(c): c for c in changes if c.op == "insert" and self._has_generated_key(c)}
        self._names = dict.fromkeys(self._inserted, "new")
        distinct = 0
        for _ in range(len(self._inserted) + 1):
            self._by_id = self._names_by_id()
            self._names = {place: _digest(self._content(change)) for place, change in self._inserted.items()}
            if len(set(self._names.values())) == distinct:
                break
            distinct = len(set(self._names.values()))
        self._by_id = self._names_by_id()

    def differences(self, other: Outcomes) -> list[str]:
        """What one run has and the other has not, a line each."""
        mine, theirs = self._collected(), other._collected()
        missing = [f"only in the first: {text}" for text in sorted((mine - theirs).elements())]
        return missing + [f"only in the second: {text}" for text in sorted((theirs - mine).elements())]

    def _collected(self) -> Counter[str]:
        rows = (self._content(change) for change in self._changes)
        return Counter(orjson.dumps(row, option=orjson.OPT_SORT_KEYS).decode() for row in rows if row)

    def _names_by_id(self) -> dict[Any, str]:
        """The name of each new row by its id; an id short enough to be a plain number or word stands for itself."""
        found: dict[Any, str] = {}
        for place, change in self._inserted.items():
            (value,) = change.key.values()
            if isinstance(value, str) and len(value) >= _SHORTEST_ID:
                found[value] = self._names[place]
        return found

    def _content(self, change: Change) -> dict[str, Any] | None:
        """A change without what does not count; None for an update of columns that only keep books."""
        is_new = _place(change) in self._inserted
        after = self._business(change, change.after)
        before = self._business(change, change.before)
        if change.op == "update" and not after:
            return None
        key = None if is_new else {name: self._value(change, name, value) for name, value in change.key.items()}
        return {
            "world": change.world,
            "table": change.table,
            "op": change.op,
            "key": key,
            "before": before,
            "after": after,
        }

    def _model(self, change: Change) -> Any | None:
        try:
            return model_of(change.table, self._worlds[change.world])
        except (KeyError, WorldBug):
            return None

    def _has_generated_key(self, change: Change) -> bool:
        roles = getattr(self._model(change), "Roles", None)
        return len(change.key) == 1 and not getattr(roles, "natural_key", False)

    def _references(self, change: Change) -> dict[str, str]:
        """The tables that the columns of a change refer to."""
        model = self._model(change)
        fields = model._meta.local_concrete_fields if model else ()
        return {field.column: field.related_model._meta.db_table for field in fields if field.is_relation}

    def _business(self, change: Change, row: dict[str, Any] | None) -> dict[str, Any] | None:
        if row is None:
            return None
        model = self._model(change)
        roles = roles_of(model) if model else {}
        own_key = change.key if _place(change) in self._inserted else ()
        kept = {
            name: value for name, value in row.items() if roles.get(name, BUSINESS) == BUSINESS and name not in own_key
        }
        return {name: self._value(change, name, value) for name, value in kept.items()}

    def _value(self, change: Change, column: str, value: Any) -> Any:
        """A value with every id of a new row replaced by that row's name, inside JSON text too."""
        target = self._references(change).get(column)
        if target is not None:
            name = self._names.get((change.world, target, value))
            if name is not None:
                return {"new": name}
        if isinstance(value, str):
            if value in self._by_id:
                return {"new": self._by_id[value]}
            if value[:1] in "{[" and any(known in value for known in self._by_id):
                for known, name in self._by_id.items():
                    value = value.replace(known, f"new:{name}")
        return value


def _place(change: Change) -> tuple[Any, ...]:
    return change.world, change.table, *change.key.values()


def _digest(content: Any) -> str:
    return hashlib.sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]
