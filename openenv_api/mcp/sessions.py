"""Which MCP sessions are open over HTTP, and when does each end?

A session is a task that serves one client, with the SDK's transport before it, and a guest behind it.
"""

from __future__ import annotations

import asyncio
import contextvars
import gc
import logging
import secrets
from contextlib import nullcontext
from functools import cache, partial
from typing import Any

from django.conf import settings
from mcp.server.runner import serve_loop
from mcp.server.streamable_http import StreamableHTTPServerTransport
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from openenv_api.access import hash_of
from openenv_api.errors import AtCapacity, NoSession, Refusal
from openenv_api.mcp.events import Events
from openenv_api.mcp.guests import Guest
from openenv_api.mcp.server import server_of

#: Garbage is collected so long after a session has ended, for all that end meanwhile.
TIDY_AFTER_S = 10.0

logger = logging.getLogger(__name__)


class IdInUse(Refusal):
    """Two requests of one id at once: the answer to the first would be lost, and its client would wait for ever."""

    rpc_code = -32600


class Session:
    """One client, for as long as it keeps coming. `secret` is what it showed, and has to show each time."""

    def __init__(self, guest: Guest, secret: str | None, *, streams: bool) -> None:
        self.id = secrets.token_hex(16)
        self.guest = guest
        self._badge = hash_of(secret or "")
        self._transport = StreamableHTTPServerTransport(
            self.id,
            is_json_response_enabled=not streams,
            event_store=Events() if streams else None,
            idle_timeout=settings.SEAHAVEN_MCP_IDLE_S or None,
        )
        self._asked: set[str] = set()
        self._is_connected = asyncio.Event()
        # A context of its own: that of the request which opens it would be kept alive.
        self._task = asyncio.create_task(self._serve(), context=contextvars.Context())

    def is_shown(self, secret: str | None) -> bool:
        """Is that what the client showed when it came?"""
        return secrets.compare_digest(self._badge, hash_of(secret or ""))

    def answering(self, asks: str | None) -> ASGIApp:
        """What answers one HTTP request; `asks` is the id of the JSON-RPC request in it.

        Raises: IdInUse.
        """
        if asks is not None and asks in self._asked:
            raise IdInUse(f"Request {asks:.80} is being answered still; give each request an id of its own")
        if asks is not None:
            self._asked.add(asks)
        return partial(self._answer, asks)

    async def _answer(self, asks: str | None, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._is_connected.wait()
            await self._transport.handle_request(scope, receive, _at_once(send) if scope["method"] == "GET" else send)
        finally:
            if asks is not None:
                self._asked.discard(asks)
            if self._transport.is_terminated:
                self.end("its client closed it")

    def end(self, reason: str) -> None:
        """Free everything. Doing it twice is doing it once."""
        sessions().forget(self)
        self.guest.leave(reason)
        self._task.cancel()

    async def _serve(self) -> None:
        reason = f"its client sent nothing for {settings.SEAHAVEN_MCP_IDLE_S:g} s"
        try:
            async with self._transport.connect() as (reading, writing):
                self._is_connected.set()
                with self._transport.idle_scope or nullcontext():
                    server: Any = server_of(self.guest.world)
                    await serve_loop(server, reading, writing, lifespan_state=self.guest, session_id=self.id)
        except Exception:
            logger.exception("MCP session %s broke off", self.id)
            reason = "it broke off"
        finally:
            self._is_connected.set()
            sessions().forget(self)
            self.guest.leave(reason)
            await self._transport.terminate()


def _at_once(send: Send) -> Send:
    """Let a client know that its stream is open: Twisted sends no headers before the first event, or this comment."""

    async def sending(message: Message) -> None:
        await send(message)
        if message["type"] == "http.response.start" and message["status"] == 200:
            await send({"type": "http.response.body", "body": b":\r\n\r\n", "more_body": True})

    return sending


class Sessions:
    """Every MCP session of this process. Used on the event loop only."""

    def __init__(self) -> None:
        self._all: dict[str, Session] = {}
        self._tidied_by: asyncio.AbstractEventLoop | None = None

    def __len__(self) -> int:
        return len(self._all)

    def open(self, guest: Guest, secret: str | None, *, streams: bool) -> Session:
        """A new session; end it if its client's `initialize` does not succeed.

        Raises: AtCapacity.
        """
        most = settings.SEAHAVEN_MAX_INSTANCES
        if len(self._all) >= most:
            raise AtCapacity(len(self._all), most)
        session = Session(guest, secret, streams=streams)
        self._all[session.id] = session
        return session

    def get(self, session_id: str, world: str, secret: str | None) -> Session:
        """The session a client names.

        Raises: NoSession for one that is over, of another world, or of somebody who showed another secret.
        """
        session = self._all.get(session_id)
        if session is None or session.guest.world.name != world or not session.is_shown(secret):
            raise NoSession("Session not found: it ended, or this is another server. Initialize to open a new one.")
        return session

    def forget(self, session: Session) -> None:
        if self._all.pop(session.id, None) is not None:
            self._tidy_soon()

    def _tidy_soon(self) -> None:
        """Free what ended sessions leave: the SDK's objects point at each other, and a server collects but seldom."""
        loop = asyncio.get_running_loop()
        if self._tidied_by is not loop:
            self._tidied_by = loop
            loop.call_later(TIDY_AFTER_S, self._tidy)

    def _tidy(self) -> None:
        self._tidied_by = None
        gc.collect()


@cache
def sessions() -> Sessions:
    """The MCP sessions of this process."""
    return Sessions()
