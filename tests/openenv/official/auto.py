"""Does `AutoEnv` find the server at this URL? Run in the environment that has `openenv`."""

import asyncio
import sys

from openenv.auto import AutoEnv  # type: ignore[import-not-found]

URL = sys.argv[1]
DEPOSIT = {"type": "call_tool", "tool_name": "deposit", "arguments": {"amount": 4}}


async def drive(env):
    async with env:
        await env.reset()
        assert (await env.step(DEPOSIT)).observation["result"]["data"] == 4


asyncio.run(drive(AutoEnv.from_env("bank", base_url=URL, skip_install=True)))
asyncio.run(drive(AutoEnv.from_hub("bank", base_url=URL, skip_install=True)))
try:
    AutoEnv.from_env("bank", base_url="http://127.0.0.1:1", skip_install=True)
except ConnectionError:
    pass
else:
    raise AssertionError("a dead address must be noticed")
