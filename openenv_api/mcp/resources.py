"""What may an MCP client read of a world besides its tools? Never a row, and nothing an agent could not learn."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import mcp_types as types
import orjson
from mcp.shared.exceptions import MCPError

from openenv_api.mcp.errors import rpc_error
from openenv_api.mcp.guests import Context, Guest
from worlds.engine.agent_sql import tables_described_by
from worlds.engine.composing import tree_of
from worlds.engine.instance import Instance
from worlds.engine.names import nearest


class Page(NamedTuple):
    """One resource."""

    title: str
    description: str
    mime_type: str
    read: Callable[[Guest], Awaitable[str]]


async def _description(guest: Guest) -> str:
    return guest.world.description


async def _fixtures(guest: Guest) -> str:
    found = await guest.hosted.run(guest.world.fixtures)  # reads files
    return _json([{"id": each.id, "description": each.description, "now": each.now} for each in found])


async def _schema(guest: Guest) -> str:
    instance = guest.hosted.instance
    assert instance is not None, "a greeted guest has one"
    return _json(await guest.hosted.run(described, instance))


def described(instance: Instance) -> dict[str, Any]:
    """The tables that tools of the world describe to an agent, by the path of their node; other tables are not told."""
    tables: dict[str, dict[str, None]] = {path: {} for path in tree_of(instance.world).branches}
    for route in tree_of(instance.world).surface.values():
        tables[route.owner] |= dict.fromkeys(tables_described_by(route.tool))
    inspector = instance.inspect()
    return {
        "nodes": {
            path: {"world": node["world"], "tables": inspector.describe(tables[path], path)}
            for path, node in instance.composition().items()
        }
    }


def _json(value: Any) -> str:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


PAGES = {
    "description": Page("Description", "What this world is.", "text/plain", _description),
    "fixtures": Page("Fixtures", "The starting states there are.", "application/json", _fixtures),
    "schema": Page(
        "Schema", "The tables that can be queried, with their columns and keys.", "application/json", _schema
    ),
}


async def list_resources(ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
    world = ctx.lifespan_context.world.name
    return types.ListResourcesResult(
        resources=[
            types.Resource(
                uri=_uri(world, name),
                name=name,
                title=page.title,
                description=page.description,
                mime_type=page.mime_type,
            )
            for name, page in PAGES.items()
        ]
    )


async def list_templates(
    ctx: Context, params: types.PaginatedRequestParams | None
) -> types.ListResourceTemplatesResult:
    return types.ListResourceTemplatesResult(resource_templates=[])


async def read_resource(ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    """Read one.

    Raises: MCPError for one that is not there, with the nearest.
    """
    guest, uri = ctx.lifespan_context, str(params.uri)
    pages = {_uri(guest.world.name, name): page for name, page in PAGES.items()}
    if uri not in pages:
        near = nearest(uri, pages)
        hint = f" Did you mean {near!r}?" if near else f" There are: {', '.join(pages)}."
        raise MCPError(types.INVALID_PARAMS, f"Unknown resource: {uri!r:.200}.{hint}", {"uri": uri})
    try:
        text = await pages[uri].read(guest)
    except Exception as error:
        raise rpc_error(error) from error
    contents = types.TextResourceContents(uri=uri, mime_type=pages[uri].mime_type, text=text)
    return types.ReadResourceResult(contents=[contents])


def _uri(world: str, name: str) -> str:
    return f"seahaven://{world}/{name}"
