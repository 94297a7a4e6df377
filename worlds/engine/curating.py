"""What does a curator do with fixtures: build, verify, migrate, make new ones from a function?"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from typing import Any

from worlds.engine import fixtures, freezing, images
from worlds.engine.errors import FixtureError, WorldBug
from worlds.engine.fixtures import Fixture
from worlds.engine.images import Report
from worlds.engine.world import World


def build(world: World, wanted: list[str], *, anew: bool, report: Report | None = None) -> list[Fixture]:
    """Make what is missing of the wanted fixtures, all committed ones when none is named: first texts, then images.

    A missing parent is made before its child. `anew` runs the recipes of wanted fixtures that have their text already;
    the same bytes must come out.
    Raises: FixtureError for a name that is neither a fixture nor a recipe.
    """
    committed = [recipe.id for recipe in world.recipes.values() if recipe.committed]
    wanted = wanted or list(dict.fromkeys([*committed, *world.fixture_ids()]))
    built = []
    world.prepare_fixture(None, report)
    for fixture_id in _parents_first(world, wanted):
        is_asked_for = anew and fixture_id in wanted and fixture_id in world.recipes
        fixture = None if is_asked_for else fixtures.find(world.name, fixture_id)
        if fixture is None:
            fixture = world.build_fixture(fixture_id, report=report)
        world.prepare_fixture(fixture_id, report)
        built.append(fixture)
    return built


def _parents_first(world: World, wanted: list[str]) -> list[str]:
    """The wanted fixtures and the parents their recipes name, each after its parent."""
    ordered: list[str] = []
    for fixture_id in wanted:
        line = [fixture_id]
        while (recipe := world.recipes.get(line[-1])) and recipe.parent and recipe.parent not in line:
            line.append(recipe.parent)
        ordered += [each for each in reversed(line) if each not in ordered]
    return ordered


def verify(world: World, fixture_id: str, *, rebuild: bool = False) -> list[str]:
    """What is wrong with a fixture, a line each: its rows must load, and come out again as the same text.

    `rebuild` also runs its recipe and compares.
    """
    try:
        fixture = fixtures.get(world.name, fixture_id, world.recipes)
        base = images.starting_state(world, fixture_id)
        if not world.is_current(fixture):
            command = f"manage.py seahaven_fixture migrate {world.name} {fixture_id}"
            return [f"{fixture.folder}: it loads, and its rows are of an older schema; run `{command}`"]
        with tempfile.TemporaryDirectory() as folder:
            again = freezing.freeze_again(world, base, folder=Path(folder))
            problems = _compare(fixture, again, "loading it and freezing it again")
        if rebuild and not problems and fixture_id in world.recipes:
            # The committed fixtures stay where they are, for a recipe that has a parent.
            with tempfile.TemporaryDirectory() as folder:
                problems = _compare(fixture, world.build_fixture(fixture_id, folder=Path(folder)), "its recipe")
        return problems
    except WorldBug as error:
        return [str(error)]


def _compare(fixture: Fixture, again: Fixture, how: str) -> list[str]:
    problems = []
    for path in fixture.sidecar.nodes:
        one, other = fixture.file(path).read_bytes(), again.file(path).read_bytes()
        if one != other:
            pairs = enumerate(zip_longest(one.split(b"\n"), other.split(b"\n")), 1)
            line = next(number for number, (mine, theirs) in pairs if mine != theirs)
            problems.append(f"{fixture.file(path)}:{line}: {how} gives other rows; freeze it anew")
    for name in ("now", "seq", "description"):
        mine, theirs = getattr(fixture.sidecar, name), getattr(again.sidecar, name)
        if mine != theirs:
            problems.append(f"{fixture.folder / fixtures.SIDECAR}: {name} is {mine!r}, {how} gives {theirs!r}")
    return problems


def freeze_by(
    world: World,
    fixture_id: str,
    function: str,
    *,
    description: str,
    parent: str | None = None,
    now: str | None = None,
    seed: int = 0,
) -> Fixture:
    """A new fixture: `module:function` run on an instance of `parent`, or on a blank one.

    Raises: FixtureError for an id that is taken; WorldBug for a function that is not there.
    """
    run = import_function(function)
    if fixtures.find(world.name, fixture_id) is not None:
        raise FixtureError(f"world {world.name} has a fixture {fixture_id!r} already; choose another id")
    if parent is None and now is None:
        raise FixtureError(
            "a fixture from a blank instance needs --now, or it would hold today's time and never rebuild"
        )
    with world.instance(parent, seed=seed, now=now, clock_mode="tick") as inst:
        run(inst)
        return inst.freeze(fixture_id, description)


def import_function(name: str) -> Callable[..., Any]:
    """The function `module:function` names.

    Raises: WorldBug saying which half is wrong.
    """
    module, _, attribute = name.partition(":")
    if not attribute:
        raise WorldBug(f"{name!r} names no function; write module:function")
    try:
        found = getattr(import_module(module), attribute)
    except ModuleNotFoundError as error:
        raise WorldBug(f"module {module!r} cannot be imported: {error}") from None
    except AttributeError:
        raise WorldBug(f"module {module!r} has no {attribute!r}") from None
    if not callable(found):
        raise WorldBug(f"{name} is no function")
    return found
