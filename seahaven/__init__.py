"""How does a Python program get at a world, without a server?"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from worlds.engine import World

__all__ = ["world", "worlds"]


def world(name: str) -> World:
    """An installed world; `with seahaven.world("crm").instance("big_co", seed=1) as inst:` runs it in this process.

    Raises: WorldBug with the nearest name and the ones there are.
    """
    _set_django_up()
    from worlds.engine import installed

    found: World = installed.get(name)
    return found


def worlds() -> list[str]:
    """The names of the installed worlds."""
    _set_django_up()
    from worlds.engine import installed

    return installed.names()


def _set_django_up() -> None:
    # Here rather than at import: a trainer that only uses the client needs no Django, and a Django project that
    # imports this module is set up already.
    import django
    from django.apps import apps

    if not apps.ready:
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "seahaven_site.settings")
        django.setup()
