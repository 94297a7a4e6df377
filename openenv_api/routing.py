"""Which path leads to which WebSocket, and which web page may open one?"""

from __future__ import annotations

from typing import Any

from channels.security.websocket import OriginValidator
from django.urls import path, re_path

from openenv_api.consumers import episode_socket, no_socket, rpc_socket

SOCKETS: dict[str, Any] = {
    "ws": episode_socket,
    "mcp": rpc_socket,
    "worlds/<str:world>/ws": episode_socket,
    "worlds/<str:world>/mcp": rpc_socket,
}
NOTHING: Any = no_socket
websocket_urlpatterns = [*(path(route, socket) for route, socket in SOCKETS.items()), re_path("", NOTHING)]


class ForeignPagesRefused(OriginValidator):
    """Lets in every client that is no web page, and pages from our own hosts: only browsers send an Origin."""

    def valid_origin(self, parsed_origin: Any) -> bool:
        return parsed_origin is None or self.validate_origin(parsed_origin)
