"""How is a world embedded in another declared?"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from worlds.engine.errors import WorldBug

_EMBEDDED_NAME = re.compile(r"[a-z][a-z0-9_]*")
#: What SQLite calls databases of its own; an embedded store is attached under its name.
_TAKEN_NAMES = ("main", "temp")


@dataclass(frozen=True, slots=True)
class Embedding:
    """A world inside another, as its host declared it; `world` may be the name of one that Django loads later."""

    world: Any
    name: str
    tool_prefix: str
    #: The only tools the agent may call, or None; those it may not.
    tools: frozenset[str] | None
    without_tools: frozenset[str]
    startup: Mapping[str, Any]
    scope: str | None


def check_embedding(
    host: str, taken: Mapping[str, Any], name: Any, prefix: Any, tools: Any, without: Any, startup: Any, scope: Any
) -> None:
    """Refuse what can be told to be wrong before the worlds are composed.

    Raises: WorldBug naming the host, the embedding and the edit to make.
    """
    where = f"world {host}: embed"
    if not isinstance(name, str) or not _EMBEDDED_NAME.fullmatch(name) or "__" in name or name in _TAKEN_NAMES:
        raise WorldBug(
            f"{where}: {name!r:.60} cannot be a world's name here; use lower case letters, digits and single '_', "
            f"beginning with a letter, and neither main nor temp"
        )
    if name in taken:
        raise WorldBug(f"{where}: {name!r} is taken; embed the second world under another name=")
    if not isinstance(prefix, str):
        raise WorldBug(f"{where} {name}: tool_prefix is {prefix!r:.60}; it must be text such as {name + '_'!r}")
    for option, listed in (("tools", tools), ("without_tools", without)):
        if isinstance(listed, str):
            raise WorldBug(f"{where} {name}: {option} is a collection of names; write [{listed!r}]")
    if tools is not None and without:
        raise WorldBug(f"{where} {name}: give tools or without_tools, not both")
    if startup is not None and not isinstance(startup, Mapping):
        raise WorldBug(f"{where} {name}: startup must be a mapping of keywords, not {type(startup).__name__}")
    if scope is not None and not (isinstance(scope, str) and scope.strip()):
        raise WorldBug(f"{where} {name}: scope is {scope!r:.60}; give it a name, or leave it out")
