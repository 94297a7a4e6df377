"""Does the official generic client drive the server at this URL? Run in the environment that has `openenv`."""

import asyncio
import sys

from openenv.core import CallToolAction, GenericAction, GenericEnvClient  # type: ignore[import-not-found]

URL = sys.argv[1]
DEPOSIT = {"type": "call_tool", "tool_name": "deposit", "arguments": {"amount": 4}}


def check(began, listed, stepped, refused, state):
    assert began.done is False
    assert began.metadata["world"] == "bank"
    assert "deposit" in [tool["name"] for tool in listed.observation["tools"]]
    assert stepped.observation["result"]["data"] == 4
    assert stepped.observation["error"] is None
    assert refused.observation["error"] == {"error_type": "execution_error", "message": "boom: x"}
    assert refused.metadata["seahaven_error"]["code"] == "boom"
    assert (state["episode_id"], state["step_count"]) == ("ep-G", 3)


async def drive():
    async with GenericEnvClient(base_url=URL) as env:
        began = await env.reset(seed=1, episode_id="ep-G")
        listed = await env.step({"type": "list_tools"})
        stepped = await env.step(DEPOSIT)
        refused = await env.step({"tool_name": "boom", "arguments": {"why": "x"}})
        check(began, listed, stepped, refused, await env.state())
        assert (await env.step(GenericAction(**DEPOSIT))).observation["result"]["data"] == 8
        typed = CallToolAction(tool_name="deposit", arguments={"amount": 1})
        assert (await env.step(typed)).observation["result"]["data"] == 9
        second = env.new_session()
        second = await second if hasattr(second, "__await__") else second
        await second.reset()
        assert (await second.step(DEPOSIT)).observation["result"]["data"] == 4
        assert "did you mean 'fixture'? (code: VALIDATION_ERROR)" in await refusal(env.reset(fixtur="rich"))


async def refusal(request):
    try:
        await request
    except RuntimeError as error:
        return str(error)
    raise AssertionError("a slip must be refused")


def drive_blocking(env):
    with env:
        began = env.reset(seed=1, episode_id="ep-G")
        listed = env.step({"type": "list_tools"})
        stepped = env.step(DEPOSIT)
        refused = env.step({"tool_name": "boom", "arguments": {"why": "x"}})
        check(began, listed, stepped, refused, env.state())


asyncio.run(drive())
drive_blocking(GenericEnvClient(base_url=URL).sync())
drive_blocking(GenericEnvClient(base_url=URL))
