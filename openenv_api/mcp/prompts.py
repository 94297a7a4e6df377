"""Which tasks of its world can an MCP client pick, as prompts?"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import mcp_types as types
from mcp.shared.exceptions import MCPError

from openenv_api.mcp.guests import Context
from worlds.engine import World
from worlds.engine.names import nearest


class Prompt(NamedTuple):
    """A task as a person picks it, and as the agent is told it."""

    name: str
    description: str
    instruction: str


#: Who knows the tasks of a world; each answers those it knows, in order.
SOURCES: list[Callable[[World], Iterable[Prompt]]] = []


async def list_prompts(ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
    found = _prompts(ctx.lifespan_context.world).values()
    return types.ListPromptsResult(prompts=[types.Prompt(name=p.name, description=p.description) for p in found])


async def get_prompt(ctx: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    """One task, as the user's message.

    Raises: MCPError for one that is not there, with the nearest.
    """
    prompts = _prompts(ctx.lifespan_context.world)
    prompt = prompts.get(params.name)
    if prompt is None:
        near = nearest(params.name, prompts)
        hint = f" Did you mean {near!r}?" if near else ""
        raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {params.name!r:.200}.{hint}")
    message = types.PromptMessage(role="user", content=types.TextContent(text=prompt.instruction))
    return types.GetPromptResult(description=prompt.description, messages=[message])


def _prompts(world: World) -> dict[str, Prompt]:
    return {prompt.name: prompt for source in SOURCES for prompt in source(world)}
