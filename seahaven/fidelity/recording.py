"""How are exchanges with a real API recorded? A proxy that a client is pointed at writes a cassette."""

from __future__ import annotations

import asyncio
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from urllib.parse import urlsplit

import uvicorn

from seahaven.fidelity.cassette import Exchange, Headers, Writer
from seahaven.fidelity.errors import FidelityError
from seahaven.fidelity.proxy import Proxy
from seahaven.fidelity.redacting import Redactor

#: Which headers an exchange keeps; a secret in one of them is a placeholder there.
KEPT_OF_REQUESTS = (
    "accept", "accept-language", "authorization", "content-type", "idempotency-key", "if-*", "mcp-*", "prefer", "range",
    "*-account", "*-version", "*api-key", "*-token",
)  # fmt: skip
KEPT_OF_RESPONSES = (
    "allow", "content-disposition", "content-range", "content-type", "etag", "last-modified", "link", "location",
    "mcp-*", "retry-after", "www-authenticate",
)  # fmt: skip
#: So long may answers that are on their way take when the recording is ended.
_GRACE_S = 5


class _Server(uvicorn.Server):
    """uvicorn's server, which leaves its process alive when a signal has ended it."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {each: signal.signal(each, self.handle_exit) for each in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)


class Recording:
    """A recording that runs from `run()` until `stop()`, SIGTERM or Ctrl+C; `exchanges` counts what was kept.

    Raises: FidelityError for an address that is none, a file that is there already and a port that is taken; `run()`
    raises OSError when the cassette can no longer be written.
    """

    def __init__(
        self,
        upstream: str,
        to: Path,
        *,
        port: int = 0,
        redactor: Redactor | None = None,
        most: int = 5 * 1024 * 1024,
        timeout_s: float = 60,
        more_headers: tuple[str, ...] = (),
    ) -> None:
        self.upstream = _checked(upstream)
        self.exchanges = self.failures = 0
        self._begun = 0
        self._redactor = redactor or Redactor()
        self._trouble: Exception | None = None
        try:
            self._listener = socket.create_server(("127.0.0.1", port))
        except OSError as error:
            raise FidelityError(
                f"port {port} cannot be had ({error.strerror}); --port takes another, 0 a free one"
            ) from error
        try:
            self._writer = Writer(to, self.upstream, datetime.now(UTC))
        except BaseException:
            self._listener.close()
            raise
        self._proxy = Proxy(self.upstream, self, most=most, timeout_s=timeout_s)
        self._more_headers = more_headers
        self._server = _Server(
            uvicorn.Config(
                self._proxy,
                interface="asgi3",
                proxy_headers=False,
                log_level="error",
                log_config=None,
                lifespan="off",
                ws="none",
                server_header=False,
                date_header=False,
                timeout_graceful_shutdown=_GRACE_S,
            )
        )

    @property
    def url(self) -> str:
        """What the client is told to be the API's address."""
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def run(self, on_ready: Callable[[], object] | None = None) -> None:
        """Pass on and record until told to stop."""
        try:
            if on_ready is not None:
                on_ready()  # the port is open: whoever connects now is answered as soon as the server runs
            asyncio.run(self._serve())
        finally:
            self._writer.close()
            self._listener.close()
        if self._trouble is not None:
            raise self._trouble

    async def _serve(self) -> None:
        try:
            await self._server.serve(sockets=[self._listener])
        finally:
            await self._proxy.aclose()

    def stop(self) -> None:
        """End the recording, from any thread."""
        self._server.should_exit = True

    # What the proxy asks of a keeper.

    def begin(self) -> int:
        self._begun += 1
        return self._begun

    def keep(self, exchange: Exchange) -> None:
        """Write an exchange without its secrets; one that cannot be written ends the recording."""
        try:
            clean = self._redactor.exchange(replace(exchange, number=self.exchanges + 1))
            self._writer.add(self._with_few_headers(clean))
        except Exception as error:
            self._trouble = self._trouble or error
            self.stop()
            return
        self.exchanges += 1
        self.failures += exchange.failure is not None

    def _with_few_headers(self, exchange: Exchange) -> Exchange:
        asked, answer = exchange.request, exchange.response
        asked = replace(asked, headers=_among(asked.headers, (*KEPT_OF_REQUESTS, *self._more_headers)))
        if answer is not None:
            answer = replace(answer, headers=_among(answer.headers, (*KEPT_OF_RESPONSES, *self._more_headers)))
        return replace(exchange, request=asked, response=answer)


def _among(headers: Headers, names: tuple[str, ...]) -> Headers:
    return tuple((name, value) for name, value in headers if any(fnmatchcase(name, each) for each in names))


def _checked(upstream: str) -> str:
    parts = urlsplit(upstream)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise FidelityError(f"{upstream!r:.80} is no address of an API; write https://api.example.com")
    if parts.username is not None:
        raise FidelityError("leave the user out of the address: give credentials to the client, which sends them")
    if parts.query or parts.fragment:
        raise FidelityError(f"{upstream!r:.80} has a query; write only what all requests begin with")
    return upstream.rstrip("/")
