"""Which worlds are installed, and whose is a model?"""

from __future__ import annotations

from typing import Any

from worlds.engine.errors import WorldBug
from worlds.engine.names import nearest

#: Every installed world by name, in the order of settings.WORLDS; filled as Django loads their apps.
_worlds: dict[str, Any] = {}
#: Those whose modules are loaded.
_ready: set[str] = set()
ENGINE_LABEL = "engine"


def add(world: Any) -> None:
    """Install a world.

    Raises: WorldBug for a second world of the same name.
    """
    other = _worlds.get(world.name)
    if other is not None and other is not world:
        raise WorldBug(f"two worlds are named {world.name!r}: {other.package} and {world.package}; rename one of them")
    _worlds[world.name] = world


def mark_ready(world: Any) -> None:
    """A world's modules are loaded."""
    _ready.add(world.name)


def all_ready() -> bool:
    """Are the modules of every installed world loaded?"""
    return _ready >= _worlds.keys()


def names() -> list[str]:
    return list(_worlds)


def get(name: str) -> Any:
    """The installed world of that name.

    Raises: WorldBug with the nearest name and the ones there are.
    """
    if name not in _worlds:
        near = nearest(str(name), _worlds)
        hint = f"did you mean {near!r}? " if near else ""
        raise WorldBug(
            f"world {name!r:.80} is not installed; {hint}settings.WORLDS has: {', '.join(_worlds) or 'none'}"
        )
    return _worlds[name]


def owner_of(package: str) -> Any | None:
    """The world whose app holds a module, or None."""
    for world in _worlds.values():
        if package == world.package or package.startswith(f"{world.package}."):
            return world
    return None


def is_world_label(label: str) -> bool:
    """Do models of this app live in stores, and nowhere else?"""
    return label == ENGINE_LABEL or any(label == world.label for world in _worlds.values())
