"""What can Channels do on this server, with nothing behind it? An echo consumer beside our own routes."""

from __future__ import annotations

from typing import Any

import orjson
from channels.generic.websocket import AsyncWebsocketConsumer
from django.urls import path

from openenv_api import routing

ANSWER: dict[str, Any] = {
    "observation": {"metadata": {}, "tool_name": "echo", "result": None, "error": None},
    "reward": None,
    "done": False,
}


class Echo(AsyncWebsocketConsumer):
    """Decodes a frame and answers one of the same size; touches no instance and no thread."""

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        frame: Any = orjson.loads(text_data or "null")
        answer = {"type": "observation", "data": ANSWER | {"echo": frame}}
        await self.send(text_data=orjson.dumps(answer).decode())


routing.websocket_urlpatterns.insert(0, path("echo", Echo.as_asgi()))

from seahaven_site.asgi import application  # noqa: E402

__all__ = ["application"]
