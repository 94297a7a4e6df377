"""Do a world's models and its migrations say the same, and do the migrations run?"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.apps import apps
from django.db import DatabaseError
from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.exceptions import BadMigrationError, CircularDependencyError, NodeNotFoundError
from django.db.migrations.questioner import NonInteractiveMigrationQuestioner
from django.db.migrations.state import ProjectState

from worlds.engine import images
from worlds.engine.checking import migration_graph, time_and_chance
from worlds.engine.checking.findings import Finding
from worlds.engine.checking.migration_graph import Graph
from worlds.engine.checking.sources import Source
from worlds.engine.checking.targets import Target
from worlds.engine.errors import WorldBug
from worlds.engine.typed import roles_of

#: Callables that a field may have as its default and no replay gives again, by where they were defined.
_ROLES = ("bookkeeping", "derived", "distinct", "natural_key")
_FOREIGN = {**time_and_chance.CLOCKS, **time_and_chance.CHANCE}


def check_migrations(targets: list[Target], graph: Graph) -> Iterator[Finding]:
    """E101: models that changed. E103: migrations that do not fit together. E104: such that do not run."""
    if sys.argv[1:2] == ["makemigrations"]:
        return  # what mends it must not be kept from running
    loaded = [each for each in targets if each.world is not None]
    wanted = {each.world.label: each for each in loaded if each.world is not None}
    for label, error in graph.broken.items():
        if not label or label in wanted:
            owner = wanted[label].name if label else ""
            yield _unfit(error, owner or "migrations", owner)
    loaded = [each for each in loaded if each.world is not None and each.world.label not in graph.broken]
    wanted = {each.world.label: each for each in loaded if each.world is not None}
    loader = graph.loader
    if loader is None:
        return
    detector = MigrationAutodetector(
        loader.project_state(),
        ProjectState.from_apps(apps),
        NonInteractiveMigrationQuestioner(specified_apps=set(wanted)),
    )
    changes = detector.changes(graph=loader.graph, trim_to_apps=set(wanted), convert_apps=set(wanted))
    for label, target in wanted.items():
        if label in changes:
            operations = ", ".join(op.describe() for migration in changes[label] for op in migration.operations)
            yield Finding(
                "worlds.E101",
                f"world {target.name}: its models have changed since its last migration: {operations}",
                f"run `manage.py makemigrations {label}`, then `manage.py seahaven_fixture migrate {target.name}`",
                _models_file(target), 0, 0, target.name, world=target.name,
            )  # fmt: skip
    if graph.broken:
        return  # Django runs no migration while any is broken
    for target in loaded:
        for each in _run(target):
            # Models without any migration are told of above.
            if not (target.world is not None and target.world.label in changes and each.line == 0):
                yield replace(each, world=target.name)


def _unfit(error: Exception, subject: str, world: str) -> Finding:
    file, line = migration_graph.place(error)
    if isinstance(error, NodeNotFoundError):
        hint = "restore the migration that is missing, or mend the `dependencies` that name it"
    elif isinstance(error, CircularDependencyError):
        hint = "take one of these out of the other's `dependencies`"
    elif isinstance(error, BadMigrationError):
        hint = "write `class Migration(migrations.Migration):` in it, or remove the file"
    else:
        hint = "correct this migration"
    message = f"the migrations do not fit together: {error}"
    return Finding("worlds.E103", message, hint, file, line, line, subject, world=world)


def _models_file(target: Target) -> Path:
    file = target.folder / "models.py"
    return file if file.is_file() else target.folder


def _run(target: Target) -> Iterator[Finding]:
    """Build the image of the blank world, which instances begin with; it is kept, so the next check is quick."""
    assert target.world is not None
    try:
        images.blank(target.world)
    except WorldBug as error:
        yield Finding(
            "worlds.E104", str(error), "make the edit that the message names", _models_file(target), 0, 0, target.name
        )
    except Exception as error:
        file, line = _failed_at(error, target)
        said = str(error.__cause__ or error) if isinstance(error, DatabaseError) else f"{type(error).__name__}: {error}"
        message = f"world {target.name}: its migrations do not run: {said}"
        yield Finding("worlds.E104", message, "correct this migration", file, line, line, target.name)


def _failed_at(error: BaseException, target: Target) -> tuple[Path, int]:
    """The migration that failed: the frame of its own code, else the one that Django was applying."""
    trace, own, applied = error.__traceback__, None, None
    while trace is not None:
        file = Path(trace.tb_frame.f_code.co_filename)
        if file.is_relative_to(target.folder):
            own = file, trace.tb_lineno
        migration = trace.tb_frame.f_locals.get("migration")
        module = sys.modules.get(type(migration).__module__) if migration is not None else None
        if module is not None and getattr(module, "__file__", None):
            applied = Path(str(module.__file__)), 1
        operation = trace.tb_frame.f_locals.get("operation")
        if applied is not None and operation is not None:
            applied = applied[0], _operation_line(applied[0], type(operation).__name__)
        trace = trace.tb_next
    return own or applied or (target.folder / "migrations", 0)


def _operation_line(file: Path, kind: str) -> int:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == kind:
            return node.lineno
    return 1


def check_roles(target: Target) -> Iterator[Finding]:
    """E102: a model's `class Roles` names what is no field, or one field twice."""
    assert target.world is not None
    for label in target.world.app_labels:
        for model in apps.get_app_config(label).get_models():
            message = _wrong_roles(model)
            if message:
                file, line = _class_place(model, "Roles")
                hint = "name fields of this model, each once"
                yield Finding("worlds.E102", message, hint, file, line, line, target.name)


