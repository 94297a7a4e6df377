"""What does a session answer to a reset, to a step, and to a request for its state?

The answers are JSON without a frame around them. Over HTTP an observation names its metadata `always`.
"""

from __future__ import annotations

from typing import Any

from openenv_api import actions, protocol, resets
from openenv_api.episodes import tools_json
from openenv_api.errors import Refusal, refusal_of
from openenv_api.sessions import Session
from worlds.engine import ToolError


async def reset(session: Session, data: Any, *, always: bool = False) -> bytes:
    """Begin an episode.

    Raises: Refusal, and then the session is as it was.
    """
    arguments = resets.read(data)
    metadata = await session.reset(arguments)
    if arguments.request_id is not None:
        metadata["request_id"] = arguments.request_id
    return protocol.began(metadata, always=always)


async def step(session: Session, data: Any, *, always: bool = False) -> bytes:
    """Carry out an action; what a tool refuses is an observation.

    Raises: Refusal for what is no action, and when the episode is over.
    """
    tool, arguments, request_id = actions.read(data)
    metadata: dict[str, Any] = {} if request_id is None else {"request_id": request_id}
    if session.episode.is_implicit:
        metadata["implicit_episode"] = True
    if tool is None:
        session.list_tools()
        return protocol.listed(tools_json(session.world), metadata, always=always)
    try:
        return protocol.called(tool, await session.step(tool, arguments), metadata, always=always)
    except ToolError as error:
        metadata["seahaven_error"] = error.to_dict()
        return protocol.failed(tool, error.error_type, error.message, metadata, always=always)
    except Refusal:
        raise
    except Exception as error:
        return protocol.failed(tool, "execution_error", refusal_of(error).message, metadata, always=always)


async def state(session: Session) -> bytes:
    """The state document."""
    return await session.state()
