"""Which database does a model live in?"""

from __future__ import annotations

from typing import Any

from worlds.engine import active, installed
from worlds.engine.db.base import ALIAS
from worlds.engine.errors import WorldBug


class WorldRouter:
    """Inside a call every model lives in the running node's store; outside, a world's models live nowhere.

    Raises: WorldBug for a world's model used outside an instance, and inside one for a model whose table is in no store
    of the world that runs. It never falls back to the control database.
    """

    def _database(self, model: Any) -> str | None:
        node = active.current()
        if node is not None:
            if model._meta.app_label not in node.app_labels:
                raise _of_another_store(model, node.world.name)
            return ALIAS
        if installed.is_world_label(model._meta.app_label):
            raise WorldBug(
                f"{model._meta.label} belongs to a world and no instance is running here; call a tool, or read it "
                f"inside `with inst.inspecting():` of an instance made by world.instance()"
            )
        return None

    def db_for_read(self, model: Any, **hints: Any) -> str | None:
        return self._database(model)

    def db_for_write(self, model: Any, **hints: Any) -> str | None:
        return self._database(model)

    def allow_relation(self, one: Any, other: Any, **hints: Any) -> bool | None:
        node = active.current()
        if node is None:
            return None
        return all(thing._meta.app_label in node.app_labels for thing in (one, other))

    def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool | None:
        if db == ALIAS:
            node = active.current()
            return node is not None and app_label in node.app_labels
        return False if installed.is_world_label(app_label) else None


def _of_another_store(model: Any, running: str) -> WorldBug:
    """Why there is no table for a model, and what to do, where otherwise SQLite would say that it found none."""
    label = model._meta.app_label
    if installed.is_world_label(label):
        edit = "reach the world it belongs to: with ctx.worlds.<name>.entered(), or inst.inspecting(<path>)"
    else:
        edit = f'do without it, or keep its app in this world: World("{running}", …, apps=("{label}",))'
    return WorldBug(f"{model._meta.label} has no table in world {running}; {edit}")
