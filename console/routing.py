"""Which WebSockets does the console have?"""

from typing import Any

from channels.auth import AuthMiddlewareStack
from django.urls import path

from console.live import live

LIVE: Any = live
websocket_urlpatterns = [path("console/live/", AuthMiddlewareStack(LIVE))]
