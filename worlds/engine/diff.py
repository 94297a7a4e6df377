"""What did a whole run change, in the end?

`Diff` is the fold of a change log: one change a row, however often it was written. It can be read as SQLite stores it
or typed through the world's models, and two runs can be compared for the same outcome.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from worlds.engine.changes import Change, sort_key
from worlds.engine.outcome import Outcomes
from worlds.engine.typed import TypedChange, typed

Row = dict[str, Any]


def fold(records: Iterable[Mapping[str, Any]]) -> list[Change]:
    """The net changes of a log, sorted as within a call; records are the state document's.

    Raises: ValueError for records that cannot follow one another, such as two inserts of one row.
    """
    folded: dict[tuple[Any, ...], Change | None] = {}
    for record in records:
        change = Change(*(record[name] for name in Change._fields))
        place = (change.world, change.table, *map(_exact, change.key.items()))
        earlier = folded.get(place)
        folded[place] = change if earlier is None else _combine(earlier, change)
    return sorted((change for change in folded.values() if change is not None), key=sort_key)


def _exact(item: tuple[str, Any]) -> tuple[str, str, Any]:
    """A key column so that 1 and 1.0 and "1" stay apart, as they are in SQLite's text and number keys."""
    name, value = item
    return name, type(value).__name__, value


def _combine(first: Change, then: Change) -> Change | None:
    first_before, first_after = first.before or {}, first.after or {}
    then_before, then_after = then.before or {}, then.after or {}
    match first.op, then.op:
        case "insert", "update":
            return first._replace(after={**first_after, **then_after})
        case "insert", "delete":
            return None
        case "update", "update":
            return _update(first, {**then_before, **first_before}, {**first_after, **then_after})
        case "update", "delete":
            return then._replace(before={**then_before, **first_before})
        case "delete", "insert":
            changeable = [name for name in then_after if name not in then.key]
            return _update(first, first_before, {name: then_after[name] for name in changeable})
    raise ValueError(f"a log cannot hold {first.op} and then {then.op} of {first.table} {first.key}")


def _update(change: Change, before: Row, after: Row) -> Change | None:
    """An update of the columns that differ, or nothing."""
    kept = [name for name in after if not _same(before.get(name), after[name])]
    if not kept:
        return None
    return change._replace(op="update", before={n: before.get(n) for n in kept}, after={n: after[n] for n in kept})


def _same(one: Any, other: Any) -> bool:
    # SQLite tells 1 from 1.0, and so does its changeset.
    return type(one) is type(other) and one == other


class Diff:
    """The net difference a run made, one `Change` a row, sorted by world, table and key."""

    def __init__(self, records: Iterable[Mapping[str, Any]], worlds: Mapping[str, str]) -> None:
        """The fold of `records`; `worlds` names the world at each node's path, {"main": "crm"}."""
        self.changes = fold(records)
        self._worlds = dict(worlds)

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Diff:
        """The fold of a state document that holds a whole log."""
        nodes = document["composition"] or {}
        return cls(document["state"]["db"]["log"], {path: node["world"] for path, node in nodes.items()})

    def __iter__(self) -> Iterator[Change]:
        return iter(self.changes)

    def __len__(self) -> int:
        return len(self.changes)

    def __bool__(self) -> bool:
        return bool(self.changes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Diff) and self.as_dicts() == other.as_dicts()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Diff of {len(self.changes)} rows: {', '.join(sorted({c.table for c in self.changes})) or 'nothing'}>"

    def as_dicts(self) -> list[dict[str, Any]]:
        """[{"world", "table", "op", "key", "before", "after"}], as SQLite stores the values."""
        return [change._asdict() for change in self.changes]

    def of_table(self, table: str, op: str | None = None, *, world: str = "main") -> list[Change]:
        """The changes of one table, of one kind when `op` is "insert", "update" or "delete"."""
        return [c for c in self.changes if c.table == table and c.world == world and op in (None, c.op)]

    def typed(self) -> list[TypedChange]:
        """The changes with values as the models have them: booleans, datetimes, decimals, JSON.

        Raises: WorldBug for a table that no installed model stands for.
        """
        return [typed(change, self._worlds[change.world]) for change in self.changes]

    def same_outcome(self, other: Diff) -> bool:
        """Did two runs achieve the same, up to generated ids, order, and columns that are not business?"""
        return not self.outcome_differences(other)

    def outcome_differences(self, other: Diff) -> list[str]:
        """What keeps two runs from having the same outcome, a line each; empty when they have."""
        return Outcomes(self.changes, self._worlds).differences(Outcomes(other.changes, other._worlds))
