"""What does a world offer an MCP client, whichever transport brings it?"""

from __future__ import annotations

import copy
from contextlib import nullcontext
from functools import cache
from typing import Any

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError

from openenv_api.mcp import calls, prompts, resources
from openenv_api.mcp.errors import beginning_error
from openenv_api.mcp.guests import Context, Guest
from worlds.engine import World


@cache
def server_of(world: World) -> Server[Any]:
    """The server of a world; it has no state, so all its clients share it."""
    server: Server[Any] = Server(
        world.name,
        version=world.version,
        instructions=world.description,
        get_tool_input_schema=lambda name: None,  # no tool has an argument that is sent as a header, too
        on_list_tools=calls.list_tools,
        on_call_tool=calls.call_tool,
        on_list_resources=resources.list_resources,
        on_list_resource_templates=resources.list_templates,
        on_read_resource=resources.read_resource,
        on_list_prompts=prompts.list_prompts,
        on_get_prompt=prompts.get_prompt,
    )
    server.middleware += [greet, check_cursor, publish_tools]
    return server


def server_for(guest: Guest) -> Server[Any]:
    """The server of a guest's world, for transports that ask the server for what its handlers are given."""
    server = copy.copy(server_of(guest.world))
    server.lifespan = lambda _: nullcontext(guest)
    return server


async def greet(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Make the instance once `initialize` has shown to be one; if it cannot begin, nor does the session."""
    result = await call_next(ctx)
    if ctx.method == "initialize":
        guest = ctx.lifespan_context
        try:
            await guest.arrive()
        except Exception as error:
            raise beginning_error(error) from error
        guest.was_greeted = True
    return result


async def check_cursor(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Refuse a cursor: every list is one page."""
    if ctx.method.endswith("/list") and ctx.params and ctx.params.get("cursor") is not None:
        raise MCPError(types.INVALID_PARAMS, "Unknown cursor: the list has one page")
    return await call_next(ctx)


async def publish_tools(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Put the tools into their list, as they are declared."""
    result = await call_next(ctx)
    if ctx.method == "tools/list" and isinstance(result, dict):
        result["tools"] = calls.published(ctx.lifespan_context.world)
    return result
