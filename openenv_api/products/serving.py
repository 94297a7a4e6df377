"""What is answered to a product's own SDK?

A plain ASGI application in front of Django: a request of an SDK needs none of what Django does around a view, and that
would cost more than the call.
"""

from __future__ import annotations

import logging
import re
import uuid
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import unquote

import orjson
from django.conf import settings
from django.http.request import split_domain_port, validate_host

from openenv_api import access
from openenv_api.errors import NoSession, NotJson, Refusal
from openenv_api.products import accounts
from worlds.engine import CallTimeout, HttpRequest, HttpResponse, InstanceClosed, World, WorldBug, installed
from worlds.engine.hosting import HOSTS, Hosted, HostFull

logger = logging.getLogger(__name__)
Event = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]
App = Any  # an ASGI application: each library has a type of its own for it
Handler = Callable[[HttpRequest], Awaitable[HttpResponse]]

_PREFIX = "x-forwarded-prefix"
#: How a world says that an answer shall get lost on its way.
_BROKEN = ("x-seahaven-connection", "broken")
_NODE = re.compile(r"/instances/([^/]+)/([^/]+)(/.+)")


class ProductApis:
    """Serves the HTTP APIs of worlds; every other request goes on to `inner`."""

    def __init__(self, inner: App) -> None:
        self._inner = inner
        self._worlds = {name: world for name in installed.names() if (world := installed.get(name)).http is not None}

    async def __call__(self, scope: Event, receive: Receive, send: Send) -> None:
        handler = self._handler(scope["path"])
        if handler is None:
            await self._inner(scope, receive, send)
            return
        try:
            answer = await handler(await _asked(scope, receive))
        except _Gone:
            return
        except Exception as error:
            answer = _refused(error)
        headers = [(name.encode(), value.encode("latin-1", "replace")) for name, value in answer.headers]
        if _BROKEN in answer.headers:
            await _break_off(send, answer.status, headers)
            return
        headers.append((b"content-length", str(len(answer.body)).encode()))
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        await send({"type": "http.response.body", "body": answer.body if scope["method"] != "HEAD" else b""})

    def _handler(self, path: str) -> Handler | None:
        """Who answers: `/stripe/<instance>/v1/…`, `/instances/<id>/<node>/v1/…`, or what a world has at the root."""
        first, _, rest = path.lstrip("/").partition("/")
        if first in self._worlds and rest:
            name, _, below = rest.partition("/")
            return lambda request: self._of_instance(self._worlds[first], name, below, request)
        if node := _NODE.fullmatch(path):
            return lambda request: _of_node(node[1], node[2], node[3], request)
        for world in self._worlds.values():
            api = world.http
            assert api is not None
            if f"/{first}" in api.roots:
                return lambda request, world=world: _of_key(world, request)  # type: ignore[misc]
            if path == "/" and api.front is not None:
                return lambda request, front=api.front: _front(front, request)  # type: ignore[misc]
        return None

    async def _of_instance(self, world: World, name: str, below: str, request: HttpRequest) -> HttpResponse:
        grant = access.grant_of(request.header("x-api-key"))
        if not below:
            return await _lifecycle(world, name, request)
        grant.require(access.Scope.AGENT, f"use the API of world {world.name}")
        return await _forward(world, await accounts.named(world, name), request, f"/{below}")


async def _break_off(send: Send, status: int, headers: list[tuple[bytes, bytes]]) -> None:
    """Promise an answer and stop before its end, so that the server closes the connection."""
    headers.append((b"content-length", b"2"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b"{", "more_body": True})


class _Gone(Exception):
    """The client left before its request was whole."""


async def _asked(scope: Event, receive: Receive) -> HttpRequest:
    headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"])
    host, _ = split_domain_port(next((value for name, value in headers if name == "host"), ""))
    if not validate_host(host, settings.ALLOWED_HOSTS):
        raise Refusal(f"This server does not answer to the host {host!r:.80}; add it to SEAHAVEN_ALLOWED_HOSTS.")
    body, most = bytearray(), settings.SEAHAVEN_MAX_MESSAGE_MIB * 1024 * 1024
    while True:
        event = await receive()
        if event["type"] == "http.disconnect":
            raise _Gone
        body += event.get("body", b"")
        if len(body) > most:
            raise TooLarge(f"The body is larger than {settings.SEAHAVEN_MAX_MESSAGE_MIB} MiB.")
        if not event.get("more_body"):
            break
    query = scope["query_string"].decode("latin-1")
    return HttpRequest(scope["method"].upper(), unquote(scope["path"]), query, headers, bytes(body))


