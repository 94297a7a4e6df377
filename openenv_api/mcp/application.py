"""What becomes of an HTTP request to `/mcp/<world>`?

It is a bare ASGI application, since Django would hold back what is streamed.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import mcp_types as types
from django.conf import settings
from django.http.request import split_domain_port, validate_host
from mcp.server.streamable_http import check_accept_headers
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import RequestBodyLimitMiddleware
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_HANDSHAKE_VERSION
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from openenv_api import protocol
from openenv_api.access import grant_of
from openenv_api.episodes import world_of
from openenv_api.errors import Refusal, refusal_of
from openenv_api.http import is_foreign
from openenv_api.mcp.admission import Visitor
from openenv_api.mcp.guests import Guest
from openenv_api.mcp.messages import id_of
from openenv_api.mcp.server import server_for
from openenv_api.mcp.sessions import sessions
from worlds.engine import World

_PATH = re.compile(r"/mcp/([^/]+)/?")
#: What a status asks a response to say besides.
_HEADERS = {401: {"WWW-Authenticate": "Bearer"}, 405: {"Allow": "GET, POST, DELETE"}}
_NO_JSON = object()


class BadRequest(Refusal):
    """What is not Streamable HTTP."""

    def __init__(self, message: str, status: int = 400, rpc_code: int = types.INVALID_REQUEST, **extra: Any) -> None:
        super().__init__(message, **extra)
        self.status, self.rpc_code = status, rpc_code  # type: ignore[misc]


class McpApplication:
    """Serves MCP at its paths, and hands every other request to `others`."""

    def __init__(self, others: ASGIApp) -> None:
        self._others = others

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = _PATH.fullmatch(scope["path"])
        if found is None:
            await self._others(scope, receive, send)
            return
        try:
            _check(Request(scope))
            answer: ASGIApp = partial(_answer, world_of(found[1]))
        except Exception as error:
            answer = _refused(error)
        await RequestBodyLimitMiddleware(answer, _limit())(scope, receive, send)


def _limit() -> int:
    return settings.SEAHAVEN_MAX_MESSAGE_MIB * 1024 * 1024


def _check(request: Request) -> None:
    """Refuse what a web page of somebody else's could send.

    Raises: BadRequest.
    """
    host = request.headers.get("host", "")
    if not validate_host(split_domain_port(host)[0], settings.ALLOWED_HOSTS):
        raise BadRequest(f"This server is not {host!r:.200}; SEAHAVEN_ALLOWED_HOSTS says which names it has", 421)
    if is_foreign(request.headers.get("origin")):
        raise BadRequest("Pages of other hosts may not use this server", 403)
    if request.method not in ("GET", "POST", "DELETE"):
        raise BadRequest(f"{request.method:.20} is no method of Streamable HTTP", 405)


async def _answer(world: World, scope: Scope, receive: Receive, send: Send) -> None:
    body = await receive()  # all of it: the limit had to read it
    if body["type"] == "http.disconnect":
        return
    try:
        answer = _answering(world, Request(scope), _decoded(body))
    except Exception as error:
        answer = _refused(error)
    await answer(scope, _again(body, receive), send)


def _decoded(body: Message) -> Any:
    try:
        return protocol.decode(body.get("body", b""))
    except ValueError:
        return _NO_JSON


def _again(body: Message, receive: Receive) -> Receive:
    unread = [body]

    async def again() -> Message:
        return unread.pop() if unread else await receive()

    return again


def _answering(world: World, request: Request, message: Any) -> ASGIApp:
    """What answers a request.

    Raises: Refusal.
    """
    visitor, asks = Visitor(request), id_of(message)
    version = request.headers.get("mcp-protocol-version", LATEST_HANDSHAKE_VERSION)
    if version not in HANDSHAKE_PROTOCOL_VERSIONS:
        return _without_session(world, visitor, request, version)
    session_id = request.headers.get("mcp-session-id")
    if session_id is None:
        return _opening(world, visitor, request, message, asks)
    session = sessions().get(session_id, world.name, visitor.secret)
    if session.guest.owns:
        grant_of(visitor.secret)  # a key that was revoked since
    return session.answering(asks)


def _opening(world: World, visitor: Visitor, request: Request, message: Any, asks: str | None) -> ASGIApp:
    """What answers a request that comes without a session: it may open one."""
    if request.method == "POST" and message is _NO_JSON:
        raise BadRequest("Parse error: the body is no JSON", rpc_code=types.PARSE_ERROR)
    if request.method != "POST" or not isinstance(message, dict) or message.get("method") != "initialize":
        raise BadRequest("Missing session ID: only initialize is sent without the Mcp-Session-Id that it answers")
    guest = visitor.admitted(world)
    session = sessions().open(guest, visitor.secret, streams=_streams(visitor, request))
    answer = session.answering(asks)

    async def opening(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await answer(scope, receive, send)
        finally:
            if not guest.was_greeted:
                session.end("it did not begin")

    return opening


def _without_session(world: World, visitor: Visitor, request: Request, version: str) -> ASGIApp:
    """What answers a request of a version whose requests stand alone: a token says which instance they are for."""
    guest = visitor.invited(world)
    if guest is None:
        raise BadRequest(
            f"Version {version:.40} has no sessions, so the URL must name an instance, ?instance=<its token>; for an "
            f"instance of your own, initialize a session",
            rpc_code=types.UNSUPPORTED_PROTOCOL_VERSION,
            supported=list(HANDSHAKE_PROTOCOL_VERSIONS),
            requested=version,
        )
    return partial(_answer_alone, guest, _streams(visitor, request))


def _streams(visitor: Visitor, request: Request) -> bool:
    """Is a call answered with a stream? A client that takes nothing but JSON gets that."""
    return visitor.answers == "stream" and check_accept_headers(request)[1]


async def _answer_alone(guest: Guest, streams: bool, scope: Scope, receive: Receive, send: Send) -> None:
    # A manager of its own: what it keeps for its requests, the guest, differs with each.
    manager = StreamableHTTPSessionManager(
        server_for(guest), stateless=True, json_response=not streams, max_request_body_size=_limit()
    )
    async with manager.run():
        await manager.handle_request(scope, receive, send)


def _refused(error: Exception) -> Response:
    refusal = refusal_of(error)
    body = protocol.rpc_error(None, refusal.rpc_code, refusal.message, refusal.extra or None)
    headers = _HEADERS.get(refusal.status)
    return Response(body, refusal.status, headers, media_type="application/json")
