"""Which migrations are there, when those of one world may be broken?"""

from __future__ import annotations

import re
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.apps import apps
from django.db.migrations.loader import MigrationLoader

from worlds.engine import installed


@dataclass
class Graph:
    """The migrations of every app but the broken ones; of those, what their loading raised."""

    loader: MigrationLoader | None
    broken: dict[str, Exception] = field(default_factory=dict)

    @property
    def leaves(self) -> set[tuple[str, str]]:
        return set(self.loader.graph.leaf_nodes()) if self.loader else set()


def load() -> Graph:
    """Every app's migrations; a world whose own cannot be loaded is left out and told of."""
    broken: dict[str, Exception] = {}

    class Loader(MigrationLoader):
        @classmethod
        def migrations_module(cls, app_label: str) -> Any:
            return (None, True) if app_label in broken else super().migrations_module(app_label)

    while True:
        try:
            return Graph(Loader(None, ignore_no_migrations=True), broken)
        except Exception as error:
            label = _label(error)
            if label is None or label in broken:
                return Graph(None, {**broken, label or "": error})
            broken[label] = error


def _label(error: Exception) -> str | None:
    """The app whose migrations an error is about."""
    own = [label for name in installed.names() for label in installed.get(name).app_labels]
    origin = getattr(error, "origin", None)
    told = getattr(origin, "app_label", None) or (origin[0] if isinstance(origin, tuple) else None)
    if told in own:
        return str(told)
    file = place(error)[0]
    for label in own:
        if file is not None and file.is_relative_to(apps.get_app_config(label).path):
            return label
    words = re.findall(r"\w+", str(error))
    return next((label for label in own if label in words), None)


def place(error: Exception) -> tuple[Path | None, int]:
    """The line of a migration that an error came from."""
    if isinstance(error, SyntaxError) and error.filename:
        return Path(error.filename), error.lineno or 1
    frames = [each for each in traceback.extract_tb(error.__traceback__) if "/migrations/" in each.filename]
    own = [each for each in frames if "/django/" not in each.filename]
    if own:
        return Path(own[-1].filename), own[-1].lineno or 1
    node = getattr(error, "origin", None)
    if node is not None and hasattr(node, "app_label"):
        config = apps.get_app_config(node.app_label)
        file = Path(config.path) / "migrations" / f"{node.name}.py"
        return (file, _line(file, "dependencies")) if file.is_file() else (None, 0)
    if (named := re.search(r"Migration (\w+) in app (\w+)", str(error))) is not None:
        file = Path(apps.get_app_config(named[2]).path) / "migrations" / f"{named[1]}.py"
        return (file, 1) if file.is_file() else (None, 0)
    return None, 0


def _line(file: Path, text: str) -> int:
    lines = file.read_text(encoding="utf-8").splitlines()
    return next((number for number, line in enumerate(lines, 1) if text in line), 1)
