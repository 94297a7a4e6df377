"""What JSON Schemas describe a world's actions, observations, state and resets?"""

from __future__ import annotations

from typing import Any

from openenv_api.actions import CallToolAction
from openenv_api.resets import ResetArguments
from worlds.engine import World
from worlds.engine.registrations import BUILT_IN_FORMATS
from worlds.engine.startup_schema import startup_schema

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_OBJECT: Schema = {"type": "object"}
_NUMBER_OR_NULL: Schema = {"type": ["number", "null"]}
#: The graders hold an observation together with these two, which stand beside it on the wire.
_AROUND: Schema = {"reward": _NUMBER_OR_NULL, "done": {"type": "boolean"}, "metadata": _OBJECT}
ERROR_TYPES = ("execution_error", "invalid_args", "transport_error", "tool_not_found", "timeout")


def document(world: World) -> Schema:
    """What `/schema` answers."""
    return {
        "action": _action(),
        "observation": {"title": "Observation", "anyOf": [_called(), _listed()]},
        "reset_observation": _began(),
        "state": _state(),
        "reset": _reset(world),
    }


def _object(title: str, properties: Schema, required: tuple[str, ...], *, more: bool = False) -> Schema:
    return {
        "title": title,
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": more,
    }


def _action() -> Schema:
    # `type` takes both kinds here, and a call alone needs a `tool_name`. Readers look for the title and for both
    # properties at the top, so this is no anyOf of two schemas.
    schema = CallToolAction.model_json_schema()
    properties = schema["properties"]
    properties["type"] = {"enum": ["call_tool", "list_tools"], "default": "call_tool"}
    listing = {"properties": {"type": {"const": "list_tools"}}, "required": ["type"]}
    return _object("CallToolAction", properties, ()) | {
        "if": listing,
        "then": {"properties": {"tool_name": False, "arguments": False}},
        "else": {"required": ["tool_name"]},
    }


def _called() -> Schema:
    failure = {"error_type": {"enum": list(ERROR_TYPES)}, "message": _TEXT}
    error = _object("ToolError", failure, tuple(failure))
    result = _object(
        "ToolResult",
        {
            "content": {"type": "array", "items": _OBJECT},
            "structured_content": _OBJECT,
            "data": {"description": "what the tool answered"},
            "is_error": {"const": False},
        },
        ("content", "structured_content", "data", "is_error"),
    )
    properties = {
        **_AROUND,
        "tool_name": _TEXT,
        "result": {"anyOf": [result, {"type": "null"}]},
        "error": {"anyOf": [error, {"type": "null"}]},
    }
    return _object("CallToolObservation", properties, ("tool_name", "result", "error"))


def _listed() -> Schema:
    tool = _object(
        "Tool",
        {"name": _TEXT, "description": _TEXT, "input_schema": _OBJECT},
        ("name", "description", "input_schema"),
    )
    properties = {**_AROUND, "tools": {"type": "array", "items": tool}}
    return _object("ListToolsObservation", properties, ("tools",))


def _began() -> Schema:
    metadata = {
        "world": _TEXT,
        "fixture": {"type": ["string", "null"]},
        "now": _TEXT,
        "clock_mode": _TEXT,
        "tools": {"type": "array", "items": _TEXT},
        "session_id": _TEXT,
        "resume_token": _TEXT,
    }
    return _object(
        "ResetObservation",
        {**_AROUND, "metadata": _object("ResetMetadata", metadata, tuple(metadata), more=True)},
        ("metadata",),
    )


def _state() -> Schema:
    return _object(
        "State",
        {
            "format": _TEXT,
            "world": _OBJECT,
            "fixture": {"type": ["object", "null"]},
            "episode_id": {"type": ["string", "null"]},
            "seed": {"type": ["integer", "null"]},
            "now": {"type": ["string", "null"]},
            "clock_mode": {"type": ["string", "null"]},
            "call_count": {"type": "integer", "minimum": 0},
            "step_count": {"type": "integer", "minimum": 0},
            "state": _OBJECT,
        },
        ("format", "world", "episode_id", "call_count", "step_count", "state"),
        more=True,
    )


def _reset(world: World) -> Schema:
    """The arguments of a reset, with what this world has to choose from today."""
    schema = ResetArguments.model_json_schema()
    properties = schema["properties"]
    properties["fixture"] |= {"enum": [*world.fixture_ids(), None]}
    properties["state_format"] |= {"enum": [*BUILT_IN_FORMATS, *world.state_formats, None]}
    properties["startup"] = _startup(world)
    return schema


def _startup(world: World) -> Schema:
    schema = startup_schema(world)
    return {
        "type": ["object", "null"],
        "description": "keywords for the world's startup hooks",
        "properties": schema["properties"],
        "additionalProperties": schema["additionalProperties"],
    }
