"""How does a trainer drive a Seahaven server from Python, without Django?

`SeahavenClient` blocks, `AsyncSeahavenClient` awaits; they speak alike. What a tool refuses is data, in
`observation.error`; only what keeps a request from being answered is raised, as a `ClientError`.

A connection that drops is taken up again, and a request that was on its way is asked again under the same id: the
server answers it, and does it once.
"""

from __future__ import annotations

import asyncio
import itertools
import socket
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any

from websockets.asyncio.client import ClientConnection as AsyncConnection
from websockets.asyncio.client import connect as connect_async
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.sync.client import ClientConnection as SyncConnection
from websockets.sync.client import connect as connect_sync

from openenv_api import protocol
from openenv_api.conversation import (
    RESUME_AFTER_S,
    AnswerTimeout,
    ClientError,
    Conversation,
    Observation,
    ServerRefused,
    ServerUnreachable,
    SessionLost,
    ToolFailure,
    observation_of,
)

__all__ = [
    "AnswerTimeout",
    "AsyncSeahavenClient",
    "ClientError",
    "Observation",
    "SeahavenClient",
    "ServerRefused",
    "ServerUnreachable",
    "SessionLost",
    "ToolFailure",
]

DEFAULT_URL = "http://127.0.0.1:8000"


def _options(headers: Mapping[str, str] | None, connect_timeout_s: float) -> dict[str, Any]:
    return {
        "additional_headers": headers,
        "open_timeout": connect_timeout_s,
        "close_timeout": 2.0,
        "compression": None,
        "max_size": None,
        "ping_interval": 20.0,
        "ping_timeout": 120.0,
    }


