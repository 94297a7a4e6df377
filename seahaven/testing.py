"""What does a world's test need: that exactly these rows changed, and that the world keeps what all worlds promise?

from seahaven.testing import assert_changes, contract, insert, update

TestContract = contract("library")

def test_a_loan_is_noted(instance):
    instance.call("lend", book_id="b1", member_id="m1")
    assert_changes(instance, insert("loans", book_id="b1"), update("books", "b1", is_lent=True))
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import seahaven

if TYPE_CHECKING:
    from worlds.engine import Diff, Instance
    from worlds.engine.typed import TypedChange

__all__ = ["Expected", "assert_changes", "contract", "delete", "insert", "update"]

#: Columns that a failure shows of a change that nobody expected.
_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Expected:
    """One row that should have changed; made by `insert`, `update` and `delete`."""

    op: str
    #: "loans", or with the path of an embedded world "crm.leads".
    table: str
    key: Any
    cells: Mapping[str, Any]
    before: Mapping[str, Any]

    def __str__(self) -> str:
        key = "" if self.key is None else f" {_shown(self.key)}"
        cells = ", ".join(f"{name}={_shown(value)}" for name, value in self.cells.items())
        before = "".join(f", before {name}={_shown(value)}" for name, value in self.before.items())
        return f"{self.op} {self.table}{key}" + (f": {cells}{before}" if cells or before else "")


def insert(table: str, key: Any = None, /, **cells: Any) -> Expected:
    """A row that is new, with these cells among others; a cell may be a function that judges the value."""
    return Expected("insert", table, key, cells, {})


def update(table: str, key: Any = None, /, *, before: Mapping[str, Any] | None = None, **cells: Any) -> Expected:
    """A row of which these columns changed, and no others but bookkeeping and derived ones, to these values.

    `before` says what some of them were; a table with a column of that name gives it in `before={"before": …}` alone.
    """
    return Expected("update", table, key, cells, before or {})


def delete(table: str, key: Any = None, /, **cells: Any) -> Expected:
    """A row that is gone, which had these cells among others."""
    return Expected("delete", table, key, {}, cells)


def assert_changes(run: Instance | Diff | Mapping[str, Any], *expected: Expected) -> None:
    """Fail unless the net difference of a run is exactly these rows, in any order.

    `run` is an instance, its `diff()`, or a state document with the whole log. Values are compared as the models have
    them (True, a Decimal, a datetime) or as SQLite stores them. `assert_changes(run)` says that nothing changed.
    Raises: AssertionError with what is missing, what comes nearest to it and why it is not it, and what else changed.
    """
    __tracebackhide__ = True
    changes = _diff(run).typed()
    found = _paired(expected, changes)
    missing = [each for index, each in enumerate(expected) if index not in found]
    strange = [change for index, change in enumerate(changes) if index not in found.values()]
    if not missing and not strange:
        return
    counts = [f"{len(missing)} of {len(expected)} expected changes missing"] if missing else []
    counts += [f"{len(strange)} not expected"] if strange else []
    lines = [", ".join(counts)]
    for each in missing:
        lines.append(f"  missing     {each}")
        near = min(strange, key=lambda change: len(_faults(each, change)), default=None)
        if near is not None and _table(near) in (each.table, f"main.{each.table}"):
            lines.append(f"    nearest   {_told(near)}")
            lines += [f"              {fault}" for fault in _faults(each, near)]
    lines += [f"  unexpected  {_told(change)}" for change in strange]
    raise AssertionError("\n".join(lines))


def _diff(run: Any) -> Diff:
    from worlds.engine import Diff, Instance

    if isinstance(run, Instance):
        return run.diff()
    if isinstance(run, Diff):
        return run
    return Diff.of(run)


def _paired(expected: Collection[Expected], changes: list[TypedChange]) -> dict[int, int]:
    """For as many of the expected as can be, a change that is it; no change is two of them."""
    fitting = [[at for at, change in enumerate(changes) if not _faults(each, change)] for each in expected]
    taken: dict[int, int] = {}

    def place(index: int, tried: set[int]) -> bool:
        for at in fitting[index]:
            if at not in tried:
                tried.add(at)
                if at not in taken or place(taken[at], tried):
                    taken[at] = index
                    return True
        return False

    for index in range(len(fitting)):
        place(index, set())
    return {index: at for at, index in taken.items()}


def _faults(expected: Expected, change: TypedChange) -> list[str]:
    """Why a change is not the expected one, a line each."""
    if _table(change) not in (expected.table, f"main.{expected.table}"):
        return ["it is of another table"] * 100
    if change.op != expected.op:
        return [f"it is an {change.op}" if change.op[0] in "iu" else f"it is a {change.op}"] * 10
    faults = []
    if expected.key is not None and not _is_key(expected.key, change.key):
        faults.append(f"its key is {_shown(_plain(change.key))}")
    for side, wanted, had in (("", expected.cells, change.after), ("before, ", expected.before, change.before)):
        for name, value in wanted.items():
            if name not in (had or {}):
                what = "did not change" if change.op == "update" else "is no column of it"
                faults.append(f"{side}{name} {what}")
            elif not _is(value, (had or {})[name]):
                faults.append(f"{side}{name} is {_shown((had or {})[name])}, not {_shown(value)}")
    if change.op == "update":
        for name, value in (change.after or {}).items():
            if name not in expected.cells and change.roles.get(name, "business") == "business":
                faults.append(f"{name} changed too, to {_shown(value)}")
    return faults


def _is_key(wanted: Any, key: Mapping[str, Any]) -> bool:
    if isinstance(wanted, Mapping):
        return all(name in key and _is(value, key[name]) for name, value in wanted.items())
    return _is(wanted, _plain(key))


def _plain(key: Mapping[str, Any]) -> Any:
    """The value of a key of one column; all of one of several."""
    return next(iter(key.values())) if len(key) == 1 else dict(key)


def _is(wanted: Any, value: Any) -> bool:
    if callable(wanted):
        return bool(wanted(value))
    return bool(wanted == value) or (not isinstance(value, str | int | float) and str(wanted) == str(value))


def _table(change: TypedChange) -> str:
    return f"{change.world}.{change.table}"


def _told(change: TypedChange) -> str:
    name = _table(change).removeprefix("main.")
    head = f"{change.op} {name} {_shown(_plain(change.key))}"
    cells = [
        f"{column}: {_shown((change.before or {})[column])} → {_shown(value)}"
        if change.op == "update" and column in (change.before or {})
        else f"{column}={_shown(value)}"
        for column, value in (change.after or change.before or {}).items()
        if column not in change.key
    ]
    rest = f", and {len(cells) - _SHOWN} more" if len(cells) > _SHOWN else ""
    return f"{head}: {', '.join(cells[:_SHOWN])}{rest}" if cells else head


def _shown(value: Any) -> str:
    if callable(value):
        return f"<{getattr(value, '__name__', 'a function')}>"
    text = repr(value)
    return text if len(text) <= 100 else f"{text[:100]}…"


def contract(
    world: str,
    *,
    fixtures: Collection[str | None] | None = None,
    seeds: Collection[int] = (1, 2),
    rounds: int = 3,
    skip: Mapping[str, str] | None = None,
) -> type:
    """A test class that holds a world to what every world promises, a test for each fixture and for a blank start.

    Each resets twice with each seed to the same rows; calls every tool with arguments that are missing, unknown or of
    another type, which must be refused by name and change nothing; calls every tool `rounds` times with arguments drawn
    from its schema and the rows, which must end in no bug and show no order that no query asks for; replays the
    episode; and makes the same calls in a fork. `fixtures` are those that are there, and None for blank, unless some
    are named; `skip` names tools that are not called, each with the reason.
    Raises: WorldBug for a world that is not installed.
    """
    import pytest

    found = seahaven.world(world)
    chosen = [*found.fixture_ids(), None] if fixtures is None else list(fixtures)

    class Contract:
        @pytest.mark.parametrize("fixture", chosen, ids=lambda fixture: fixture or "blank")
        def test_every_promise_is_kept(self, fixture: str | None) -> None:
            from worlds.engine.contract import examine

            __tracebackhide__ = True
            came_to = examine(found, fixture, seeds=seeds, rounds=rounds, skip=skip or {})
            if came_to.breaches:
                lines = [f"world {world} breaks {len(came_to.breaches)} of its promises"]
                raise AssertionError("\n".join([*lines, *(f"  {breach}" for breach in came_to.breaches)]))

    Contract.__doc__ = f"What every world promises, of {world}."
    return Contract
