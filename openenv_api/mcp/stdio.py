"""How is one instance served over stdin and stdout, and how does that end?"""

from __future__ import annotations

import asyncio
import signal
from contextlib import suppress
from json import JSONDecodeError
from typing import Any

import anyio
import mcp_types as types
from django.conf import settings
from mcp.server.runner import serve_dual_era_loop
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from openenv_api import protocol
from openenv_api.mcp.guests import Guest
from openenv_api.mcp.messages import BadId, id_of
from openenv_api.mcp.pipes import Pipes
from openenv_api.mcp.server import server_of
from worlds.engine import Start, World
from worlds.engine.hosting import HOSTS, Hosted

#: So long may what was asked before the end of the input run on, and so long may the instance take to be destroyed.
GRACE_S = 1.0


async def serve(world: World, start: Start, incoming: int, outgoing: int) -> None:
    """Serve an instance of its own until the client is gone, or SIGTERM or SIGINT.

    Raises: WorldBug and ToolError for a start that does not fit; whatever a startup hook raises.
    """
    stop = asyncio.Event()
    for each in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(each, stop.set)
    limit = settings.SEAHAVEN_MAX_MESSAGE_MIB * 1024 * 1024
    wire = _Wire(Pipes(incoming, outgoing, longest=limit, on_broken=stop.set))
    hosted = Hosted(world, start, door="mcp")
    serving = asyncio.create_task(_serve(hosted, wire))
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait((serving, stopping), return_when=asyncio.FIRST_COMPLETED)
    for task in (serving, stopping):
        task.cancel()
    await asyncio.wait((serving, stopping), timeout=GRACE_S)
    await _destroy(hosted)
    if serving.done() and not serving.cancelled():
        serving.result()


async def _serve(hosted: Hosted, wire: _Wire) -> None:
    await hosted.begin()
    await wire.serve(Guest(hosted, owns=True))


async def _destroy(hosted: Hosted) -> None:
    """Destroy the instance, but do not wait for a call that does not end."""
    hosted.end("its client is gone")
    await asyncio.to_thread(HOSTS.settle_ends, GRACE_S)


class _Wire:
    """JSON-RPC messages as lines."""

    def __init__(self, pipes: Pipes) -> None:
        self._pipes = pipes
        self._unanswered = 0
        self._is_answered = asyncio.Event()

    async def serve(self, guest: Guest) -> None:
        """Serve until the input ends."""
        to_server, read = anyio.create_memory_object_stream[SessionMessage | Exception]()
        write, from_server = anyio.create_memory_object_stream[SessionMessage]()
        server: Any = server_of(guest.world)
        async with anyio.create_task_group() as group:
            group.start_soon(self._receive, to_server)
            group.start_soon(self._send, from_server)
            await serve_dual_era_loop(server, read, write, lifespan_state=guest)
        await self._pipes.flush(GRACE_S)

    async def _receive(self, to_server: Any) -> None:
        async with to_server:
            async for line in self._pipes.lines():
                if line is None:
                    self._refuse(types.INVALID_REQUEST, "The line is longer than this server reads")
                elif line.strip():
                    await self._hand_on(line, to_server)
            # The client asked, and closed its end: it may read the answers still.
            with suppress(TimeoutError):
                async with asyncio.timeout(GRACE_S):
                    while self._unanswered:
                        self._is_answered.clear()
                        await self._is_answered.wait()

    async def _hand_on(self, line: bytes, to_server: Any) -> None:
        try:
            decoded = protocol.decode(line)
            is_request = id_of(decoded) is not None
            message = types.jsonrpc_message_adapter.validate_python(decoded, by_name=False)
        except JSONDecodeError:
            self._refuse(types.PARSE_ERROR, "Parse error: the line is no JSON")
        except ValidationError:
            self._refuse(types.INVALID_REQUEST, "Invalid Request: the line is no JSON-RPC 2.0 message")
        except BadId as error:
            self._refuse(error.rpc_code, error.message)
        else:
            self._unanswered += is_request
            await to_server.send(SessionMessage(message))

    async def _send(self, from_server: Any) -> None:
        async with from_server:
            async for sent in from_server:
                self._pipes.write(sent.message.model_dump_json(by_alias=True, exclude_unset=True).encode())
                if isinstance(sent.message, types.JSONRPCResponse | types.JSONRPCError):
                    self._unanswered -= 1
                    self._is_answered.set()

    def _refuse(self, code: int, message: str) -> None:
        self._pipes.write(protocol.rpc_error(None, code, message))
