"""Does a world that has just been written load, migrate, build its fixtures and pass the checks?

Run as `python -m worlds.engine.scaffold.trial`, in a process of its own, because Django takes its apps once. It is
told in JSON where the files are, which nobody else sees yet; it adds the migration and the fixtures to them.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

from worlds.engine.errors import WorldBug
from worlds.engine.scaffold.layout import laid_out, spread
from worlds.engine.scaffold.place import Place

_MARK = "seahaven-trial: "


def try_out(place: Place, staging: Path) -> dict[str, int]:
    """Complete the world in `staging`, and answer how many rows each of its fixtures has.

    Raises: WorldBug with what failed.
    """
    told = {
        "staging": str(staging),
        "package": place.package,
        "label": place.label,
        "name": place.name,
        "migrations": str(staging / place.app.relative_to(place.root) / "migrations"),
    }
    path = os.pathsep.join(dict.fromkeys([str(place.root), *filter(None, sys.path)]))
    done = subprocess.run(
        [sys.executable, "-W", "error::SyntaxWarning", "-m", __spec__.name if __spec__ else __name__],
        input=json.dumps(told),
        cwd=place.root,
        env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    for line in done.stdout.splitlines():
        if line.startswith(_MARK):
            counts: dict[str, int] = json.loads(line.removeprefix(_MARK))
            return counts
    said = done.stderr.strip() or done.stdout.strip()
    raise WorldBug(
        f"nothing was written: what would have been does not pass its trial. That is a mistake of seahaven_new, not of "
        f"yours; report it with the command and, if there was one, the document\n{said}"
    )


def _main() -> None:
    told = json.loads(sys.stdin.read())
    staging = Path(told["staging"])
    with tempfile.TemporaryDirectory() as var:
        _set_up(told, staging, Path(var))
        from django.core.management import call_command

        from worlds.engine import curating, installed

        _write_migration(told["label"], Path(told["migrations"]))
        world = installed.get(told["name"])
        built = curating.build(world, [], anew=True)
        call_command("check", told["label"], tags=["models", "worlds"], fail_level="WARNING")
        print(_MARK + json.dumps({fixture.id: sum(fixture.counts.values()) for fixture in built}))


def _set_up(told: dict[str, Any], staging: Path, var: Path) -> None:
    """Set Django up with the project's own settings and one app more."""
    import django
    from django.conf import settings

    parents = told["package"].split(".")[:-1]
    if parents:
        import_module(".".join(parents)).__path__.append(str(staging.joinpath(*parents)))
    else:
        sys.path.insert(0, str(staging))
    settings.INSTALLED_APPS = [*settings.INSTALLED_APPS, told["package"]]
    settings.SEAHAVEN_FIXTURES_DIR = staging / "fixtures"
    settings.SEAHAVEN_VAR_DIR = var
    django.setup()


def _write_migration(label: str, folder: Path) -> None:
    """The first migration, as `makemigrations` would make it; no database is asked."""
    from django.apps import apps
    from django.db.migrations.autodetector import MigrationAutodetector
    from django.db.migrations.loader import MigrationLoader
    from django.db.migrations.questioner import NonInteractiveMigrationQuestioner
    from django.db.migrations.state import ProjectState
    from django.db.migrations.writer import MigrationWriter

    loader = MigrationLoader(None, ignore_no_migrations=True)
    questioner = NonInteractiveMigrationQuestioner(defaults={"ask_initial": True}, specified_apps={label})
    detector = MigrationAutodetector(loader.project_state(), ProjectState.from_apps(apps), questioner)
    changes = detector.changes(graph=loader.graph, trim_to_apps={label}, convert_apps={label})
    for migration in changes[label]:
        code = MigrationWriter(migration, include_header=False).as_string()
        (folder / f"{migration.name}.py").write_text(_in_shape(code), encoding="utf-8")


def _in_shape(code: str) -> str:
    """A migration's source, as a formatter leaves it."""
    tree = ast.parse(code)
    lines = [ast.unparse(node) for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    (migration,) = (node for node in tree.body if isinstance(node, ast.ClassDef))
    lines += ["", "", f"class {migration.name}(migrations.Migration):"]
    for number, node in enumerate(migration.body):
        if isinstance(node, ast.Assign):
            head = f"{ast.unparse(node.targets[0])} = "
            lines += ([""] if number else []) + [f"    {head}{spread(node.value, 4, len(head))}"]
    return laid_out("\n".join(lines) + "\n", first_party=())


if __name__ == "__main__":
    _main()
