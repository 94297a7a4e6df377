"""Are a world's fixtures whole, of the present schema, and of the present composition?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from worlds.engine import fixtures
from worlds.engine.checking.findings import Finding
from worlds.engine.checking.migration_graph import Graph
from worlds.engine.checking.targets import Target
from worlds.engine.composing import Tree, tree_of
from worlds.engine.errors import WorldBug
from worlds.engine.fixtures import SIDECAR, Fixture
from worlds.engine.names import nearest
from worlds.engine.registrations import Recipe
from worlds.engine.tasks import Task

_EMPTY = re.compile(r"\W*(?:todo|tbd|fixme|description|xxx|a fixture|fixture)?\W*", re.IGNORECASE)


def check(target: Target, graph: Graph) -> Iterator[Finding]:
    """E401, E402, W403, E404, W405, W406 of each fixture; E407 of each recipe; E408 of each task."""
    assert target.world is not None
    try:
        tree = tree_of(target.world)
    except WorldBug:
        tree = None  # E303 says so
    for fixture_id in target.world.fixture_ids():
        subject = f"{target.name}/{fixture_id}"
        try:
            fixture = fixtures.get(target.name, fixture_id)
        except WorldBug as error:
            file = next(
                path for folder in fixtures.folders(target.name) if (path := folder / fixture_id / SIDECAR).is_file()
            )
            line = _line_of_field(file, str(error))
            hint = "restore fixture.yaml, or freeze the fixture again"
            yield Finding("worlds.E401", str(error), hint, file, line, line, subject)
            continue
        yield from _fixture(target, fixture, subject, graph, tree)
    yield from _recipes(target)
    yield from _tasks(target)


def _fixture(target: Target, fixture: Fixture, subject: str, graph: Graph, tree: Tree | None) -> Iterator[Finding]:
    leaves = graph.leaves
    sidecar, migrate = fixture.folder / SIDECAR, f"run `manage.py seahaven_fixture migrate {target.name} {fixture.id}`"
    for path, node in fixture.sidecar.nodes.items():
        try:
            fixture.read_rows(path)
        except WorldBug as error:
            hint = "restore the file from version control"
            yield Finding("worlds.E402", str(error), hint, fixture.file(path), 0, 0, subject)
        behind = [f"{app}.{name}" for app, name in node.migrations.items() if (app, name) not in leaves]
        if behind and not graph.broken.keys() & node.migrations.keys():
            message = f"{fixture.folder}: its rows are of {', '.join(behind)}; each image of it is migrated anew"
            line = _line(sidecar, behind[0].partition(".")[2])
            yield Finding("worlds.W403", message, migrate, sidecar, line, line, subject)
    if tree is not None:
        for message in _disagreements(fixture, tree):
            yield Finding("worlds.E404", f"{fixture.folder}: {message}", migrate, sidecar, 1, 1, subject)
    if _EMPTY.fullmatch(fixture.description) or fixture.description.strip() == fixture.id:
        message = f"{fixture.folder}: its description says nothing of the state it holds"
        hint = "say in fixture.yaml, and in the recipe's docstring, what is there and what it is good for"
        line = _line(sidecar, "description:")
        yield Finding("worlds.W405", message, hint, sidecar, line, line, subject)
    wanted = {SIDECAR, *(node.file for node in fixture.sidecar.nodes.values())}
    for entry in sorted(fixture.folder.iterdir()):
        if entry.name not in wanted:
            message = f"{fixture.folder}: {entry.name} is no part of the fixture"
            yield Finding("worlds.W406", message, "remove it", entry, 0, 0, subject)


def _disagreements(fixture: Fixture, tree: Tree) -> Iterator[str]:
    """Where the stores of a fixture are not those of the composition."""
    has = fixture.sidecar.nodes
    for path in tree.branches.keys() - has.keys():
        yield f"the composition has a store {path!r}, and the fixture does not"
    for path in has.keys() - tree.branches.keys():
        yield f"it has a store {path!r}, and the composition does not"
    for path, branch in tree.branches.items():
        if path in has and has[path].world != branch.world.name:
            yield f"store {path!r} is of world {has[path].world!r}, and the composition has {branch.world.name!r} there"
        elif path in has and (has[path].scope, tuple(has[path].aliases)) != (branch.scope, branch.aliases):
            yield (
                f"store {path!r} has scope {has[path].scope!r} and aliases {has[path].aliases}, and the composition "
                f"has {branch.scope!r} and {list(branch.aliases)}"
            )


def _recipes(target: Target) -> Iterator[Finding]:
    assert target.world is not None
    for recipe in target.world.recipes.values():
        if recipe.parent is not None:
            what = f"recipe {recipe.id} begins with"
            yield from _missing(target, "worlds.E407", what, "parent", recipe.parent, recipe)


def _tasks(target: Target) -> Iterator[Finding]:
    assert target.world is not None
    for task in target.world.tasks.values():
        if task.fixture is not None:
            yield from _missing(target, "worlds.E408", f"task {task.id} is given in", "fixture", task.fixture, task)


def _missing(
    target: Target, code: str, what: str, option: str, fixture: str, owner: Recipe | Task
) -> Iterator[Finding]:
    """A finding if what is declared names a fixture that is neither there nor has a recipe."""
    assert target.world is not None
    known = {*target.world.recipes, *target.world.fixture_ids()}
    if fixture in known:
        return
    near = nearest(fixture, known)
    listed = ", ".join(sorted(known - {owner.id})) or "none"
    hint = f"write {option}={near!r}" if near and near != owner.id else f"there are: {listed}"
    message = f"{what} fixture {fixture!r}, which world {target.name} does not have"
    declared = owner.fn.__code__
    line = declared.co_firstlineno
    yield Finding(code, message, hint, Path(declared.co_filename), line, line, f"{target.name}/{owner.id}")


def _line(file: Path, text: str) -> int:
    """The first line of a file that has a text in it."""
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    return next((number for number, line in enumerate(lines, 1) if text in line), 1)


def _line_of_field(file: Path, message: str) -> int:
    """The line of the field that a message about a sidecar names, "…/fixture.yaml: nodes.main.file: …"."""
    if (found := re.search(r"line (\d+)", message)) is not None:
        return int(found[1])
    field = message.removeprefix(f"{file}: ").partition(":")[0].partition(" ")[0].rpartition(".")[2]
    return _line(file, f"{field}:")
