"""Is this an action: a call of a tool, or the wish to see the tools?"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from openenv_api.errors import InvalidFrame, invalid

_KEYS = frozenset({"type", "tool_name", "arguments", "metadata"})


class CallToolAction(BaseModel):
    """Call a tool."""

    model_config = ConfigDict(extra="forbid", strict=True)

    type: Annotated[Literal["call_tool"], Field(description="what kind of action this is")] = "call_tool"
    tool_name: Annotated[str, Field(description="the tool to call")]
    arguments: Annotated[dict[str, Any], Field(description="its arguments, by name")] = {}
    metadata: Annotated[dict[str, Any], Field(description="`request_id` in it is echoed in the answer's metadata")] = {}


class ListToolsAction(BaseModel):
    """List what can be called."""

    model_config = ConfigDict(extra="forbid", strict=True)

    type: Annotated[Literal["list_tools"], Field(description="what kind of action this is")]
    metadata: Annotated[dict[str, Any], Field(description="`request_id` in it is echoed in the answer's metadata")] = {}


class Action(NamedTuple):
    """An action that was read; without a tool it is the wish to see them."""

    tool: str | None
    arguments: dict[str, Any]
    request_id: Any


def read(data: Any) -> Action:
    """An action as clients send it.

    Raises: InvalidFrame with every violation.
    """
    if type(data) is dict and data.keys() <= _KEYS:  # the hot path; what it does not know is explained below
        kind, tool = data.get("type", "call_tool"), data.get("tool_name")
        arguments, metadata = data.get("arguments", {}), data.get("metadata", {})
        if type(arguments) is dict and type(metadata) is dict:
            if kind == "call_tool" and type(tool) is str:
                return Action(tool, arguments, metadata.get("request_id"))
            if kind == "list_tools" and "tool_name" not in data and "arguments" not in data:
                return Action(None, {}, metadata.get("request_id"))
    raise _explained(data)


def _explained(data: Any) -> InvalidFrame:
    is_listing = isinstance(data, dict) and data.get("type") == "list_tools"
    try:
        (ListToolsAction if is_listing else CallToolAction).model_validate(data)
    except ValidationError as error:
        return invalid("action", error)
    return InvalidFrame("Invalid action")
