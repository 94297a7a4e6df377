"""What does a world's author get wrong in silence? Django's system checks say it, under the tag `worlds`.

E1 is the schema, E2 code, E3 discovery, E4 fixtures. Ids are documented and never used again for something else.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from django.apps import apps
from django.core.checks import CheckMessage, Error, Warning, register
from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.exceptions import BadMigrationError, CircularDependencyError, NodeNotFoundError
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.questioner import NonInteractiveMigrationQuestioner
from django.db.migrations.state import ProjectState

from worlds.engine import fixtures, installed, scan
from worlds.engine.errors import WorldBug
from worlds.engine.typed import roles_of
from worlds.engine.world import World

TAG = "worlds"


def _worlds(app_configs: Sequence[Any] | None) -> Iterator[World]:
    labels = None if app_configs is None else {config.label for config in app_configs}
    for name in installed.names():
        world = installed.get(name)
        if labels is None or world.label in labels:
            yield world


def _folder(world: World) -> Path:
    return Path(apps.get_app_config(world.label).path)


def _place(file: Path, line: int) -> str:
    try:
        return f"{file.relative_to(Path.cwd())}:{line}"
    except ValueError:
        return f"{file}:{line}"


@register(TAG)
def check_migrations(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """E101: the models have changed and no migration says so. E103: the migrations do not fit together."""
    if sys.argv[1:2] == ["makemigrations"]:
        return []  # what mends it must not be kept from running
    wanted = {world.label: world for world in _worlds(app_configs)}
    try:
        loader = MigrationLoader(None, ignore_no_migrations=True)
    except (NodeNotFoundError, CircularDependencyError, BadMigrationError) as error:
        hint = "restore the migration that is missing, or mend the `dependencies` that name it"
        return [Error(f"the migrations do not fit together: {error}", hint=hint, id="worlds.E103")]
    detector = MigrationAutodetector(
        loader.project_state(),
        ProjectState.from_apps(apps),
        NonInteractiveMigrationQuestioner(specified_apps=set(wanted)),
    )
    changes = detector.changes(graph=loader.graph, trim_to_apps=set(wanted), convert_apps=set(wanted))
    return [
        Error(
            f"world {wanted[label].name}: its models have changed since its last migration: "
            f"{', '.join(op.describe() for migration in migrations for op in migration.operations)}",
            hint=f"run `manage.py makemigrations {label}`, "
            f"then `manage.py seahaven_fixture migrate {wanted[label].name}`",
            id="worlds.E101",
        )
        for label, migrations in changes.items()
        if label in wanted
    ]


@register(TAG)
def check_roles(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """E102: a model's `class Roles` names what is no field, or one field twice."""
    found: list[CheckMessage] = []
    for world in _worlds(app_configs):
        for model in apps.get_app_config(world.label).get_models():
            try:
                roles_of(model)
            except WorldBug as error:
                found.append(
                    Error(str(error), obj=model, hint="name fields of this model, each once", id="worlds.E102")
                )
    return found


@register(TAG)
def check_time_and_chance(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """E201, E202: world code reads the host's clock, or draws chance that is not the instance's."""
    found: list[CheckMessage] = []
    for world in _worlds(app_configs):
        for file in scan.python_files(_folder(world)):
            lines = file.read_text(encoding="utf-8").splitlines()
            for finding in scan.foreign_time_and_chance(file):
                check_id = "worlds.E201" if finding.kind == "clock" else "worlds.E202"
                if scan.is_silenced(lines, finding.line, check_id):
                    continue
                what = "reads the host's clock" if finding.kind == "clock" else "draws chance that no seed replays"
                message = f"{_place(file, finding.line)}: {finding.name} {what}"
                found.append(Error(message, hint=f"use {finding.instead}", id=check_id))
    return found


@register(TAG)
def check_tools(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """W203: a tool says nothing of itself. E204: world code opens an instance."""
    found: list[CheckMessage] = []
    for world in _worlds(app_configs):
        for tool in world.tools.values():
            if not tool.description.strip():
                hint = f"write a docstring for {tool.fn.__module__}.{tool.fn.__qualname__}: it is what the agent reads"
                found.append(
                    Warning(f"tool {tool.name} of world {world.name} has no description", hint=hint, id="worlds.W203")
                )
        for file in _modules(world, ("tools", "middleware")):
            for line in scan.instances_opened(file):
                message = f"{_place(file, line)}: an instance cannot be made inside a tool call"
                found.append(Error(message, hint="work on ctx and the models; tests make instances", id="worlds.E204"))
    return found


def _modules(world: World, names: Iterable[str]) -> Iterator[Path]:
    for name in names:
        single, package = _folder(world) / f"{name}.py", _folder(world) / name
        yield from [single] if single.is_file() else scan.python_files(package) if package.is_dir() else []


@register(TAG)
def check_discovery(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """E301: a module of tools that nobody imports, so that its tools are not there."""
    found: list[CheckMessage] = []
    for world in _worlds(app_configs):
        for file in _modules(world, ("tools", "middleware")):
            relative = file.relative_to(_folder(world)).with_suffix("")
            module = ".".join((world.package, *relative.parts)).removesuffix(".__init__")
            if module not in sys.modules:
                parent, _, name = module.rpartition(".")
                hint = f"write `from {parent} import {name}` in its package's __init__.py, or remove the file"
                found.append(
                    Error(f"{_place(file, 1)}: module {module} is never imported", hint=hint, id="worlds.E301")
                )
    return found


@register(TAG)
def check_fixtures(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """E401: a damaged sidecar. E402: rows that changed after freezing. W403: rows of an older schema."""
    found: list[CheckMessage] = []
    try:
        loader = MigrationLoader(None, ignore_no_migrations=True)
    except (NodeNotFoundError, CircularDependencyError, BadMigrationError):
        return []  # E103 says so
    for world in _worlds(app_configs):
        for fixture_id in world.fixture_ids():
            try:
                fixture = fixtures.get(world.name, fixture_id)
            except WorldBug as error:
                found.append(
                    Error(str(error), hint="restore fixture.yaml, or freeze the fixture again", id="worlds.E401")
                )
                continue
            for path, node in fixture.sidecar.nodes.items():
                try:
                    fixture.read_rows(path)
                except WorldBug as error:
                    found.append(Error(str(error), hint="restore the file from version control", id="worlds.E402"))
                behind = [
                    f"{app}.{name}"
                    for app, name in node.migrations.items()
                    if (app, name) not in loader.graph.leaf_nodes(app)
                ]
                if behind:
                    hint = f"run `manage.py seahaven_fixture migrate {world.name} {fixture_id}`"
                    message = (
                        f"{fixture.folder}: its rows are of {', '.join(behind)}; each image of it is migrated anew"
                    )
                    found.append(Warning(message, hint=hint, id="worlds.W403"))
    return found
