"""What does `manage.py seahaven_new` do, and what does it tell?"""

from __future__ import annotations

from worlds.engine.scaffold.example import example
from worlds.engine.scaffold.openapi.blueprint import Blueprint
from worlds.engine.scaffold.openapi.document import read
from worlds.engine.scaffold.openapi.reading import blueprint
from worlds.engine.scaffold.openapi.world import world
from worlds.engine.scaffold.place import Place, place_of
from worlds.engine.scaffold.writing import write

#: So many resources, and operations that were left out, are told.
_SHOWN = 15


def begin(name: str, *, folder: str | None, label: str | None, description: str, document: str | None) -> str:
    """Write a world and answer what there is to know about it now.

    Raises: WorldBug for a name, folder or document that does not do; nothing is written then.
    """
    place = place_of(name, folder=folder, label=label)
    if document is not None:
        made = blueprint(read(document))
        files = world(place, made, description)
        return "\n".join([_told(place, len(files) + 1, write(place, files)), *modelled(made)])
    title = name.replace("_", " ").capitalize()
    files = example(place, description or f"{title}: items that people book for a time.")
    return _told(place, len(files) + 1, write(place, files))


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


def modelled(made: Blueprint) -> list[str]:
    """What came of the document."""
    tools = sum(len(resource.operations) for resource in made.resources)
    lines = [f"modelled: {_counted(tools, 'operation')} on {_counted(len(made.resources), 'resource')}"]
    lines += [
        f"  {resource.class_name}: {', '.join(operation.tool for operation in resource.operations) or 'no tools'}"
        for resource in made.resources[:_SHOWN]
    ]
    if len(made.resources) > _SHOWN:
        lines.append(f"  and {len(made.resources) - _SHOWN} more")
    if made.left_out:
        lines.append(
            f"not modelled: {_counted(len(made.left_out), 'operation')}, which AGENTS.md lists for you to write"
        )
        lines += [f"  {name}: {why}" for name, why in made.left_out[:_SHOWN]]
        if len(made.left_out) > _SHOWN:
            lines.append(f"  and {len(made.left_out) - _SHOWN} more")
    return lines


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _how_to_list(place: Place) -> str:
    if place.is_home:
        return (
            f'now list it: add "{place.package}" to the default of SEAHAVEN_WORLDS in seahaven_site/settings.py, and '
            f"to SHIPPED in tests/settings.py"
        )
    return f'now list it: add "{place.package}" to the worlds of add_seahaven(…) in the settings, or to INSTALLED_APPS'
