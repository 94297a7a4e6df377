"""How do Django's apps become the engine, and worlds?"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from django.apps import AppConfig, apps

from worlds.engine import installed, tools, unloadable
from worlds.engine.clock import teach_django
from worlds.engine.composing import tree_of
from worlds.engine.declaring import take_pending
from worlds.engine.errors import WorldBug
from worlds.engine.world import World, require_world

# Before any model is loaded: `default=timezone.now` must read the instance's clock.
teach_django()

#: The modules of a world's app that are loaded for what they register, a package or a file each.
DISCOVERED = ("tools", "middleware", "startup", "events", "formats", "http", "fixtures", "tasks")


class EngineConfig(AppConfig):
    """The engine itself: its one table, its commands and its checks."""

    name = "worlds.engine"
    label = installed.ENGINE_LABEL
    verbose_name = "Seahaven"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        unloadable.set_aside(after=self.name)

    def ready(self) -> None:
        # Above this module, and needing models: loading it registers the checks.
        import_module("worlds.engine.checks")


class WorldConfig(AppConfig):
    """The base of a world's app config; the subclass declares `world = World(…)`."""

    # Django takes an app's one config; this base is imported beside it and must not count.
    default = False
    world: Any = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.default = True

    def import_models(self) -> None:
        with unloadable.noted(self.name):
            self._install()
        if self.name in unloadable.failures:
            self.models = apps.all_models[self.label]

    def _install(self) -> None:
        world: World = require_world(self.world, f"{type(self).__module__}.{type(self).__qualname__}")
        world.package = self.name
        if self.label not in world.app_labels:
            world.app_labels = (self.label, *world.app_labels)
        installed.add(world)
        super().import_models()

    def ready(self) -> None:
        with unloadable.noted(self.name):
            if self.name not in unloadable.failures:
                self._load()

    def _load(self) -> None:
        for name in DISCOVERED:
            if find_spec(f"{self.name}.{name}") is not None:
                import_module(f"{self.name}.{name}")
        for tool in tools.take_pending(self.name):
            self.world.tool(tool)
        for register in take_pending(self.name):
            register(self.world)
        if not self.world.tools and not self.world.embeddings:
            raise WorldBug(
                f"world {self.world.name} has no tools; decorate a function in {self.name}/tools.py with @tool"
            )
        installed.mark_ready(self.world)
        if installed.all_ready() and not unloadable.is_checking():
            for world in map(installed.get, installed.names()):
                tree_of(world)  # what does not fit together is refused now, not at the first reset
