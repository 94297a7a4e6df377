"""What happens on a WebSocket: which frame is answered how, and what does its end leave behind?

These are plain ASGI callables. A Channels consumer dispatches each event through a task and a layer of its own, which
costs as much as a short call.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qs

from django.conf import settings

from openenv_api import answers, jsonrpc, protocol
from openenv_api.access import Grant, Scope, grant_of, secret_in
from openenv_api.episodes import world_of
from openenv_api.errors import InvalidFrame, NoSession, NotJson, Refusal, UnknownType, refusal_of, violation
from openenv_api.sessions import Departure, Session, sessions
from worlds.engine import World

Event = dict[str, Any]
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]

#: A refused client may send before it reads; closing later lets it read the reason.
REFUSAL_LINGERS_S = 0.25
#: And so long it has for its own half of the closing handshake.
CLOSING_S = 5.0
GOODBYES = (1000, 1001)


class Socket(ABC):
    """One WebSocket with a session behind it."""

    def __init__(self, scope: Event, receive: Receive, send: Send) -> None:
        self._scope, self._receive, self._send = scope, receive, send
        self._ahead: asyncio.Task[Event] | None = None
        self._dismissal: asyncio.Task[None] | None = None
        self.is_answering = False
        self.departure: Departure = "dropped"
        self.session: Session
        self.grant: Grant

    async def run(self) -> None:
        await self._receive()  # websocket.connect
        await self._send({"type": "websocket.accept"})
        try:
            self.grant = self._granted()
            self.session = self.open()
        except Exception as error:
            await self._refuse(refusal_of(error))
            return
        try:
            await self._converse()
        except OSError:
            pass  # the client is gone, in the middle of an answer
        finally:
            sessions().detach(self.session, self, self.departure)
            if self._ahead is not None:
                self._ahead.cancel()

    async def _converse(self) -> None:
        while (event := await self._next())["type"] == "websocket.receive":
            self.is_answering = True
            answer = await self.answer(event)
            self.is_answering = False
            if self._dismissal is not None:
                return
            if answer is None:
                self.departure = "closed"
                sessions().detach(self.session, self, "closed")  # first: the client may be back at once
                await self._close()
                return
            await self._send({"type": "websocket.send", "text": answer.decode()})
        self.departure = "left" if event.get("code") in GOODBYES else "dropped"

    # What each kind of socket does in its own way.

    @abstractmethod
    def open(self) -> Session:
        """The session for this socket.

        Raises: Refusal.
        """

    @abstractmethod
    async def answer(self, event: Event) -> bytes | None:
        """The one frame that answers an event; None ends the conversation."""

    # What the registry asks for.

    def look_ahead(self) -> None:
        if self._ahead is None:
            self._ahead = asyncio.ensure_future(self._receive())
            self._ahead.add_done_callback(self._saw_ahead)

    def _saw_ahead(self, ahead: asyncio.Task[Event]) -> None:
        if self.is_answering and not ahead.cancelled() and ahead.exception() is None:
            event = ahead.result()
            if event["type"] == "websocket.disconnect":
                how: Departure = "left" if event.get("code") in GOODBYES else "dropped"
                sessions().detach(self.session, self, how)

    def dismiss(self, reason: str) -> None:
        self._dismissal = asyncio.ensure_future(self._say_goodbye(reason))

    async def _say_goodbye(self, reason: str) -> None:
        with suppress(OSError, RuntimeError):
            refusal = self.refusal(NoSession(f"Closing: {reason}"))
            await self._send({"type": "websocket.send", "text": refusal.decode()})
            await self._close()

    # The wire.

    async def _next(self) -> Event:
        if self._ahead is None:
            return await self._receive()
        ahead = self._ahead
        event = await ahead
        self._ahead = None
        return event

    async def _refuse(self, refusal: Refusal) -> None:
        """Say why, and close once the client has had the time to read it; whatever it sends is let go."""
        with suppress(OSError):
            await self._send({"type": "websocket.send", "text": self.refusal(refusal).decode()})
            if not await self._is_gone_after(REFUSAL_LINGERS_S):
                await self._close()
                await self._is_gone_after(CLOSING_S)

    async def _is_gone_after(self, seconds: float) -> bool:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while (await self._receive())["type"] != "websocket.disconnect":
                    pass
                return True
        return False

    async def _close(self) -> None:
        await self._send({"type": "websocket.close", "code": 1000})

    def refusal(self, refusal: Refusal) -> bytes:
        """A refusal as this kind of socket words it."""
        return refusal.frame()

    def _granted(self) -> Grant:
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in self._scope["headers"]}
        grant = grant_of(secret_in(headers, self._scope["query_string"].decode("latin-1")))
        grant.require(Scope.AGENT, "open a session")
        return grant

    def _new_session(self) -> Session:
        session = sessions().open(self._world(), host=self._host(), owned=True, opened_by=self.grant.key)
        session.socket = self
        return session

    def _world(self) -> World:
        return world_of(self._scope["url_route"]["kwargs"].get("world"))

    def _host(self) -> str | None:
        client = self._scope.get("client")
        return client[0] if client else None


class EpisodeSocket(Socket):
    """`/ws`: one connection, one session, one world."""

    #: A client that came back may ask again what it asked last. Later an id that it uses twice is its own affair.
    _is_resumed = False

    def open(self) -> Session:
        query = {key: values[-1] for key, values in parse_qs(self._scope["query_string"].decode()).items()}
        if "session_id" in query:
            self._is_resumed = "resume" in query
            return sessions().attach(query["session_id"], query.get("resume"), self)
        return self._new_session()

    async def answer(self, event: Event) -> bytes | None:
        try:
            frame = _read(event)
        except Refusal as refusal:
            return refusal.frame()
        request_id = _request_id(frame)
        if request_id is None:
            return await self._reply(frame)
        made = self.session.again(request_id) if self._is_resumed else None
        self._is_resumed = False
        return await (made or self.session.once(request_id, self._reply(frame, request_id)))

    async def _reply(self, frame: Event, request_id: Any = None) -> bytes | None:
        try:
            handler = HANDLERS.get(str(frame.get("type")))
            if handler is None:
                raise UnknownType(f"Unknown message type: {frame.get('type')!s:.80}")
            return await handler(self, frame)
        except Exception as error:
            return refusal_of(error).frame(request_id)

    async def on_reset(self, frame: Event) -> bytes:
        return protocol.observation(await answers.reset(self.session, _data(frame, {})))

    async def on_step(self, frame: Event) -> bytes:
        return protocol.observation(await answers.step(self.session, _data(frame)))

    async def on_state(self, frame: Event) -> bytes:
        _no_data(frame)
        self.grant.require(Scope.EVALUATOR, "read the state of an episode")
        return protocol.state(await answers.state(self.session))

    async def on_mcp(self, frame: Event) -> bytes:
        endpoint = jsonrpc.Endpoint(sessions(), self.session.world, self.session)
        return protocol.mcp(await endpoint.answer(_data(frame)))

    async def on_close(self, frame: Event) -> None:
        _no_data(frame)


HANDLERS: dict[str, Callable[[EpisodeSocket, Event], Awaitable[bytes | None]]] = {
    "reset": EpisodeSocket.on_reset,
    "step": EpisodeSocket.on_step,
    "state": EpisodeSocket.on_state,
    "mcp": EpisodeSocket.on_mcp,
    "close": EpisodeSocket.on_close,
}


class RpcSocket(Socket):
    """`/mcp`: bare JSON-RPC on a session of its own."""

    def open(self) -> Session:
        return self._new_session()

    async def answer(self, event: Event) -> bytes | None:
        try:
            request = _decoded(event)
        except Refusal:
            return jsonrpc.unparsable()
        return await jsonrpc.Endpoint(sessions(), self.session.world, self.session).answer(request)

    def refusal(self, refusal: Refusal) -> bytes:
        return protocol.rpc_error(None, refusal.rpc_code, refusal.message, refusal.extra or None)


async def episode_socket(scope: Event, receive: Receive, send: Send) -> None:
    await EpisodeSocket(scope, receive, send).run()


async def rpc_socket(scope: Event, receive: Receive, send: Send) -> None:
    await RpcSocket(scope, receive, send).run()


async def no_socket(scope: Event, receive: Receive, send: Send) -> None:
    """Nothing is served at this path: refuse the handshake."""
    await receive()
    await send({"type": "websocket.close", "code": 4404})


def _decoded(event: Event) -> Any:
    """The JSON of an event.

    Raises: Refusal for what is too large, binary, or no JSON.
    """
    text = event.get("text")
    if text is None:
        raise InvalidFrame("Binary frames are not read; send JSON as text")
    limit = settings.SEAHAVEN_MAX_MESSAGE_MIB
    if len(text) > limit * 1024 * 1024:
        raise InvalidFrame(f"The frame is larger than {limit} MiB, the most this server reads")
    try:
        return protocol.decode(text)
    except ValueError as error:
        raise NotJson(f"Invalid JSON: {error}") from None


def _read(event: Event) -> Event:
    frame = _decoded(event)
    if not isinstance(frame, dict):
        raise InvalidFrame(f'A frame is an object, {{"type": …, "data": …}}, and not {frame!s:.80}')
    unknown = frame.keys() - {"type", "data"}
    kind = frame.get("type")
    if unknown and isinstance(kind, str) and kind in HANDLERS:
        extra = [violation("extra_forbidden", "Extra inputs are not permitted", key) for key in sorted(unknown)]
        raise InvalidFrame(f"A frame has the keys type and data only, not {', '.join(sorted(unknown))}", extra)
    return frame


def _data(frame: Event, default: Event | None = None) -> Event:
    data = frame.get("data", default)
    if not isinstance(data, dict):
        kind = "missing" if "data" not in frame else "dict_type"
        message = f"The data of a {frame['type']} frame must be an object"
        raise InvalidFrame(message, [violation(kind, message, "data", value=data)])
    return data


def _no_data(frame: Event) -> None:
    if "data" in frame:
        message = f"A {frame['type']} frame has no data"
        raise InvalidFrame(message, [violation("extra_forbidden", message, "data")])


def _request_id(frame: Event) -> Any:
    """What a client calls its request, so that it can ask again without it being done again."""
    data = frame.get("data")
    if isinstance(data, dict):
        if "request_id" in data and frame.get("type") == "reset":
            return data["request_id"]
        if "metadata" in data and isinstance(data["metadata"], dict) and frame.get("type") == "step":
            return data["metadata"].get("request_id")
    return None
