"""How does a tool ask the account's API, and what does it answer when that is refused?

A tool answers JSON text, as the toolkit did: of a refusal it tells no more than what it failed to do.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import orjson

from worlds.engine import Ctx, HttpRequest, HttpResponse, WorldHandle, Worlds
from worlds.stripe_toolkit.startup import CUSTOMER

_HEADERS = {"authorization": "Bearer sk_test_toolkit", "content-type": "application/json"}


class Embedded(Worlds):
    """The world whose account the tools use."""

    stripe: WorldHandle


class Refused(Exception):
    """The API said no; `message` is its own."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def post(ctx: Ctx[Embedded], path: str, **params: Any) -> dict[str, Any]:
    """POST below `/v1/`; parameters that are None are left out.

    Raises: Refused.
    """
    body = orjson.dumps({name: value for name, value in params.items() if value is not None})
    return _good(ctx.worlds.stripe.http(HttpRequest.of("POST", f"/v1/{path}", headers=_HEADERS, body=body)))


def get(ctx: Ctx[Embedded], path: str, **params: Any) -> dict[str, Any]:
    """GET below `/v1/`.

    Raises: Refused.
    """
    return _good(ctx.worlds.stripe.http(HttpRequest.of("GET", f"/v1/{path}", query=_query(params), headers=_HEADERS)))


def delete(ctx: Ctx[Embedded], path: str) -> dict[str, Any]:
    """DELETE below `/v1/`.

    Raises: Refused.
    """
    return _good(ctx.worlds.stripe.http(HttpRequest.of("DELETE", f"/v1/{path}", headers=_HEADERS)))


def _query(params: dict[str, Any]) -> str:
    return urlencode({name: value for name, value in params.items() if value is not None})


def _good(answer: HttpResponse) -> dict[str, Any]:
    found: dict[str, Any] = answer.json()
    if answer.status >= 400:
        raise Refused(found["error"]["message"])
    return found


def listed(ctx: Ctx[Embedded], path: str, **params: Any) -> list[dict[str, Any]]:
    """The objects of the first page of a list.

    Raises: Refused.
    """
    data: list[dict[str, Any]] = get(ctx, path, **params)["data"]
    return data


def some(found: dict[str, Any], *names: str) -> dict[str, Any]:
    """Some fields of an object."""
    return {name: found.get(name) for name in names}


def customer(ctx: Ctx[Embedded], given: str | None) -> str | None:
    """The customer a tool is about: the one the agent acts for, before any it gives."""
    acting: str | None = ctx.state.get(CUSTOMER)
    return acting or given


def failed(to_do: str) -> str:
    """What is answered in place of an error."""
    return orjson.dumps(f"Failed to {to_do}").decode()
