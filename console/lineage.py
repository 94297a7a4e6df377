"""Which fixtures has a world, and which came of which?

What is read of a fixture's files is kept until one of them changes, so that a list of many costs a look at each folder.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from django.apps import apps

from console.progress import JOBS, Job
from worlds.engine import Fixture, Task, World, WorldBug, fixtures, images
from worlds.engine.composing import tree_of
from worlds.engine.registrations import Recipe

_SENTENCE = re.compile(r".+?[.!?](?=\s+[A-Z0-9\"'(]|$)")


class Look(NamedTuple):
    """What the files of a fixture say."""

    #: None of one whose `fixture.yaml` cannot be read.
    fixture: Fixture | None
    #: What is wrong with its files, and the fix.
    problem: str
    #: Are its rows of the present schema?
    is_current: bool
    size: int


@dataclass(slots=True)
class Entry:
    """One fixture of a world, whether it is there or could be."""

    id: str
    look: Look = Look(None, "", True, 0)
    recipe: Recipe | None = None
    is_built: bool = False
    children: list[Entry] = field(default_factory=list)
    #: Its parent, which is not there.
    lost_parent: str = ""
    #: The job that builds it, or did.
    job: Job | None = None
    #: What agents are asked to do from here.
    tasks: tuple[Task, ...] = ()

    @property
    def fixture(self) -> Fixture | None:
        return self.look.fixture

    @property
    def problem(self) -> str:
        return self.look.problem

    @property
    def parent(self) -> str | None:
        if self.fixture is not None:
            return self.fixture.parent
        return self.recipe.parent if self.recipe else None

    @property
    def description(self) -> str:
        source = self.fixture or self.recipe
        return source.description if source else ""

    @property
    def sentence(self) -> str:
        """The first sentence of its description."""
        return first_sentence(self.description)

    @property
    def has_more(self) -> bool:
        """Does the description go on after its first sentence?"""
        return " ".join(self.description.split()) != self.sentence

    @property
    def row_count(self) -> int:
        return sum(self.fixture.counts.values()) if self.fixture else 0

    @property
    def counts(self) -> list[tuple[str, int]]:
        """Rows of each table, the most first; tables without rows are left out."""
        found = self.fixture.counts if self.fixture else {}
        return sorted(((table_of(label) or label, n) for label, n in found.items() if n), key=lambda each: -each[1])

    @property
    def checksum(self) -> str:
        """The SHA-256 of its rows; of a composite, of its stores' checksums."""
        return checksum(self.fixture) if self.fixture else ""

    @property
    def can_be_opened(self) -> bool:
        return self.fixture is not None and not self.problem

    @property
    def can_be_built(self) -> bool:
        return self.fixture is None and not self.problem and self.recipe is not None

    @property
    def is_being_built(self) -> bool:
        return self.job is not None and not self.job.is_over


def first_sentence(text: str) -> str:
    """The first sentence of a description, in one line."""
    line = " ".join(text.split("\n\n")[0].split())
    found = _SENTENCE.match(line)
    return found[0] if found else line


def checksum(fixture: Fixture) -> str:
    """One SHA-256 for a fixture: of its rows, or of a composite's stores."""
    sums = {path: node.sha256 for path, node in fixture.sidecar.nodes.items()}
    if len(sums) == 1:
        return next(iter(sums.values()))
    return hashlib.sha256("".join(f"{sums[path]}  {path}\n" for path in sums).encode()).hexdigest()


def table_of(label: str) -> str | None:
    """The table a model's rows stand in, by the model's label; None of a model that is gone."""
    try:
        return str(apps.get_model(label)._meta.db_table)
    except (LookupError, ValueError):
        return None


# On a worker thread: fixtures are files.


def entries(world: World) -> dict[str, Entry]:
    """Every fixture of a world by its id, those too that a recipe can build."""
    return {each: entry_of(world, each) for each in sorted({*world.fixture_ids(), *world.recipes})}


def entry_of(world: World, fixture_id: str) -> Entry:
    """One fixture of a world, or one that it could have."""
    look = _look_at(world, fixture_id)
    is_built = look.fixture is not None and look.is_current and images.is_built(world, look.fixture)
    return Entry(
        fixture_id,
        look,
        recipe=world.recipes.get(fixture_id),
        is_built=is_built,
        job=JOBS.latest(build_key(world, fixture_id)),
        tasks=tuple(task for task in world.tasks.values() if task.fixture == fixture_id),
    )


def build_key(world: World, fixture_id: str | None) -> tuple[str | None, ...]:
    """What tells the job that builds a fixture from others."""
    return "build", world.name, fixture_id


_looks: dict[Path, tuple[Any, Look]] = {}


def _look_at(world: World, fixture_id: str) -> Look:
    for folder in fixtures.folders(world.name):
        place = folder / fixture_id
        if (place / fixtures.SIDECAR).is_file():
            stamp = _stamp(place), tree_of(world).shape
            kept = _looks.get(place)
            if kept is None or kept[0] != stamp:
                kept = _looks[place] = stamp, _read(world, place)
            return kept[1]
    return Look(None, "", True, 0)


def _stamp(place: Path) -> Any:
    """What must be unchanged for what was read to stand: each file, its time and its size."""
    found = ((entry.name, entry.stat(follow_symlinks=False)) for entry in place.iterdir())
    return sorted((name, stat.st_ino, stat.st_mtime_ns, stat.st_size) for name, stat in found)


def _read(world: World, place: Path) -> Look:
    fixture = None
    size = sum(file.lstat().st_size for file in place.iterdir())
    try:
        fixture = fixtures.load(place, world.name)
        _verify(fixture)
        return Look(fixture, "", world.is_current(fixture), size)
    except WorldBug as error:
        return Look(fixture, str(error), True, size)


def _verify(fixture: Fixture) -> None:
    """Compare each file of rows with its checksum.

    Raises: FixtureError.
    """
    for path, node in fixture.sidecar.nodes.items():
        file = fixture.file(path)
        if file.is_symlink() or not file.is_file() or _sha256(file) != node.sha256:
            fixture.read_rows(path)  # says what is wrong with it


def _sha256(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def tree(found: dict[str, Entry]) -> list[Entry]:
    """The fixtures without a parent, each with those that were forked off it, and so on.

    Fixtures that name each other as parents in a ring stand beside the rest, each cut off where it would come again.
    """
    roots = []
    for entry in found.values():
        parent = found.get(entry.parent) if entry.parent else None
        if entry.parent and parent is None:
            entry.lost_parent = entry.parent
        if parent is None or entry in line_of(found, parent):
            roots.append(entry)
        else:
            parent.children.append(entry)
    return roots


def line_of(found: dict[str, Entry], entry: Entry) -> Iterator[Entry]:
    """An entry and those it comes from, each once."""
    seen: set[str] = set()
    at: Entry | None = entry
    while at is not None and at.id not in seen:
        seen.add(at.id)
        yield at
        at = found.get(at.parent) if at.parent else None


def parts(world: World, fixture: Fixture) -> list[dict[str, Any]]:
    """The stores of a fixture, the world's own first, each with how many rows every table has."""
    branches = tree_of(world).branches
    return [
        {
            "path": path,
            "node": node,
            "row_count": sum(node.counts.values()),
            "tables": sorted((table_of(label) or "", label, count) for label, count in node.counts.items()),
            "file": fixture.file(path).name,
            "present_version": branches[path].world.version if path in branches else None,
        }
        for path, node in fixture.sidecar.nodes.items()
    ]
