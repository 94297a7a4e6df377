"""Which names may a world, a fixture, a state format or a store have?"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from worlds.engine.errors import WorldBug

_ALLOWED = re.compile(r"[A-Za-z0-9 ._-]+")
_DEVICES = re.compile(r"(con|prn|aux|nul|com[1-9]|lpt[1-9])(\..*)?", re.IGNORECASE)
_FORMAT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*/[1-9][0-9]*")


def check_name(value: object, what: str) -> str:
    """A name that is safe as a folder on every system; answers it.

    Raises: WorldBug naming the clause that is broken.
    """
    if not isinstance(value, str):
        raise WorldBug(f"{value!r:.60} is not {what}: it must be text")
    if not 1 <= len(value) <= 128:
        broken = "it must have 1 to 128 characters"
    elif not _ALLOWED.fullmatch(value):
        broken = "only ASCII letters, digits, space, '.', '-' and '_' may stand in it"
    elif value[0] in " ." or value[-1] in " .":
        broken = "it must not begin or end with a space or a dot"
    elif _DEVICES.fullmatch(value):
        broken = "Windows keeps that name for a device"
    else:
        return value
    raise WorldBug(f"{value[:140]!r} is not {what}: {broken}")


def check_format(value: str) -> str:
    """A state format's name, `family/version`; answers it."""
    if not isinstance(value, str) or not _FORMAT.fullmatch(value):
        raise WorldBug(f"{value!r:.60} is no state format's name; write family/1, with a whole number from 1")
    return value


def schema_name(path: str) -> str:
    """A node's path as SQL names its store, "shop__payments"."""
    return path.replace("/", "__")


def quoted(name: str) -> str:
    """A name of a table or a column as SQL takes it, whatever stands in it."""
    return '"' + name.replace('"', '""') + '"'


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name most like a mistyped one, or None."""
    found = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return found[0] if found else None