class SeahavenClient:
    """One session on a server, for a program that blocks. Threads may share it; their requests take turns.

    base_url:  http://127.0.0.1:8000, with a path if the server stands under one.
    world:     a world of the server; without it, its default.
    timeout_s: how long to wait for an answer.
    """

    def __init__(
        self,
        base_url: str = DEFAULT_URL,
        *,
        world: str | None = None,
        timeout_s: float = 120.0,
        connect_timeout_s: float = 10.0,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self._said = Conversation(base_url, world, _options(headers, connect_timeout_s))
        self._timeout_s = timeout_s
        self._lock = threading.RLock()
        self._connection: SyncConnection | None = None

    def __enter__(self) -> SeahavenClient:
        self.connect()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def session_id(self) -> str | None:
        """The session's id, once a reset has given it."""
        return self._said.session_id

    def connect(self) -> None:
        """Connect now rather than with the first request.

        Raises: ServerUnreachable.
        """
        with self._lock:
            if self._connection is None:
                self._connection = self._open()

    def reset(self, **arguments: Any) -> Observation:
        """Begin an episode: fixture=, seed=, now=, clock_mode=, startup=, setup_sql=, episode_id=, world=."""
        with self._lock:
            return self._said.began(self._ask(*self._said.reset(arguments), is_reset=True))

    def call(self, tool: str, /, **arguments: Any) -> Observation:
        """Call a tool; what it refuses is in the observation's `error`."""
        return self.step(protocol.call_action(tool, arguments))

    def list_tools(self) -> list[dict[str, Any]]:
        """What can be called: [{"name", "description", "input_schema"}]."""
        tools: list[dict[str, Any]] = self.step(protocol.LIST_TOOLS).result
        return tools

    def step(self, action: Mapping[str, Any]) -> Observation:
        """Send an action as it is."""
        with self._lock:
            return observation_of(self._ask(*self._said.step(action)))

    def state(self) -> dict[str, Any]:
        """The state document."""
        with self._lock:
            return self._ask(protocol.STATE_FRAME.decode(), None)

    def close(self) -> None:
        """End the session."""
        with self._lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                with suppress(WebSocketException, OSError):
                    connection.send(protocol.CLOSE_FRAME.decode())
                connection.close()
            self._said.forget()

    def _ask(self, frame: str, request_id: str | None, *, is_reset: bool = False) -> dict[str, Any]:
        for attempt in itertools.count(1):
            try:
                if self._connection is None:
                    self._connection = self._resume()
                return self._exchange(self._connection, frame, request_id)
            except BaseException as error:
                if type(error) is not ServerRefused:  # what is still to come must not be taken for another answer
                    self._drop()
                self._said.recover(error, attempt, self._timeout_s, is_reset=is_reset)
        raise AssertionError("unreachable")

    def _exchange(self, connection: SyncConnection, frame: str, request_id: str | None) -> dict[str, Any]:
        until = time.monotonic() + self._timeout_s
        with suppress(ConnectionClosed):  # a server that has closed has said why, and that is read below
            connection.send(frame)
        while True:
            text = connection.recv(timeout=max(0.0, until - time.monotonic()))
            if (data := self._said.read(text, request_id)) is not None:
                return data

    def _resume(self) -> SyncConnection:
        for pause_s in RESUME_AFTER_S if self._said.is_resumable else ():
            time.sleep(pause_s)
            with suppress(ServerUnreachable):
                return self._open()
        return self._open()

    def _open(self) -> SyncConnection:
        try:
            # Entered by hand, since it outlives every block; releases before 17 and after differ in what `connect` is.
            return connect_sync(self._said.url, **self._said.options).__enter__()
        except (OSError, WebSocketException) as error:
            raise self._said.unreachable(error) from None

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(OSError):
                connection.socket.shutdown(socket.SHUT_RDWR)


class AsyncSeahavenClient:
    """The same for a program that awaits. Tasks may share it; their requests take turns."""

    def __init__(
        self,
        base_url: str = DEFAULT_URL,
        *,
        world: str | None = None,
        timeout_s: float = 120.0,
        connect_timeout_s: float = 10.0,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self._said = Conversation(base_url, world, _options(headers, connect_timeout_s))
        self._timeout_s = timeout_s
        self._lock = asyncio.Lock()
        self._connection: AsyncConnection | None = None

    async def __aenter__(self) -> AsyncSeahavenClient:
        await self.connect()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def session_id(self) -> str | None:
        """The session's id, once a reset has given it."""
        return self._said.session_id

    async def connect(self) -> None:
        """Connect now rather than with the first request.

        Raises: ServerUnreachable.
        """
        async with self._lock:
            if self._connection is None:
                self._connection = await self._open()

    async def reset(self, **arguments: Any) -> Observation:
        """Begin an episode: fixture=, seed=, now=, clock_mode=, startup=, setup_sql=, episode_id=, world=."""
        async with self._lock:
            return self._said.began(await self._ask(*self._said.reset(arguments), is_reset=True))

    async def call(self, tool: str, /, **arguments: Any) -> Observation:
        """Call a tool; what it refuses is in the observation's `error`."""
        return await self.step(protocol.call_action(tool, arguments))

    async def list_tools(self) -> list[dict[str, Any]]:
        """What can be called: [{"name", "description", "input_schema"}]."""
        tools: list[dict[str, Any]] = (await self.step(protocol.LIST_TOOLS)).result
        return tools

    async def step(self, action: Mapping[str, Any]) -> Observation:
        """Send an action as it is."""
        async with self._lock:
            return observation_of(await self._ask(*self._said.step(action)))

    async def state(self) -> dict[str, Any]:
        """The state document."""
        async with self._lock:
            return await self._ask(protocol.STATE_FRAME.decode(), None)

    async def close(self) -> None:
        """End the session."""
        async with self._lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                with suppress(WebSocketException, OSError):
                    await connection.send(protocol.CLOSE_FRAME.decode())
                await connection.close()
            self._said.forget()

    async def _ask(self, frame: str, request_id: str | None, *, is_reset: bool = False) -> dict[str, Any]:
        for attempt in itertools.count(1):
            try:
                if self._connection is None:
                    self._connection = await self._resume()
                async with asyncio.timeout(self._timeout_s):
                    return await self._exchange(self._connection, frame, request_id)
            except BaseException as error:
                if type(error) is not ServerRefused:  # what is still to come must not be taken for another answer
                    self._drop()
                self._said.recover(error, attempt, self._timeout_s, is_reset=is_reset)
        raise AssertionError("unreachable")

    async def _exchange(self, connection: AsyncConnection, frame: str, request_id: str | None) -> dict[str, Any]:
        with suppress(ConnectionClosed):  # a server that has closed has said why, and that is read below
            await connection.send(frame)
        while True:
            if (data := self._said.read(await connection.recv(), request_id)) is not None:
                return data

    async def _resume(self) -> AsyncConnection:
        for pause_s in RESUME_AFTER_S if self._said.is_resumable else ():
            await asyncio.sleep(pause_s)
            with suppress(ServerUnreachable):
                return await self._open()
        return await self._open()

    async def _open(self) -> AsyncConnection:
        try:
            return await connect_async(self._said.url, **self._said.options)
        except (OSError, WebSocketException) as error:
            raise self._said.unreachable(error) from None

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.transport.abort()