async def _lifecycle(world: World, name: str, request: HttpRequest) -> HttpResponse:
    """PUT opens an instance anew, DELETE ends it, GET says what it is."""
    if request.method == "PUT":
        try:
            body = request.json() if request.body.strip() else None
        except ValueError as error:
            raise NotJson(f"JSON decode error: {error}") from None
        before = accounts.find(world, name)
        hosted = await accounts.open_named(world, name, accounts.opening(body).start())
        return HttpResponse.of_json(_described(hosted), 201 if before is None else 200)
    if request.method == "DELETE":
        accounts.require(world, name).end("its client deleted it")
        return HttpResponse(204)
    if request.method == "GET":
        return HttpResponse.of_json(_described(accounts.require(world, name)))
    message = "An instance is opened with PUT, ended with DELETE, seen with GET."
    return _error(405, "invalid_request_error", message, (("allow", "GET, PUT, DELETE"),))


def _described(hosted: Hosted) -> dict[str, Any]:
    assert hosted.instance is not None
    return {
        "id": hosted.id,
        "name": hosted.name,
        "world": hosted.world.name,
        "fixture": hosted.instance.fixture,
        "now": hosted.instance.clock.iso(),
        "clock_mode": hosted.instance.clock.mode,
    }


async def _of_key(world: World, request: HttpRequest) -> HttpResponse:
    """For clients that know a host and a key: the key says which instance."""
    api = world.http
    assert api is not None
    assert api.account_of is not None
    name = api.account_of(request)
    if access.KEYS.are_required and (name is None or accounts.find(world, name) is None):
        # A name can be guessed, so on a guarded server only what was opened with one of its keys is reached by name.
        access.grant_of(request.header("x-api-key"))
    # Without an account there is nobody to ask, and the product's own words say so.
    return await _forward(world, await accounts.named(world, name or "nobody"), request, request.path)


async def _of_node(name: str, node: str, path: str, request: HttpRequest) -> HttpResponse:
    """One world inside an instance, by its path with `__` for `/`."""
    hosted = HOSTS.get(name)
    if hosted is None or hosted.instance is None:
        raise NoSession(f"There is no instance {name!r:.80} on this server.")
    here = f"/instances/{name}/{node}"
    return await hosted.move(hosted.instance.http, _at(request, path, here), node.replace("__", "/"))


async def _front(front: HttpResponse, request: HttpRequest) -> HttpResponse:
    return front


async def _forward(world: World, hosted: Hosted, request: HttpRequest, path: str) -> HttpResponse:
    assert hosted.instance is not None
    here = f"/{world.name}/{hosted.name or hosted.id}"
    return await hosted.move(hosted.instance.http, _at(request, path, here), accounts.path_in(hosted, world))


def _at(request: HttpRequest, path: str, prefix: str) -> HttpRequest:
    """A request below the API's own root; what stood before it is told as proxies tell it, for links that come back.

    The server's own key stays here: the world has no use for it, and an exported episode would carry it away.
    """
    headers = (pair for pair in request.headers if pair[0] not in (_PREFIX, "x-api-key"))
    return HttpRequest(request.method, path, request.query, (*headers, (_PREFIX, prefix)), request.body)


class TooLarge(Refusal):
    """A body of more than the server reads."""

    status = 413


def _refused(error: Exception) -> HttpResponse:
    """What goes wrong before or behind the product's API, in the envelope its SDK reads."""
    if isinstance(error, Refusal):
        return _error(400 if isinstance(error, NotJson) else error.status, "invalid_request_error", error.message)
    if isinstance(error, HostFull):
        return _error(503, "api_error", str(error))
    if isinstance(error, CallTimeout | InstanceClosed):
        return _error(504 if isinstance(error, CallTimeout) else 410, "api_error", str(error))
    if isinstance(error, WorldBug):
        return _error(400, "invalid_request_error", str(error))
    incident = uuid.uuid4().hex[:12]
    logger.error("incident %s", incident, exc_info=error)
    return _error(500, "api_error", f"internal error {incident}")


def _error(status: int, kind: str, message: str, headers: tuple[tuple[str, str], ...] = ()) -> HttpResponse:
    body = orjson.dumps({"error": {"type": kind, "message": message}})
    return HttpResponse(status, (("content-type", "application/json"), *headers), body)
