"""How does a page hear that an instance moved, without asking again and again?

`/console/live/` is a WebSocket that says no more than which instances opened, moved or ended; the page then asks for
what it shows. Nothing is sent more often than TELLS_EVERY_S, however fast an agent is, and nothing is done on the path
of a call while nobody watches.
"""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qs

import orjson
from asgiref.sync import sync_to_async

from console.access import Role, is_open_to, role_of
from worlds.engine.hosting import HOSTS, Hosted

TELLS_EVERY_S = 0.25
#: More than that in one message are told as "many".
MOST_NAMED = 50


class Watch:
    """One page that is open: what it has not been told yet."""

    def __init__(self, instance_id: str | None) -> None:
        self._instance_id = instance_id
        self._loop = asyncio.get_running_loop()
        self._news: dict[str, str] = {}
        self._has_news = asyncio.Event()
        self._lock = threading.Lock()

    def note(self, hosted: Hosted, what: str) -> None:
        """Called on any thread, at each move of any instance."""
        if self._instance_id not in (None, hosted.id):
            return
        with self._lock:
            is_first = not self._news
            if what != "moved" or hosted.id not in self._news:
                self._news[hosted.id] = what
        if is_first:
            with suppress(RuntimeError):  # the loop is closing
                self._loop.call_soon_threadsafe(self._has_news.set)

    async def news(self) -> dict[str, str]:
        """What happened since it was asked last; waits until something has."""
        await self._has_news.wait()
        await asyncio.sleep(TELLS_EVERY_S)
        self._has_news.clear()
        with self._lock:
            found, self._news = self._news, {}
        return found


async def live(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """The WebSocket."""
    await receive()
    if not await _may_watch(scope):
        await send({"type": "websocket.close", "code": 4403})
        return
    await send({"type": "websocket.accept"})
    wanted = parse_qs(scope["query_string"].decode("latin-1")).get("instance", [None])[0]
    watch = Watch(wanted)
    HOSTS.watchers = [*HOSTS.watchers, watch.note]  # never changed in place: calls read it on other threads
    telling = asyncio.create_task(_tell(watch, send))
    try:
        while (await receive())["type"] != "websocket.disconnect":
            pass
    finally:
        HOSTS.watchers = [each for each in HOSTS.watchers if each != watch.note]
        telling.cancel()
        with suppress(asyncio.CancelledError):
            await telling


async def _tell(watch: Watch, send: Any) -> None:
    while True:
        news = await watch.news()
        named = news if len(news) <= MOST_NAMED else {}
        with suppress(Exception):  # it is gone: `receive` says so
            await send({"type": "websocket.send", "text": orjson.dumps({"instances": named}).decode()})


async def _may_watch(scope: dict[str, Any]) -> bool:
    headers = {name for name, _ in scope["headers"]}
    client = scope.get("client")
    if client and not headers & {b"x-forwarded-for", b"forwarded"} and is_open_to(client[0]):
        return True
    role = await sync_to_async(role_of)(scope["user"])
    return role >= Role.VIEWER
