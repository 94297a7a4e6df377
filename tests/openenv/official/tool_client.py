"""Does the official tool client drive the server at this URL? Run in the environment that has `openenv`."""

import asyncio
import sys

from openenv.core import CallToolAction, ListToolsAction, MCPToolClient  # type: ignore[import-not-found]

URL = sys.argv[1]


async def drive():
    async with MCPToolClient(base_url=URL) as env:
        began = await env.reset(seed=1, episode_id="ep-M")
        assert began.done is False
        tools = await env.list_tools()
        assert "deposit" in [tool.name for tool in tools]
        assert await env.call_tool("deposit", amount=4) == 4
        assert await env.call_tool("read_balance") == {"balance": 4}
        assert "boom: x" in await refusal(env.call_tool("boom", why="x"))
        stepped = await env.step(CallToolAction(tool_name="deposit", arguments={"amount": 2}))
        assert stepped.observation.result["data"] == 6
        refused = await env.step(CallToolAction(tool_name="nope", arguments={}))
        assert refused.observation.error.error_type.value == "tool_not_found"
        listed = await env.step(ListToolsAction())
        assert len(listed.observation.tools) == len(tools)
        state = await env.state()
        assert (state.episode_id, state.step_count) == ("ep-M", 6)
        assert await env.has_tool("deposit")
        assert (await env.get_tool("deposit")).input_schema["required"] == ["amount"]


async def refusal(call):
    try:
        await call
    except RuntimeError as error:
        return str(error)
    raise AssertionError("a tool that fails must raise")


def drive_blocking():
    with MCPToolClient(base_url=URL).sync() as env:
        env.reset(seed=1, episode_id="ep-M")
        assert "deposit" in [tool.name for tool in env.list_tools()]
        assert env.call_tool("deposit", amount=4) == 4
        assert env.step(CallToolAction(tool_name="deposit", arguments={"amount": 2})).observation.result["data"] == 6
        assert env.state().step_count == 2


asyncio.run(drive())
drive_blocking()
