"""Where does a new world go, and what keeps it from going there?"""

from __future__ import annotations

import keyword
import os
import re
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from django.apps import apps
from django.conf import settings

from worlds.engine import installed
from worlds.engine.errors import WorldBug

_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_LONGEST = 40
#: What would be told apart from a world only with care: folders and words of the framework.
_TAKEN = frozenset({"cast", "engine", "fixtures", "instance", "main", "seahaven", "tests", "tool", "tools", "world"})


@dataclass(frozen=True, slots=True)
class Place:
    """Where a world's parts go; every folder is below `root`, which is on Python's path."""

    name: str
    label: str
    #: The app's dotted name, "library" or "worlds.library".
    package: str
    root: Path
    app: Path
    tests: Path
    fixtures: Path
    #: Inside the project that the engine itself is developed in?
    is_home: bool

    @property
    def first_party(self) -> frozenset[str]:
        """The packages that stand last among imports."""
        at_home = {"seahaven", "seahaven_site", "worlds", "openenv_api", "console"} if self.is_home else set()
        return frozenset({"tests", self.package.partition(".")[0], *at_home})


def place_of(name: str, *, folder: str | None = None, label: str | None = None) -> Place:
    """Where a world named `name` goes: beside the other worlds, or beside a project's other apps, or into `folder`.

    Raises: WorldBug naming what is in the way, and the fix.
    """
    _check_name(name, "a world's name")
    _check_name(label or name, "an app label")
    if not hasattr(settings, "SEAHAVEN_FIXTURES_DIR"):
        raise WorldBug(
            "the settings say nothing of Seahaven; write at their end: from seahaven_site.joining import add_seahaven; "
            "add_seahaven(globals(), worlds=[])"
        )
    root = Path(getattr(settings, "BASE_DIR", Path.cwd())).resolve()
    engine = Path(__file__).resolve().parents[1]
    is_home = engine == root / "worlds" / "engine"
    parent = (root / folder).resolve() if folder is not None else root / "worlds" if is_home else root
    if not parent.is_dir():
        raise WorldBug(f"--dir: there is no folder {parent}; make it, with an __init__.py, or leave --dir out")
    if parent != root and root not in parent.parents:
        raise WorldBug(
            f"--dir: {parent} is outside of {root}, where Python finds the project's apps; choose one inside"
        )
    parts = parent.relative_to(root).parts
    if strange := [part for part in parts if not part.isidentifier() or keyword.iskeyword(part)]:
        raise WorldBug(f"--dir: {strange[0]!r} cannot be a Python package; rename that folder or choose another")
    fixtures = Path(settings.SEAHAVEN_FIXTURES_DIR).resolve() / name
    place = Place(
        name, label or name, ".".join((*parts, name)), root, parent / name, root / "tests" / name, fixtures, is_home
    )
    _check_free(place)
    return place


def _check_name(name: str, what: str) -> None:
    fix = "choose a short noun in lower case, such as library or parcel_service"
    if not _NAME.fullmatch(name):
        near = re.sub(r"[^a-z0-9]+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()).strip("_")
        if near and _NAME.fullmatch(near):
            fix = f"write {near}"
        raise WorldBug(f"{name!r} cannot be {what}: letters a to z, digits and single _ between them; {fix}")
    if len(name) > _LONGEST:
        raise WorldBug(f"{name!r} cannot be {what}: it has more than {_LONGEST} characters; {fix}")
    if keyword.iskeyword(name) or keyword.issoftkeyword(name):
        raise WorldBug(f"{name!r} cannot be {what}: it is a keyword of Python; write {name}_world")
    if name in sys.stdlib_module_names or name in sys.builtin_module_names:
        raise WorldBug(f"{name!r} cannot be {what}: Python's own module {name} has it; write {name}_world")
    if name in _TAKEN:
        raise WorldBug(f"{name!r} cannot be {what}: it is a word of the framework; write {name}_world")


def _check_free(place: Place) -> None:
    if place.name in installed.names():
        raise WorldBug(f"a world named {place.name} is installed already; choose another name")
    for config in apps.get_app_configs():
        if config.label == place.label:
            raise WorldBug(
                f"the installed app {config.name} has the label {place.label}; choose another name, or --label"
            )
        if config.name == place.package:
            raise WorldBug(f"an app {config.name} is installed already; choose another name")
    for path in (place.app, place.tests, place.fixtures):
        if os.path.lexists(path):
            raise WorldBug(f"{path} exists already; nothing is overwritten: remove it, or choose another name or --dir")
    if "." not in place.package and find_spec(place.package) is not None:
        raise WorldBug(f"Python has a module {place.package} already, which the app would hide; choose another name")
