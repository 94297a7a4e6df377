"""Does an agent read of every tool what it does, in names it can call?"""

from __future__ import annotations

import inspect
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from worlds.engine import mentions
from worlds.engine.checking.findings import Finding
from worlds.engine.checking.targets import Target
from worlds.engine.composing import Route, Tree
from worlds.engine.tools import Tool

_ENGINE = Path(mentions.__file__).parent


def check(target: Target) -> Iterator[Finding]:
    """W203: a tool that says nothing of itself."""
    assert target.world is not None
    for tool in target.world.tools.values():
        if not tool.description.strip():
            file, line = place(tool)
            hint = f"write a docstring for {tool.fn.__module__}.{tool.fn.__qualname__}: it is what the agent reads"
            message = f"tool {tool.name} of world {target.name} has no description"
            yield Finding("worlds.W203", message, hint, file, line, line, f"{target.name}.{tool.name}")


def check_names(target: Target, tree: Tree) -> Iterator[Finding]:
    """W206: a description that names a tool as the agent cannot call it here. W207: a tool under two names."""
    own: dict[tuple[str, Any], list[str]] = defaultdict(list)
    for name, route in tree.surface.items():
        own[route.owner, route.tool.fn].append(name)
    for (owner, _), names in own.items():
        if len(names) > 1:
            file, line = target.apps_place()
            message = f"{' and '.join(names)} are one tool on one store, {owner}"
            hint = f"leave one out where it is embedded: without_tools=[…], so that {names[0]} is left"
            yield Finding("worlds.W207", message, hint, file, line, line, f"{target.name}.{names[1]}")
    for name, route in tree.surface.items():
        beside = tree.surface_of(route.owner)
        words = dict.fromkeys(mentioned(route.tool))
        taken = set(route.tool.schema.get("properties", {}))
        for word in words:
            if word in beside and word not in taken and not _is_same(tree.surface.get(word), beside[word]):
                yield _uncallable(target, tree, name, route, word, own)


def _is_same(one: Route | None, other: Route) -> bool:
    """Does a name lead to the same tool from two places?"""
    return one is not None and (one.owner, one.tool.fn) == (other.owner, other.tool.fn)


def _uncallable(
    target: Target, tree: Tree, name: str, route: Route, word: str, own: Mapping[tuple[str, Any], list[str]]
) -> Finding:
    meant = tree.surface_of(route.owner)[word]
    here = own.get((meant.owner, meant.tool.fn), [])
    told = "which the agent cannot call here"
    if here or word in tree.surface:
        told = f"which is called {' or '.join(here)} here" if here else "which is another tool here"
    file, line = place(route.tool)
    hint = (
        f"say in the description what is done rather than by which tool, or embed it so that {word} can be called "
        f"under that name"
    )
    message = f"tool {name} of world {target.name}: its description names {word}, {told}"
    return Finding("worlds.W206", message, hint, file, line, line, f"{target.name}.{name}")


def mentioned(tool: Tool) -> Iterator[str]:
    """Words of a tool's descriptions that may be names of tools."""
    for text in (tool.description, *mentions.descriptions(tool.schema)):
        yield from mentions.mentioned(text)


def place(tool: Tool) -> tuple[Path | None, int]:
    """Where a tool's function begins: its `def`."""
    function = inspect.unwrap(tool.fn)
    code = getattr(function, "__code__", None)
    if code is None:
        return None, 0
    file = Path(code.co_filename)
    if file.is_relative_to(_ENGINE):
        return None, 0  # made by the engine, so nothing of the author's to comment on
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError:
        return None, 0
    # A decorated function's code begins at its first decorator.
    for number in range(code.co_firstlineno, len(lines) + 1):
        if re.match(r"\s*(async\s+)?def\s", lines[number - 1]) or "lambda" in lines[number - 1]:
            return file, number
    return file, code.co_firstlineno
