"""Which worlds could not be loaded, and what did they raise?

Whoever checks a world asks what is wrong with it, so one that does not load must not keep the check from answering.
While Django is set up for a checking command, what the modules of a world raise is kept here; otherwise it is raised.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.apps import AppConfig
from django.conf import settings

#: The commands that tell of a world what keeps it from loading.
COMMANDS = ("check", "seahaven_check")
#: What was raised, by the dotted name of the app.
failures: dict[str, Exception] = {}


def is_checking() -> bool:
    """Does this process check worlds, and nothing else?"""
    return sys.argv[1:2] != [] and sys.argv[1] in COMMANDS


@contextmanager
def noted(app: str) -> Iterator[None]:
    """Keep what loading a part of a world raises, for the check to tell; without a check it is raised."""
    try:
        yield
    except Exception as error:
        if not is_checking():
            raise
        failures.setdefault(app, error)


def set_aside(after: str) -> None:
    """Take worlds whose app cannot even be imported out of the apps that Django is about to load."""
    installed: Any = settings.INSTALLED_APPS
    if not is_checking() or not isinstance(installed, list) or after not in installed:
        return
    for entry in installed[installed.index(after) + 1 :]:
        if is_world(entry):
            try:
                AppConfig.create(entry)
            except Exception as error:
                failures[entry] = error
                installed.remove(entry)


def is_world(entry: str) -> bool:
    """Is an entry of INSTALLED_APPS meant to be a world? Its modules are read, not imported."""
    if entry in getattr(settings, "WORLDS", ()):
        return True
    folder = folder_of(entry)
    file = folder / "apps.py" if folder else None
    return file is not None and file.is_file() and "WorldConfig" in file.read_text(encoding="utf-8", errors="replace")


def folder_of(entry: str) -> Path | None:
    """The folder of an app, whether or not it can be imported."""
    for name in (entry, entry.partition(".apps.")[0]):
        try:
            spec = find_spec(name)
        except (ImportError, ValueError, AttributeError):
            continue
        if spec is not None and spec.submodule_search_locations:
            return Path(next(iter(spec.submodule_search_locations)))
    return None
