"""Do the official harness helpers run episodes on the server at this URL? Run in the environment that has `openenv`."""

import sys

from openenv.core import GenericEnvClient, Tool  # type: ignore[import-not-found]
from openenv.core.harness import StepEnvSessionAdapter  # type: ignore[import-not-found]
from openenv.core.harness.rollout import ToolResult  # type: ignore[import-not-found]

URL = sys.argv[1]


def call(name, arguments):
    return {"type": "call_tool", "tool_name": name, "arguments": arguments}


with GenericEnvClient(base_url=URL).sync() as client:
    tools = [Tool(**tool) for tool in client.step({"type": "list_tools"}).observation["tools"]]
    session = StepEnvSessionAdapter(
        client=client,
        task=None,
        seed=3,
        episode_id="ep-H",
        tool_specs=tools,
        action_builder=call,
        initial_messages_builder=lambda *_: [{"role": "user", "content": "Save."}],
    )
    answer = session.call_tool("deposit", {"amount": 4})
    assert isinstance(answer, ToolResult)
    assert answer.done is False
    assert client.state()["step_count"] == 1
