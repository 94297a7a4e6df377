"""What crosses a product's own HTTP API, and what does a world send of itself, whichever server carries it?"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, Self

import orjson

from worlds.engine.errors import WorldBug

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
#: Answers that have no body, whatever was written.
_BODILESS = (204, 304)

Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request to a world's HTTP API.

    Shape: `method` in upper case; `path` decoded, from the API's own root, "/v1/customers"; `query` as it was sent,
    without "?"; `headers` with names in lower case, in their order.
    """

    method: str
    path: str
    query: str = ""
    headers: Headers = ()
    body: bytes = b""

    @classmethod
    def of(
        cls,
        method: str,
        path: str,
        *,
        query: str = "",
        headers: Mapping[str, str] | Iterable[tuple[str, str]] = (),
        body: bytes | str = b"",
    ) -> Self:
        """A request from what a test or a tool has at hand."""
        pairs = headers.items() if isinstance(headers, Mapping) else headers
        return cls(
            method.upper(),
            path if path.startswith("/") else f"/{path}",
            query,
            tuple((name.lower(), value) for name, value in pairs),
            body.encode() if isinstance(body, str) else body,
        )

    def header(self, name: str) -> str | None:
        """The first header of that name, or None."""
        wanted = name.lower()
        return next((value for key, value in self.headers if key == wanted), None)

    def json(self) -> Any:
        """The body as JSON.

        Raises: ValueError for a body that is none.
        """
        return orjson.loads(self.body)


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """What a world's HTTP API answers.

    Raises: WorldBug for a status outside 200 to 599 and for a header that no server could send.
    """

    status: int = 200
    headers: Headers = ()
    body: bytes = b""

    def __post_init__(self) -> None:
        if isinstance(self.status, bool) or not isinstance(self.status, int) or not 200 <= self.status <= 599:
            raise WorldBug(f"an HTTP API answered status {self.status!r:.60}; it must be a number from 200 to 599")
        for name, value in self.headers:
            if not _HEADER_NAME.fullmatch(name) or any(c in value for c in "\r\n\0"):
                raise WorldBug(f"an HTTP API answered the header {name!r:.60}: {value!r:.60}, which cannot be sent")
        if self.status in _BODILESS:
            object.__setattr__(self, "body", b"")

    @classmethod
    def of_json(cls, value: Any, status: int = 200, headers: Headers = ()) -> Self:
        """A JSON answer."""
        return cls(status, (("content-type", "application/json"), *headers), orjson.dumps(value))

    def header(self, name: str) -> str | None:
        """The first header of that name, or None."""
        wanted = name.lower()
        return next((value for key, value in self.headers if key.lower() == wanted), None)

    def json(self) -> Any:
        """The body as JSON."""
        return orjson.loads(self.body)


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A request that a world wants sent to somewhere outside, by the process that serves its instance.

    Shape: `key` names it in its world; those of one `group` are sent one after the other, in the order they are listed.
    Units: not before `at`, on the instance's clock. `sign` makes the headers that depend on when it is sent, from
           the host's own time in whole seconds since 1970: whoever receives it compares them with a clock like that.
    """

    key: str
    url: str
    at: datetime
    group: str = ""
    method: str = "POST"
    headers: Headers = ()
    body: bytes = b""
    sign: Callable[[int], Headers] | None = None


class Outbox(NamedTuple):
    """What a world sends: see `Registrations.outbox`."""

    fn: Callable[..., Iterable[Outgoing]]
    told: Callable[..., Any]
