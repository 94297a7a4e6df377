"""Which tools does an MCP client see, and what does a call answer?"""

from __future__ import annotations

from functools import cache
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError

from openenv_api import protocol
from openenv_api.mcp.errors import rpc_error
from openenv_api.mcp.guests import Context
from worlds.engine import ToolError, UnknownTool, World


async def list_tools(ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    """An empty list for the SDK to check; `published` puts the tools in it."""
    return types.ListToolsResult(tools=[])


@cache
def published(world: World) -> list[dict[str, Any]]:
    """The tools exactly as the world declares them. The SDK would order the keys of a schema anew."""
    return [
        {"name": tool.name, "description": tool.description, "inputSchema": tool.schema}
        for tool in world.surface.values()
    ]


async def call_tool(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    """Call a tool. A refusal is a result, for the agent to read and go on.

    Raises: MCPError for a tool that is not there, an instance that is over, and a bug.
    """
    try:
        return _answer(await ctx.lifespan_context.hosted.dispatch(params.name, params.arguments or {}))
    except UnknownTool as error:
        raise MCPError(types.INVALID_PARAMS, error.message, error.to_dict()) from None
    except ToolError as error:
        return _refusal(error)
    except Exception as error:
        raise rpc_error(error) from error


def _answer(result: bytes) -> types.CallToolResult:
    value = protocol.decode(result)
    text = value if isinstance(value, str) else result.decode()
    structured = value if isinstance(value, dict) else {"result": value}
    return types.CallToolResult(content=[types.TextContent(text=text)], structured_content=structured)


def _refusal(error: ToolError) -> types.CallToolResult:
    told = error.to_dict()
    text = error.message if error.is_plain else protocol.encode(told).decode()
    return types.CallToolResult(content=[types.TextContent(text=text)], structured_content=told, is_error=True)
