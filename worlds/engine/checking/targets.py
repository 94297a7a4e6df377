"""What is there to check: which worlds, and which files does each consist of?"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings

from worlds.engine import installed, unloadable
from worlds.engine.checking import sources
from worlds.engine.checking.findings import Finding
from worlds.engine.checking.sources import Silence, Source
from worlds.engine.world import World


@dataclass(eq=False)
class Target:
    """One world under check; `world` is None when it could not be loaded."""

    name: str
    package: str
    folder: Path
    world: World | None
    failure: Exception | None = None
    #: Files that are no Python, found while the others were read.
    broken: list[Finding] = field(default_factory=list)

    @cached_property
    def sources(self) -> list[Source]:
        """Every module of the world, parsed; those that cannot be are in `broken`."""
        inner = [Path(each.path) for each in apps.get_app_configs() if Path(each.path) != self.folder]
        nested = [path for path in inner if path.is_relative_to(self.folder)]
        found = []
        for file in sources.python_files(self.folder):
            if any(file.is_relative_to(path) for path in nested):
                continue
            try:
                found.append(Source(file, sources.module_name(self.package, self.folder, file)))
            except (SyntaxError, UnicodeDecodeError, ValueError) as error:
                line = getattr(error, "lineno", None) or 1
                message = f"no Python: {getattr(error, 'msg', error)}"
                self.broken.append(Finding("worlds.E304", message, "correct the line", file, line, line))
        return found

    @cached_property
    def silences(self) -> list[tuple[Path, Silence]]:
        """The comments in the world's files that silence a finding."""
        return [(source.file, silence) for source in self.sources for silence in source.silences]

    def forget(self) -> None:
        """Let go of the parsed modules: of a large world they take hundreds of megabytes."""
        self.__dict__.pop("sources", None)

    def within(self, *names: str) -> list[Source]:
        """The modules of these names, a file or a package each."""
        return [each for each in self.sources if self.part(each) in names]

    def without(self, *names: str) -> list[Source]:
        return [each for each in self.sources if self.part(each) not in names]

    def part(self, source: Source) -> str:
        """The module right below the world's package that a file belongs to."""
        return source.file.relative_to(self.folder).parts[0].removesuffix(".py")

    def source_of(self, file: str | Path) -> Source | None:
        return next((each for each in self.sources if each.file == Path(file)), None)

    def apps_place(self) -> tuple[Path, int]:
        """Where the world is declared."""
        for source in self.within("apps", "__init__"):
            for node in source.tree.body:
                if isinstance(node, ast.ClassDef) and "WorldConfig" in map(ast.unparse, node.bases):
                    return source.file, node.lineno
        file = self.folder / "apps.py"
        return (file if file.is_file() else self.folder / "__init__.py"), 1


def targets(app_configs: Sequence[Any] | None = None, names: Sequence[str] = ()) -> Iterator[Target]:
    """The worlds asked for, or all; those that could not be loaded, too."""
    labels = None if app_configs is None else {config.label for config in app_configs}
    for name in installed.names():
        world = installed.get(name)
        if (labels is None or world.label in labels) and (not names or name in names):
            failure = unloadable.failures.get(world.package)
            folder = Path(apps.get_app_config(world.label).path)
            yield Target(name, world.package, folder, None if failure else world, failure)
    known = {installed.get(name).package for name in installed.names()}
    for entry, error in unloadable.failures.items():
        folder_or_none = unloadable.folder_of(entry)
        name = entry.partition(".apps.")[0].rpartition(".")[2]
        if entry in known or labels is not None or (names and name not in names):
            continue
        yield Target(name, entry.partition(".apps.")[0], folder_or_none or Path(entry), None, error)
    for entry in getattr(settings, "WORLDS", ()):
        name = entry.partition(".apps.")[0].rpartition(".")[2]
        package = entry.partition(".apps.")[0]
        if package in known or entry in unloadable.failures or labels is not None or (names and name not in names):
            continue
        missing = LookupError("no class in it extends WorldConfig, so there is no world")
        yield Target(name, package, unloadable.folder_of(entry) or Path(package), None, missing)
