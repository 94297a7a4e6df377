"""Did two runs achieve the same thing?

Two runs that did the same work differ in the ids they drew, the order they worked in and the columns that only keep
books. Here a row inserted by the run is known by what it says, not by its id, and a reference to it by the row it
refers to; what is left of the two runs must be the same collection of changes.
"""

from __future__ import annotations

import hashlib
import re
import uuid
from collections import Counter
from contextlib import suppress
from typing import Any, NamedTuple

import orjson
from django.db import models

from worlds.engine.changes import Change
from worlds.engine.errors import WorldBug
from worlds.engine.typed import BUSINESS, model_of, roles_of

_SHORTEST_ID = 6
#: What an id inside a longer text looks like.
_WORD = re.compile(r"([\w-]+)")

Place = tuple[Any, ...]


class _Table(NamedTuple):
    """What a table's model says about its columns."""

    roles: dict[str, str]
    #: The tables that columns refer to.
    targets: dict[str, str]
    #: The columns that hold JSON.
    documents: frozenset[str]
    has_natural_key: bool
    has_uuid_key: bool


class _New:
    """A reference to an inserted row, which has a name in place of its id."""

    __slots__ = ("place",)

    def __init__(self, place: Place) -> None:
        self.place = place


class _Pairs(NamedTuple):
    """A JSON object with ids among its keys, which have no order until the rows have names."""

    items: list[tuple[Any, Any]]


