"""Which published operation does a request ask for?"""

from __future__ import annotations

import functools
from typing import Any
from urllib.parse import unquote

from worlds.stripe import facts
from worlds.stripe.api.errors import unknown_url


def route(method: str, path: str) -> tuple[facts.Operation, dict[str, str]]:
    """The operation and the values in its path; fixed words outrank placeholders.

    Raises: StripeError for a path that leads nowhere, and for a method it does not take.
    """
    parts = path.strip("/").split("/")
    found = _find(_tree(), parts, method, ())
    if found is None:
        raise unknown_url(method, path)
    operation, values = found
    names = [part[1:-1] for part in operation.path.split("/") if part.startswith("{")]
    return operation, {name: unquote(value) for name, value in zip(names, values, strict=True)}


_ANY = "{}"


@functools.cache
def _tree() -> dict[str, Any]:
    """Every path as a tree of its parts; `{}` stands for a placeholder, a method for an operation."""
    root: dict[str, Any] = {}
    for operation in facts.operations().values():
        here = root
        for part in operation.path.strip("/").split("/"):
            here = here.setdefault(_ANY if part.startswith("{") else part, {})
        here[f" {operation.method}"] = operation
    return root


def _find(
    here: dict[str, Any], parts: list[str], method: str, values: tuple[str, ...]
) -> tuple[facts.Operation, tuple[str, ...]] | None:
    if not parts:
        operation = here.get(f" {method}")
        return None if operation is None else (operation, values)
    part, rest = parts[0], parts[1:]
    if part in here and (found := _find(here[part], rest, method, values)):
        return found
    if _ANY in here and part:
        return _find(here[_ANY], rest, method, (*values, part))
    return None
