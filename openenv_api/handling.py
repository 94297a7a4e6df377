"""How does a program's HTTP request get to its view?

Django runs every middleware and every signal of a request on a thread, a dozen hops that a page for people is worth.
Programs have no session and no user, and nothing on their way touches the control database, so their requests go
straight to the view.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from io import BytesIO
from typing import Any

from django.conf import settings
from django.core.handlers.asgi import ASGIHandler, ASGIRequest, get_script_prefix
from django.core.handlers.exception import convert_exception_to_response
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import set_script_prefix, set_urlconf

Event = dict[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]
Application = Any  # each library has a type of its own for it

#: A body over the limit is read and let go, up to so many times the limit, so that its client reads the refusal.
PATIENCE = 4


class ProgramHandler(ASGIHandler):
    """Django's handler without middleware; requests for pages go to the application with all of it.

    What the middleware would have done for programs is done here: the Host header is checked, a Content-Length is set,
    and browsers are told to guess no types.
    """

    def __init__(self, pages: Application, prefixes: tuple[str, ...]) -> None:
        """`prefixes` are the beginnings of the paths of pages."""
        super().__init__()
        self._pages = pages
        self._prefixes = prefixes

    def load_middleware(self, is_async: bool = False) -> None:
        self._view_middleware: list[Any] = []
        self._template_response_middleware: list[Any] = []
        self._exception_middleware: list[Any] = []
        self._middleware_chain = convert_exception_to_response(self._checked)

    async def _checked(self, request: HttpRequest) -> HttpResponseBase:
        request.get_host()  # raises DisallowedHost
        answer: Callable[..., Awaitable[HttpResponseBase]] = self._get_response_async  # type: ignore[attr-defined]
        return await answer(request)

    async def __call__(self, scope: Event, receive: Receive, send: Send) -> None:
        if scope["path"].startswith(self._prefixes):
            await self._pages(scope, receive, send)
            return
        found = await _body(receive)
        if found is None:
            return  # the client is gone already
        body, size = found
        set_script_prefix(get_script_prefix(scope))
        request = ASGIRequest(scope, BytesIO(body))
        request.META["CONTENT_LENGTH"] = str(size)  # what was sent: a chunked request does not say it
        await self._until_gone(self._answer(request, send), receive)

    async def _until_gone(self, work: Awaitable[None], receive: Receive) -> None:
        """Do the work, or as much of it as is done before the client is gone."""
        working, gone = asyncio.ensure_future(work), asyncio.ensure_future(receive())
        try:
            await asyncio.wait((working, gone), return_when=asyncio.FIRST_COMPLETED)
        finally:
            gone.cancel()
            if not working.done():
                working.cancel()
        with suppress(asyncio.CancelledError):
            await working

    async def _answer(self, request: ASGIRequest, send: Send) -> None:
        set_urlconf(settings.ROOT_URLCONF)
        chain: Any = self._middleware_chain
        response = await chain(request)
        if not response.streaming and not response.has_header("Content-Length"):
            response["Content-Length"] = str(len(response.content))
        response.setdefault("X-Content-Type-Options", "nosniff")
        await self.send_response(response, send)


async def _body(receive: Receive) -> tuple[bytes, int] | None:
    """A request's body and its size, None of a client that went away; one over the limit is not kept."""
    limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    chunks: list[bytes] = []
    size, more = 0, True
    while more and size <= PATIENCE * limit:
        event = await receive()
        if event["type"] == "http.disconnect":
            return None
        chunk = event.get("body", b"")
        size += len(chunk)
        chunks.append(chunk)
        if size > limit:
            chunks.clear()
        more = event.get("more_body", False)
    return b"".join(chunks), size
