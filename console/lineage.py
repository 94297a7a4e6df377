"""Which fixtures has a world, and which came of which?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from console.progress import JOBS, Job
from worlds.engine import Fixture, World, WorldBug, fixtures, images
from worlds.engine.composing import tree_of
from worlds.engine.registrations import Recipe

_SENTENCE = re.compile(r".+?[.!?](?=\s+[A-Z0-9\"'(]|$)")


@dataclass(slots=True)
class Entry:
    """One fixture of a world, whether it is there or could be."""

    id: str
    #: None of one that is damaged, or only can be built.
    fixture: Fixture | None = None
    recipe: Recipe | None = None
    #: What is wrong with its files, and the fix.
    problem: str = ""
    is_current: bool = True
    is_built: bool = False
    children: list[Entry] = field(default_factory=list)
    #: Its parent, which is not there.
    lost_parent: str = ""
    #: The job that builds it, or did.
    job: Job | None = None

    @property
    def parent(self) -> str | None:
        if self.fixture is not None:
            return self.fixture.parent
        return self.recipe.parent if self.recipe else None

    @property
    def sentence(self) -> str:
        """The first sentence of its description."""
        source = self.fixture or self.recipe
        return first_sentence(source.description) if source else ""

    @property
    def row_count(self) -> int:
        return sum(self.fixture.counts.values()) if self.fixture else 0

    @property
    def can_be_built(self) -> bool:
        return self.fixture is None and not self.problem and self.recipe is not None


def first_sentence(text: str) -> str:
    """The first sentence of a description, in one line."""
    line = " ".join(text.split("\n\n")[0].split())
    found = _SENTENCE.match(line)
    return found[0] if found else line


def entries(world: World) -> dict[str, Entry]:
    """Every fixture of a world by its id, those too that a recipe can build."""
    return {
        fixture_id: _entry(world, fixture_id)
        for fixture_id in sorted({*world.fixture_ids(), *world.recipes})
    }  # fmt: skip


def _entry(world: World, fixture_id: str) -> Entry:
    entry = Entry(fixture_id, recipe=world.recipes.get(fixture_id), job=JOBS.latest(build_key(world, fixture_id)))
    try:
        entry.fixture = fixture = fixtures.find(world.name, fixture_id)
        if fixture is not None:
            entry.is_current = world.is_current(fixture)
            entry.is_built = images.is_built(world, fixture)
    except WorldBug as error:
        entry.problem = str(error)
    return entry


def build_key(world: World, fixture_id: str) -> tuple[str, ...]:
    """What tells the job that builds a fixture from others."""
    return "build", world.name, fixture_id


def tree(found: dict[str, Entry]) -> list[Entry]:
    """The fixtures without a parent, each with those that were forked off it, and so on.

    Fixtures that name each other as parents in a ring stand beside the rest, each cut off where it would come again.
    """
    roots = []
    for entry in found.values():
        parent = found.get(entry.parent) if entry.parent else None
        if entry.parent and parent is None:
            entry.lost_parent = entry.parent
        if parent is None or entry in _line(found, parent):
            roots.append(entry)
        else:
            parent.children.append(entry)
    return roots


def _line(found: dict[str, Entry], entry: Entry) -> Iterator[Entry]:
    """An entry and those it comes from, each once."""
    seen: set[str] = set()
    at: Entry | None = entry
    while at is not None and at.id not in seen:
        seen.add(at.id)
        yield at
        at = found.get(at.parent) if at.parent else None


def parts(world: World, fixture: Fixture) -> list[dict[str, Any]]:
    """The stores of a fixture, the world's own first: {"path", "node", "counts", "rows", "file", "is_embedded"}."""
    branches = tree_of(world).branches
    return [
        {
            "path": path,
            "node": node,
            "counts": node.counts,
            "rows": sum(node.counts.values()),
            "file": fixture.file(path),
            "is_known": path in branches,
            "present_version": branches[path].world.version if path in branches else None,
        }
        for path, node in fixture.sidecar.nodes.items()
    ]