def _wrong_roles(model: Any) -> str:
    declared = getattr(model, "Roles", None)
    for name in dir(declared) if declared is not None else ():
        if not name.startswith("_") and name not in _ROLES:
            return f"{model._meta.label}.Roles.{name} is no role; there are: {', '.join(_ROLES)}"
    for role in ("bookkeeping", "derived", "distinct"):
        if isinstance(getattr(declared, role, ()), str):
            return f"{model._meta.label}.Roles.{role} is a text; write ({getattr(declared, role)!r},)"
    known = {field.name for field in model._meta.concrete_fields}
    for name in getattr(declared, "distinct", ()):
        if name not in known:
            return f"{model._meta.label}.Roles.distinct names {name!r}, which is no field of the model"
    try:
        roles_of(model)
    except WorldBug as error:
        return str(error)
    return ""


def check_defaults(target: Target) -> Iterator[Finding]:
    """W106: a model of another app, whose source is not the author's, defaults to the host's clock or chance."""
    assert target.world is not None
    for label in target.world.app_labels[1:]:
        for model in apps.get_app_config(label).get_models():
            for field in model._meta.local_concrete_fields:
                name = _called(field.default)
                instead = next(
                    (text for key, text in _FOREIGN.items() if name == key or name.startswith(f"{key}.")), ""
                )
                if instead:
                    yield Finding(
                        "worlds.W106",
                        f"{model._meta.label}.{field.name} defaults to {name}, which no seed replays",
                        f"pass {field.name}={instead} wherever a row of it is made",
                        subject=f"{target.name} {model._meta.label}.{field.name}",
                    )


def _called(default: Any) -> str:
    if not callable(default):
        return ""
    owner = getattr(default, "__self__", None)
    if isinstance(owner, type):  # a classmethod such as datetime.now
        return f"{owner.__module__}.{owner.__qualname__}.{default.__name__}"
    return f"{getattr(default, '__module__', '')}.{getattr(default, '__qualname__', '')}"


def _class_place(model: Any, inner: str) -> tuple[Path | None, int]:
    """Where a model's class, or one inside it, begins."""
    module = sys.modules.get(model.__module__)
    if module is None or not getattr(module, "__file__", None):
        return None, 0
    file = Path(str(module.__file__))
    for node in Source(file, model.__module__).nodes:
        if isinstance(node, ast.ClassDef) and node.name == model.__name__:
            for each in node.body:
                if isinstance(each, ast.ClassDef) and each.name == inner:
                    return file, each.lineno
            return file, node.lineno
    return file, 0
