"""How is a parameter described to somebody who cannot see the published document?"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from worlds.stripe import facts

_TYPES = {"i": "integer", "ts": "integer", "n": "number", "b": "boolean", "any": "object", "bin": "file"}
_DEEPEST = 6


@functools.cache
def _known() -> dict[str, str]:
    """What parameters of one name mean wherever they stand, in our words."""
    text = Path(__file__).with_name("parameters.json").read_text(encoding="utf-8")
    found: dict[str, str] = json.loads(text)
    return found


def sentence(name: str) -> str:
    """What a parameter is, by its name."""
    return _known().get(name) or f"The {name.replace('_', ' ')}."


def parameters(fields: Mapping[str, Any], required: Sequence[str], depth: int = 0) -> dict[str, Any]:
    """Every parameter by its name, required ones first."""
    names = sorted(fields, key=lambda name: (name not in required, name))
    return {
        name: {"required": name in required, "description": sentence(name), **_shape(fields[name], depth)}
        for name in names
    }


def _shape(kind: Any, depth: int) -> dict[str, Any]:
    kind = facts.resolved(kind)
    if isinstance(kind, str):
        return {"type": _TYPES.get(kind, "string")}
    match kind:
        case ["enum", words]:
            return {"type": "string", "enum": words}
        case ["array", inner]:
            return {"type": "array", "items": _shape(inner, depth + 1)}
        case ["map", _]:
            return {"type": "object"}
        case ["object", fields, *rest]:
            if depth >= _DEEPEST:
                return {"type": "object"}
            return {"type": "object", "properties": parameters(fields, rest[0] if rest else (), depth + 1)}
        case ["clearable", inner]:
            found = _shape(inner, depth)
            return {**found, "type": _either([found["type"], "string"]), "enum": [*found.get("enum", ()), ""]}
        case ["null", inner]:
            return _shape(inner, depth)
        case ["any_of", choices]:
            shapes = [_shape(each, depth) for each in choices]
            merged: dict[str, Any] = {}
            for shape in reversed(shapes):
                merged |= shape
            return {**merged, "type": _either([shape["type"] for shape in shapes])}
    return {"type": "string"}


def _either(types: Sequence[str]) -> str:
    """`object | string`."""
    return " | ".join(dict.fromkeys(word for each in types for word in each.split(" | ")))


def answer(operation: facts.Operation) -> str:
    """What an operation answers, in a few words."""
    found = operation.answer
    if isinstance(found, dict):
        (found,) = found.values()
        return f"a list of {_named(found)} objects"
    return f"a {_named(found)} object" if found else "nothing but that it was done"


def _named(answer: Any) -> str:
    return " or ".join(answer) if isinstance(answer, list) else str(answer)
