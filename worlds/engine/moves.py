"""What moved an instance on between its calls, and what came of it?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from worlds.engine.calls import Digest, ending
from worlds.engine.compact import compact
from worlds.engine.exchange import HttpRequest, HttpResponse


@dataclass(slots=True, kw_only=True)
class Between:
    """A move that is no call."""

    #: Calls made before it.
    calls: int
    #: The clock when it was over, in milliseconds since 1970, and how many change records there were then.
    now_ms: int = 0
    records: int = 0
    #: What is published of a failure, and what is kept in the process, as of a call.
    error: str | None = None
    cause: str | None = None
    tool_error: dict[str, Any] | None = None

    def fail(self, error: BaseException) -> None:
        """Note what the move ended in."""
        self.error, self.cause, self.tool_error = ending(error)


@dataclass(slots=True, kw_only=True)
class Advance(Between):
    """The clock was moved; `events` is how many came due."""

    ms: int
    events: int | None = None


@dataclass(slots=True, kw_only=True)
class Request(Between):
    """The HTTP API of a world was asked; a body of the answer that is too large to keep leaves its digest."""

    node: str
    request: HttpRequest
    response: HttpResponse | None = None
    digest: Digest | None = None

    def answered(self, response: HttpResponse, kept_bytes: int) -> None:
        """Note the answer."""
        if len(response.body) > kept_bytes:
            self.digest = Digest.of(response.body)
            response = replace(response, body=b"")
        self.response = replace(response, body=compact(response.body))

    def ended_as(self, other: Request) -> bool:
        """Did asking again bring the same answer?"""
        return (self.response, self.digest, self.error) == (other.response, other.digest, other.error)


@dataclass(slots=True, kw_only=True)
class Report(Between):
    """A world was told what came of a request it wanted sent."""

    node: str
    key: str
    outcome: dict[str, Any]


@dataclass(slots=True, kw_only=True)
class Bulk(Between):
    """A block of code wrote rows, which nobody can have it do again."""

    by: str
