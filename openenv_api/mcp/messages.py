"""Which JSON-RPC request is that?"""

from __future__ import annotations

from typing import Any

from mcp_types import INVALID_REQUEST

from openenv_api.errors import Refusal


class BadId(Refusal):
    """The SDK would take the request for a notification, and its client would wait for ever."""

    rpc_code = INVALID_REQUEST


def id_of(message: Any) -> str | None:
    """The id of a request as text, None of anything else.

    Raises: BadId for one that is neither text nor a whole number.
    """
    if not isinstance(message, dict) or "method" not in message or "id" not in message:
        return None
    if type(message["id"]) not in (str, int):
        raise BadId("Invalid Request: the id of a request is text or a whole number")
    return str(message["id"])
