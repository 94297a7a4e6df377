"""What is a world to those who use it: something that makes instances and has fixtures?"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from worlds.engine import fixtures, freezing, images
from worlds.engine.clock import ClockMode
from worlds.engine.composing import tree_of
from worlds.engine.db.pages import Pages
from worlds.engine.errors import FixtureError, WorldBug
from worlds.engine.fixtures import Fixture
from worlds.engine.images import Report
from worlds.engine.instance import Instance, Start
from worlds.engine.migrating import Migrations, workshop
from worlds.engine.registrations import Recipe, Registrations
from worlds.engine.tools import Tool


class World(Registrations):
    """A synthetic product, declared in its app's `apps.py` and filled by `@tool` and its kin."""

    @property
    def label(self) -> str:
        """The label of the world's own app."""
        return self.app_labels[0]

    def instance(
        self,
        fixture: str | None = None,
        *,
        seed: int | None = None,
        now: str | datetime | None = None,
        clock_mode: ClockMode | None = None,
        state_format: str | None = None,
        task: Any = None,
        startup: Mapping[str, Any] | None = None,
        setup_sql: str | None = None,
        episode_id: str | None = None,
    ) -> Instance:
        """A private copy of a fixture, or of the world with no rows; use it as a context manager.

        Raises: FixtureError for a fixture that is missing or damaged; WorldBug for anything else that does not fit,
        before anything is made.
        """
        start = Start(
            fixture,
            seed,
            now,
            clock_mode,
            state_format,
            task,
            {} if startup is None else startup,
            setup_sql,
            episode_id,
        )
        return self.start(start)

    def start(self, start: Start) -> Instance:
        """`instance()` for the doors, which have the start as one value."""
        return Instance(self, images.starting_state(self, start.fixture), start)

    # Fixtures.

    def fixture_ids(self) -> list[str]:
        """The ids of the fixtures there are, sorted."""
        return fixtures.ids(self.name)

    def fixtures(self) -> list[Fixture]:
        """The fixtures there are, sorted by id; their sidecars are read, their rows are not.

        Raises: FixtureError for a sidecar that is damaged.
        """
        return [fixtures.get(self.name, fixture_id) for fixture_id in self.fixture_ids()]

    def build_fixture(self, fixture_id: str, *, folder: Path | None = None, report: Report | None = None) -> Fixture:
        """Make a fixture by its recipe, where it belongs or in `folder`; a rebuild gives the same bytes.

        Raises: FixtureError when there is no such recipe, or its parent is missing.
        """
        recipe = self.recipes.get(fixture_id)
        if recipe is None:
            listed = ", ".join(self.recipes) or "none"
            raise FixtureError(f"world {self.name} has no recipe {fixture_id!r}; its recipes are: {listed}")
        folder = folder or fixtures.folders(self.name)[0 if recipe.committed else 1]
        with self._for_recipe(recipe) as inst:
            if report:
                report(f"{self.name}/{fixture_id}", 0, 0)
            recipe.fn(inst)
            return inst.freeze(fixture_id, recipe.description, folder=folder, replace=True)

    def _for_recipe(self, recipe: Recipe) -> Instance:
        start = Start(recipe.parent, recipe.seed, recipe.now, "tick")
        if recipe.embedded:
            return Instance(self, images.assembled(self, recipe.embedded), start)
        return self.start(start)

    def prepare_fixture(self, fixture_id: str | None, report: Report | None = None) -> None:
        """Build the image of a fixture (None: of the blank world) if it is not cached."""
        images.starting_state(self, fixture_id, report)

    def migrate_fixture(self, fixture_id: str) -> bool:
        """Write a fixture anew under the present schema; False when it is there already.

        Raises: FixtureError for a fixture that is missing or damaged.
        """
        fixture = fixtures.get(self.name, fixture_id, self.recipes)
        if self.is_current(fixture):
            return False
        base = images.starting_state(self, fixture_id, fill_up=True)
        freezing.freeze_again(self, base, folder=fixture.folder.parent, replace=True)
        return True

    def is_current(self, fixture: Fixture) -> bool:
        """Are a fixture's rows of the present schema, and of every world that is embedded now?"""
        branches, has = tree_of(self).branches, fixture.sidecar.nodes
        return all(
            path in has
            and (has[path].scope, tuple(has[path].aliases)) == (branch.scope, branch.aliases)
            and has[path].migrations == _present_migrations(branch.world)
            for path, branch in branches.items()
        )

    # What the agent meets.

    @property
    def surface(self) -> Mapping[str, Tool]:
        """The tools an agent may call, in order: the world's own, then those of the worlds it embeds."""
        return {name: route.tool for name, route in tree_of(self).surface.items()}

    def startup_keywords(self) -> tuple[list[str], bool]:
        """The keywords `startup=` takes, over all embedded worlds, and whether it takes any other."""
        return tree_of(self).startup_keywords()


def _present_migrations(world: Registrations) -> dict[str, str]:
    with workshop(world, Pages()) as shop:
        return Migrations(shop).leaves


def require_world(value: object, where: str) -> World:
    """The world an app config declares.

    Raises: WorldBug with what to write.
    """
    if not isinstance(value, World):
        raise WorldBug(f'{where} declares no world; write `world = World("…", version="1.0.0")` in its class')
    return value
