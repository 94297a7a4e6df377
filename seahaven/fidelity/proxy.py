"""What stands between a client and the real API, and sees every exchange? An ASGI application that passes all on."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from datetime import UTC, datetime
from typing import Any, Protocol

import httpx2

from seahaven.fidelity.bodies import Body, decoded, unpacked
from seahaven.fidelity.cassette import Exchange, Headers, Request, Response

Event = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]
RawHeaders = list[tuple[bytes, bytes]]

#: Of one connection, and not of what is passed on.
_OF_THE_HOP = frozenset(
    b"connection expect keep-alive proxy-authenticate proxy-connection te trailer transfer-encoding upgrade".split()
)
_LEADING_TO_UPSTREAM = (b"location", b"content-location", b"link")
_BODILESS = (204, 304)


class Keeper(Protocol):
    """Where exchanges go."""

    def begin(self) -> int:
        """Which exchange begins, counted from 1."""

    def keep(self, exchange: Exchange) -> None:
        """Take an exchange that is complete; its number is given here."""


class Proxy:
    """Passes requests on to the API at `upstream`, and answers back, while both stream; `keeper` gets each exchange.

    Units: `most` bytes of a body are kept, `timeout_s` is how long to wait for a connection or for the next bytes.
    """

    def __init__(
        self,
        upstream: str,
        keeper: Keeper,
        *,
        most: int = 5 * 1024 * 1024,
        timeout_s: float = 60,
    ) -> None:
        self._upstream = upstream.rstrip("/")
        self._keeper, self._most = keeper, most
        # Nothing of the machine's own settings: a `.netrc` would add credentials that the client did not send.
        self._client = httpx2.AsyncClient(follow_redirects=False, trust_env=False, timeout=timeout_s)

    async def __call__(self, scope: Event, receive: Receive, send: Send) -> None:
        passing = _Passing(scope, receive, send, self._most)
        begun, at, started = self._keeper.begin(), datetime.now(UTC), time.monotonic()

        def note(failure: str | None = None) -> None:
            if passing.is_noted:
                return
            passing.is_noted = True
            asked = Request(
                scope["method"],
                passing.path,
                scope["query_string"].decode("latin-1"),
                _read(scope["headers"]),
                passing.request.body(_header(scope["headers"], b"content-type"), passing.encoding),
            )
            answer = passing.answer()
            took_ms = round((time.monotonic() - started) * 1000)
            self._keeper.keep(Exchange(0, begun, at, took_ms, asked, answer, failure))

        try:
            await self._pass_on(passing, note)
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            status, said = _told(error, self._upstream)
            note(said)
            # An answer that has begun can only be broken off: returning does, and the server closes the connection.
            if passing.response is None:
                await passing.refuse(status, said)
        except _Gone:
            note("the client hung up before its request was whole")

    async def aclose(self) -> None:
        await self._client.aclose()

    async def _pass_on(self, passing: _Passing, note: Callable[[str | None], None]) -> None:
        request = httpx2.Request(
            passing.scope["method"],
            self._upstream + "/",
            headers=passing.headers_for_upstream(),
            content=passing.asked() if passing.has_body else None,
            # As it was sent, where a URL would be spelled anew.
            extensions={"target": self._target(passing)},
        )
        answer = await self._client.send(request, stream=True)
        try:
            await self._give_back(passing, answer, note)
        finally:
            await answer.aclose()

    async def _give_back(self, passing: _Passing, answer: httpx2.Response, note: Callable[[str | None], None]) -> None:
        passing.response = answer
        length = int(answer.headers.get("content-length", -1))
        is_empty = passing.scope["method"] == "HEAD" or answer.status_code in _BODILESS or length == 0
        if is_empty:
            note(None)
        await passing.start(answer.status_code, self._headers_back(passing, answer))
        # Noted before the client has all of it: whoever has its answer may end this process.
        is_event_stream = "event-stream" in answer.headers.get("content-type", "")
        async for chunk in answer.aiter_raw():
            passing.reply.add(chunk)
            if passing.is_gone and is_event_stream:
                note(f"the client hung up after {passing.reply.length} bytes of the answer")
                return
            if passing.reply.length == length:
                note(None)
            await passing.send({"type": "http.response.body", "body": chunk, "more_body": True})
        note(None)
        await passing.send({"type": "http.response.body", "body": b""})

    def _target(self, passing: _Passing) -> bytes:
        base = httpx2.URL(self._upstream).raw_path.rstrip(b"/")
        query: bytes = passing.scope["query_string"]
        return base + passing.path.encode("latin-1") + (b"?" + query if query else b"")

    def _leading_here(self, value: bytes, here: bytes) -> bytes:
        """A header with the recording's own address in the place of the API's."""
        value = re.sub(re.escape(self._upstream.encode()) + rb"(?=[/?#>\"]|$)", lambda _: here, value)
        base = httpx2.URL(self._upstream).raw_path.rstrip(b"/")
        return value[len(base) :] if base and value.startswith(base + b"/") else value

    def _headers_back(self, passing: _Passing, answer: httpx2.Response) -> RawHeaders:
        here = b"http://" + _header(passing.scope["headers"], b"host").encode("latin-1")
        return [
            (name, self._leading_here(value, here) if name.lower() in _LEADING_TO_UPSTREAM else value)
            for name, value in answer.headers.raw
            if name.lower() not in _OF_THE_HOP
        ]


class _Gone(Exception):
    """The client left before its request was whole."""


class _Passing:
    """One request on its way there, and its answer on the way back."""

    def __init__(self, scope: Event, receive: Receive, send: Send, most: int) -> None:
        self.scope, self._receive, self.send = scope, receive, send
        self.path: str = scope["raw_path"].decode("latin-1").partition("?")[0] or "/"
        self.request, self.reply = _Held(most), _Held(most)
        self.response: httpx2.Response | None = None
        self.encoding = _header(scope["headers"], b"content-encoding")
        names = {name for name, _ in scope["headers"]}
        self.has_body = b"transfer-encoding" in names or _header(scope["headers"], b"content-length") not in ("", "0")
        self.is_gone = self.is_noted = False
        self._watch: asyncio.Task[None] | None = None

    async def asked(self) -> AsyncIterator[bytes]:
        """The body of the request, as it comes in."""
        while True:
            event = await self._receive()
            if event["type"] == "http.disconnect":
                raise _Gone
            if chunk := event.get("body", b""):
                self.request.add(chunk)
                yield chunk
            if not event.get("more_body"):
                return

    def headers_for_upstream(self) -> RawHeaders:
        named = {name.strip().lower() for name in _header(self.scope["headers"], b"connection").encode().split(b",")}
        left_out = _OF_THE_HOP | named | {b"host", b"accept-encoding"}
        wanted = _header(self.scope["headers"], b"accept-encoding")
        # What is packed otherwise could be passed on, and not be read.
        packed = ", ".join(each for each in ("gzip", "deflate") if each in wanted) or "identity"
        return [
            *((name, value) for name, value in self.scope["headers"] if name not in left_out),
            (b"accept-encoding", packed.encode()),
        ]

    async def start(self, status: int, headers: RawHeaders) -> None:
        await self.send({"type": "http.response.start", "status": status, "headers": headers})
        self._watch = asyncio.create_task(self._notice_leaving())

    async def _notice_leaving(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self.is_gone = True

    async def refuse(self, status: int, said: str) -> None:
        body = json.dumps({"error": {"type": "seahaven_record", "message": said}}).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await self.send({"type": "http.response.start", "status": status, "headers": headers})
        await self.send({"type": "http.response.body", "body": body})

    def answer(self) -> Response | None:
        if self.response is None:
            return None
        headers = self.response.headers
        body = self.reply.body(headers.get("content-type", ""), headers.get("content-encoding", ""))
        return Response(self.response.status_code, _read(headers.raw), body)


class _Held:
    """The bytes of a body that went by, as many as are kept."""

    def __init__(self, most: int) -> None:
        self.length = 0
        self._most = most
        self._chunks: list[bytes] = []

    def add(self, chunk: bytes) -> None:
        self.length += len(chunk)
        if self.length <= self._most:
            self._chunks.append(chunk)
        else:
            self._chunks.clear()

    def body(self, content_type: str, encoding: str) -> Body | None:
        if self.length > self._most:
            return Body("left_out", f"it has {self.length} bytes, more than the limit of {self._most}")
        if not self._chunks:
            return None
        data = unpacked(b"".join(self._chunks), encoding, self._most)
        return Body("left_out", data) if isinstance(data, str) else decoded(data, content_type)


def _told(error: Exception, upstream: str) -> tuple[int, str]:
    """The status for the client, and what went wrong in words."""
    reason = str(error) or type(error).__name__
    if isinstance(error, httpx2.TimeoutException):
        return 504, f"{upstream} took too long: {type(error).__name__}"
    if isinstance(error, httpx2.ConnectError):
        return 502, f"{upstream} cannot be reached: {reason}"
    return 502, f"the connection to {upstream} failed: {reason}"


def _header(headers: RawHeaders, name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in headers if key.lower() == name), "")


def _read(headers: RawHeaders) -> Headers:
    return tuple((name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in headers)
