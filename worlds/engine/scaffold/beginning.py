"""What does `manage.py seahaven_new` do, and what does it tell?"""

from __future__ import annotations

from worlds.engine.scaffold.example import example
from worlds.engine.scaffold.place import Place, place_of
from worlds.engine.scaffold.writing import write


def begin(name: str, *, folder: str | None, label: str | None, description: str, document: str | None) -> str:
    """Write a world and answer what there is to know about it now.

    Raises: WorldBug for a name, folder or document that does not do; nothing is written then.
    """
    place = place_of(name, folder=folder, label=label)
    title = name.replace("_", " ").capitalize()
    files = example(place, description or f"{title}: items that people book for a time.")
    counts = write(place, files)
    return _told(place, len(files) + 1, counts)


def _told(place: Place, files: int, counts: dict[str, int]) -> str:
    fixtures = ", ".join(f"{fixture} ({rows} rows)" for fixture, rows in counts.items())
    return "\n".join(
        [
            f"wrote {place.app} and {place.tests}: {files} files; frozen: {fixtures}",
            _how_to_list(place),
            f"then: python -m pytest {place.tests.relative_to(place.root)}",
            f"read {place.app.relative_to(place.root) / 'AGENTS.md'} before you change it",
        ]
    )


def _how_to_list(place: Place) -> str:
    if place.is_home:
        return (
            f'now list it: add "{place.package}" to the default of SEAHAVEN_WORLDS in seahaven_site/settings.py, and '
            f"to SHIPPED in tests/settings.py"
        )
    return f'now list it: add "{place.package}" to the worlds of add_seahaven(…) in the settings, or to INSTALLED_APPS'
