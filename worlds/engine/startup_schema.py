"""Which JSON Schema has `startup=` of a world: its keywords, with their types, defaults and what each is for?"""

from __future__ import annotations

import inspect
from typing import Any, get_type_hints

from pydantic import PydanticSchemaGenerationError, PydanticUserError, TypeAdapter
from pydantic.json_schema import PydanticInvalidForJsonSchema

from worlds.engine.composing import Branch, tree_of
from worlds.engine.hooks import StartupHook
from worlds.engine.registrations import Registrations


def startup_schema(world: Registrations) -> dict[str, Any]:
    """The schema of an object of keywords, over all embedded worlds; `{}` stands for a keyword without a known type."""
    properties: dict[str, Any] = {}
    required: list[str] = []
    for branch in tree_of(world).branches.values():
        for hook in branch.world.startup_hooks:
            for keyword in (name for name in inspect.signature(hook.fn).parameters if name in hook.keywords):
                if keyword in branch.startup or keyword in properties:
                    continue
                properties[keyword] = _described(hook, keyword, branch)
                required += [keyword] * (keyword in hook.required)
    return {
        "type": "object",
        "properties": {keyword: properties[keyword] for keyword in sorted(properties)},
        "required": sorted(required),
        "additionalProperties": tree_of(world).startup_keywords()[1],
    }


def _described(hook: StartupHook, keyword: str, branch: Branch) -> dict[str, Any]:
    schema = dict(_schema_of(hook, keyword))
    text = " ".join(inspect.cleandoc(hook.fn.__doc__ or "").split("\n\n")[0].split())
    if text:
        schema.setdefault("description", text)
    default = inspect.signature(hook.fn).parameters[keyword].default
    if isinstance(default, str | int | float | bool | None):
        schema["default"] = default
    return schema


def _schema_of(hook: StartupHook, keyword: str) -> dict[str, Any]:
    try:
        annotation = get_type_hints(hook.fn, include_extras=True).get(keyword, Any)
        return TypeAdapter(annotation).json_schema()
    except (NameError, TypeError, PydanticUserError, PydanticSchemaGenerationError, PydanticInvalidForJsonSchema):
        return {}  # the hook itself says what it takes
