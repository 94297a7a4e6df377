"""How does a store get its tables: by its world's own Django migrations?"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import apsw
from django.apps import apps
from django.db.migrations.executor import MigrationExecutor

from worlds.engine import active, installed
from worlds.engine.chance import Stream, instance_seed
from worlds.engine.clock import Clock, parse_instant
from worlds.engine.db import binding, dbapi, functions
from worlds.engine.db.base import DatabaseWrapper, wrapper_for
from worlds.engine.db.pages import Pages, connect
from worlds.engine.errors import WorldBug

#: What migrations read as the time: their rows must not depend on the day an image was built.
BUILD_TIME = "2000-01-01T00:00:00.000Z"


class Workshop:
    """A store under construction, standing where a running node stands: its clock and chance are constants."""

    def __init__(self, world: Any, pages: Pages) -> None:
        self.world = world
        self.app_labels = labels(world)
        self.clock = Clock(parse_instant(BUILD_TIME, "the build time"), "fixed")
        self.chance = Stream(instance_seed(world.name, None, 0), "build")
        self.info = SimpleNamespace(id="build", fixture=None)
        self.raw = connect(pages, cache_kib=32 * 1024)
        self.raw.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
        connection = dbapi.Connection(self.raw)
        functions.register(connection, self)
        self.wrapper: DatabaseWrapper = wrapper_for(lambda: connection)
        self.wrapper.ensure_connection()

    @property
    def reading_ms(self) -> int:
        return self.clock.ms()


@contextmanager
def workshop(world: Any, pages: Pages) -> Iterator[Workshop]:
    """A store bound for building; its connection is closed afterwards, the pages are what was built."""
    shop = Workshop(world, pages)
    previous, bound = active.enter(shop), binding.bind(shop.wrapper)
    try:
        yield shop
    finally:
        binding.unbind(bound)
        active.leave(previous)
        shop.wrapper.connection.close()


def labels(world: Any) -> tuple[str, ...]:
    """The apps whose models live in a world's stores, the engine's own first."""
    return (installed.ENGINE_LABEL, *world.app_labels)


def _folder(label: str) -> Path | None:
    try:
        module = import_module(f"{apps.get_app_config(label).name}.migrations")
    except ModuleNotFoundError:
        return None
    return Path(module.__path__[0])


def sources_digest(world: Any) -> str:
    """A digest of every migration a world's schema comes from, so that an edit makes a new image."""
    digest = hashlib.sha256()
    for label in labels(world):
        folder = _folder(label)
        for file in sorted(folder.glob("*.py")) if folder else ():
            digest.update(f"{label}/{file.name}\0".encode() + file.read_bytes() + b"\0")
    return digest.hexdigest()


class Migrations:
    """Django's migration executor on a store under construction."""

    def __init__(self, shop: Workshop) -> None:
        self._shop = shop
        self._executor = MigrationExecutor(shop.wrapper)
        graph = self._executor.loader.graph
        self._leaves: list[tuple[str, str]] = [key for label in shop.app_labels for key in graph.leaf_nodes(label)]
        for label in shop.app_labels:
            models = list(apps.get_app_config(label).get_models())
            if models and not any(key[0] == label for key in self._leaves):
                raise WorldBug(f"app {label!r} has models and no migrations; run `manage.py makemigrations {label}`")

    @property
    def leaves(self) -> dict[str, str]:
        """The last migration of each app, as a fixture's sidecar names it."""
        return dict(self._leaves)

    def to(self, state: dict[str, str] | None = None) -> Any:
        """Migrate forward to a state (None: the present); answers the registry of models as they are there.

        Raises: WorldBug for a migration the project does not have any more.
        """
        nodes = self._leaves if state is None else list(state.items())
        for key in nodes:
            if key not in self._executor.loader.graph.nodes:
                raise WorldBug(
                    f"migration {'.'.join(key)} is not in this project; restore it, or freeze again without it"
                )
        self._executor.loader.build_graph()
        self._executor.migrate(nodes)
        return self._executor.loader.project_state(nodes).apps

    def forget(self) -> None:
        """Drop Django's own bookkeeping: a product's database has no table of migrations."""
        self._executor.recorder.connection.connection.run("DROP TABLE IF EXISTS django_migrations")