class Outcomes:
    """The changes of one run, made comparable.

    Each inserted row starts with no name; then, in rounds, its name is made of what it says, references in it given as
    the names of the rows they point to, until as many rows are told apart as will be.
    """

    def __init__(self, changes: list[Change], worlds: dict[str, str]) -> None:
        self._worlds = worlds
        self._tables: dict[tuple[str, str], _Table] = {}
        self._new = {_place(c): _New(_place(c)) for c in changes if c.op == "insert" and self._has_generated_key(c)}
        #: The rows whose id is long enough to be nothing else, by id: a reference needs no foreign key.
        self._by_id = {text: new for new in self._new.values() for text in self._forms_of_id(new)}
        #: For each change that counts: the row it inserted, or None; what it says; the new rows it mentions.
        self._rows = [(self._new.get(_place(c)), *self._read(c)) for c in changes if self._counts(c)]
        self._names = dict.fromkeys(self._new, "")

    def differences(self, other: Outcomes) -> list[str]:
        """What one run has and the other has not, a line each."""
        for by_use in (False, True):
            # By what refers to them only where what they say tells no difference: it makes poor reading.
            _settle(self, other, by_use=by_use)
            mine, theirs = self._collected(), other._collected()
            missing = [f"only in the first: {text}" for text in sorted((mine - theirs).elements())]
            extra = [f"only in the second: {text}" for text in sorted((theirs - mine).elements())]
            if missing or extra:
                return missing + extra
        return []

    def _collected(self) -> Counter[str]:
        return Counter(self._text(content).decode() for _, content, _ in self._rows)

    # Names.

    def distinct(self) -> int:
        """How many new rows are told apart so far."""
        return len(set(self._names.values()))

    def rename(self, *, by_use: bool) -> None:
        """Name each new row by what it says under the present names, and by what mentions it if that is wanted."""
        says: dict[Place, list[bytes]] = {place: [] for place in self._new}
        for new, content, mentioned in self._rows:
            text = self._text(content)
            if new is not None:
                says[new.place].append(text)
            if by_use:
                for other in mentioned:
                    says[other.place].append(b"mentioned by " + text)
        self._names = {place: _digest(sorted(texts)) for place, texts in says.items()}

    def _text(self, content: Any) -> bytes:
        return orjson.dumps(content, default=self._named, option=orjson.OPT_SORT_KEYS)

    def _named(self, value: Any) -> Any:
        if isinstance(value, _New):
            return {"new": self._names[value.place]}
        return sorted(value.items, key=self._text)

    # What a change says.

    def _table(self, change: Change) -> _Table:
        place = change.world, change.table
        if place not in self._tables:
            self._tables[place] = _describe(change.table, self._worlds.get(change.world, ""))
        return self._tables[place]

    def _forms_of_id(self, new: _New) -> list[str]:
        world, table, key = new.place
        if not isinstance(key, str) or len(key) < _SHORTEST_ID:
            return []
        forms = [key]
        if self._tables[world, table].has_uuid_key:
            # Django stores a UUID without the hyphens that everybody else writes.
            with suppress(ValueError):
                forms.append(str(uuid.UUID(key)))
        return forms

    def _has_generated_key(self, change: Change) -> bool:
        return len(change.key) == 1 and not self._table(change).has_natural_key

    def _counts(self, change: Change) -> bool:
        """Is it more than an update of columns that only keep books?"""
        roles = self._table(change).roles
        return change.op != "update" or any(roles.get(name, BUSINESS) == BUSINESS for name in change.after or ())

    def _read(self, change: Change) -> tuple[dict[str, Any], set[_New]]:
        """What a change says, with the new rows it mentions in it and beside it."""
        mentioned: set[_New] = set()
        is_new = _place(change) in self._new

        def row(values: dict[str, Any] | None, *, is_key: bool = False) -> dict[str, Any] | None:
            table = self._table(change)
            found = {}
            for name, value in (values or {}).items():
                if is_key or (table.roles.get(name, BUSINESS) == BUSINESS and not self._is_own_id(change, name)):
                    found[name] = self._value(change.world, table, name, value, mentioned)
            return None if values is None else found

        content = {
            "world": change.world,
            "table": change.table,
            "op": change.op,
            "key": None if is_new else row(change.key, is_key=True),
            "before": row(change.before),
            "after": row(change.after),
        }
        return content, mentioned

    def _is_own_id(self, change: Change, column: str) -> bool:
        # The key of a row that extends another, as in multi-table inheritance, is a reference and says something.
        return column in change.key and _place(change) in self._new and column not in self._table(change).targets

    def _value(self, world: str, table: _Table, column: str, value: Any, mentioned: set[_New]) -> Any:
        """A value with new rows in place of their ids, inside JSON and longer texts too."""
        referred = self._new.get((world, table.targets.get(column), value))
        if referred is not None:
            mentioned.add(referred)
            return referred
        if column in table.documents and isinstance(value, str):
            # What orjson reads differently stays text, such as half of a surrogate pair.
            with suppress(orjson.JSONDecodeError):
                value = orjson.loads(value)
        return self._with_new(value, mentioned)

    def _with_new(self, value: Any, mentioned: set[_New]) -> Any:
        if isinstance(value, str) and self._by_id:
            pieces = [value] if value in self._by_id else _WORD.split(value)
            found = [self._by_id.get(piece, piece) for piece in pieces]
            new = [piece for piece in found if isinstance(piece, _New)]
            mentioned.update(new)
            return value if not new else found[0] if len(found) == 1 else found
        if isinstance(value, list):
            return [self._with_new(item, mentioned) for item in value]
        if isinstance(value, dict):
            items = [(self._with_new(key, mentioned), self._with_new(item, mentioned)) for key, item in value.items()]
            return dict(items) if all(isinstance(key, str) for key, _ in items) else _Pairs(items)
        return value


def _settle(one: Outcomes, other: Outcomes, *, by_use: bool) -> None:
    """Name the rows of both runs, in as many rounds for the one as for the other."""
    before = -1, -1
    while (now := (one.distinct(), other.distinct())) != before:
        before = now
        one.rename(by_use=by_use)
        other.rename(by_use=by_use)


def _describe(table: str, world: str) -> _Table:
    try:
        model = model_of(table, world)
    except WorldBug:
        return _Table({}, {}, frozenset(), False, False)
    fields: tuple[Any, ...] = model._meta.local_concrete_fields
    return _Table(
        roles_of(model),
        {field.column: field.related_model._meta.db_table for field in fields if field.is_relation},
        frozenset(str(field.column) for field in fields if isinstance(field, models.JSONField)),
        getattr(getattr(model, "Roles", None), "natural_key", False),
        isinstance(model._meta.pk, models.UUIDField),
    )


def _place(change: Change) -> Place:
    return change.world, change.table, *change.key.values()


def _digest(texts: list[bytes]) -> str:
    return hashlib.sha256(b"\n".join(texts)).hexdigest()[:16]
