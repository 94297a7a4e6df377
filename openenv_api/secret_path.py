"""How does a client show its secret that can send neither headers nor a query?

It writes it into the path: with `http://host/t/<secret>` as its base URL, every path it asks for begins with that.
"""

from __future__ import annotations

from openenv_api.handling import Application, Event, Receive, Send

PREFIX = "/t/"


class SecretInPath:
    """An application whose every path is served under `/t/<secret>`, too, as if the secret came in a header.

    The path loses it here, so that no log and no link shows it. It stands for an X-API-Key; an Authorization header is
    left alone: it may be meant for a proxy on the way, or for a product's API.
    """

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Event, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket") and scope["path"].startswith(PREFIX):
            secret, _, rest = scope["path"][len(PREFIX) :].partition("/")
            others = [(name, value) for name, value in scope["headers"] if name.lower() != b"x-api-key"]
            shown = (b"x-api-key", secret.encode(errors="replace"))
            scope = {**scope, "path": f"/{rest}", "headers": [*others, shown]}
            scope.pop("raw_path", None)  # ASGI has it optional
        await self._application(scope, receive, send)
