"""Which words of a description are names of tools, as an agent would take them?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

#: `in_backticks` or `called(…)` there, else a word that is written_like_this; never a part of a path or a longer word.
_WORD = re.compile(
    r"`(?P<quoted>[A-Za-z][A-Za-z0-9_-]*)(?P<rest>\([^`]*\))?`|(?<![\w./`-])(?P<bare>[a-z][a-z0-9]*(?:_[a-z0-9]+)+)(?![\w/`-])"
)


def mentioned(text: str) -> Iterator[str]:
    """Words that may be names of tools, in order."""
    for match in _WORD.finditer(text):
        yield match["quoted"] or match["bare"]


def renamed(text: str, names: Mapping[str, str]) -> str:
    """The text with tools called by other names."""

    def change(match: re.Match[str]) -> str:
        word = match["quoted"] or match["bare"]
        if word not in names:
            return match.group()
        return f"`{names[word]}{match['rest'] or ''}`" if match["quoted"] else names[word]

    return _WORD.sub(change, text)


def descriptions(schema: Any) -> Iterator[str]:
    """Every description in a JSON Schema."""
    for holder in _described(schema):
        yield holder["description"]


def rename_in(schema: Any, names: Mapping[str, str]) -> None:
    """Call tools by other names in every description of a JSON Schema, in place."""
    for holder in _described(schema):
        holder["description"] = renamed(holder["description"], names)


def _described(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        if isinstance(schema.get("description"), str):
            yield schema
        for each in schema.values():
            yield from _described(each)
    elif isinstance(schema, list):
        for each in schema:
            yield from _described(each)
