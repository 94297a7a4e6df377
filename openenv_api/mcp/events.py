"""What was sent on a session's streams, for a client that lost one and comes back for the rest?"""

from __future__ import annotations

from collections import deque

import mcp_types as types
from mcp.server.streamable_http import EventCallback, EventMessage, EventStore

#: So much is kept for each session, but always the latest message.
KEPT_KIB = 64
KEPT_EVENTS = 256


class Events(EventStore):
    """The latest events of one session. Its ids mean nothing to another session."""

    def __init__(self) -> None:
        self._kept: deque[tuple[int, str, str]] = deque()  # id, stream, JSON; no JSON opens the stream
        self._size = 0
        self._count = 0

    async def store_event(self, stream_id: str, message: types.JSONRPCMessage | None) -> str:
        text = "" if message is None else message.model_dump_json(by_alias=True, exclude_unset=True)
        self._count += 1
        self._kept.append((self._count, stream_id, text))
        self._size += len(text)
        while len(self._kept) > KEPT_EVENTS or (self._size > KEPT_KIB * 1024 and len(self._kept) > 1):
            self._size -= len(self._kept.popleft()[2])
        return str(self._count)

    async def replay_events_after(self, last_event_id: str, send_callback: EventCallback) -> str | None:
        found = next(((n, stream) for n, stream, _ in self._kept if str(n) == last_event_id), None)
        if found is None:
            return None
        after, stream = found
        for number, its_stream, text in list(self._kept):
            if number > after and its_stream == stream and text:
                message = types.jsonrpc_message_adapter.validate_json(text, by_name=False)
                await send_callback(EventMessage(message, str(number)))
        return stream
