"""Which refusals are OpenEnv's own, and what may a client read of any other error?"""

from __future__ import annotations

import logging
import uuid
from typing import Any, ClassVar

from pydantic import ValidationError

from openenv_api import protocol
from worlds.engine import InstanceClosed, ToolError, WorldBug

logger = logging.getLogger(__name__)


class Refusal(Exception):
    """What a door answers instead of what was asked; each door has its own word for it."""

    code: ClassVar[str] = protocol.EXECUTION_ERROR  # in a frame
    status: ClassVar[int] = 400  # over HTTP
    rpc_code: ClassVar[int] = -32603  # in JSON-RPC

    def __init__(self, message: str, **extra: Any) -> None:
        super().__init__(message)
        self.message = message
        self.extra = extra

    def frame(self, request_id: Any = None) -> bytes:
        extra = self.extra if request_id is None else {**self.extra, "request_id": request_id}
        return protocol.error(self.code, self.message, extra)


class InvalidFrame(Refusal):
    """A message that is not what OpenEnv says it is; `errors` lists every violation as pydantic does."""

    code = protocol.VALIDATION_ERROR
    status = 422
    rpc_code = -32602

    def __init__(self, message: str, errors: list[dict[str, Any]] | None = None) -> None:
        super().__init__(message, errors=errors or [violation("value_error", message)])


class NotJson(Refusal):
    """Text that no JSON parser reads."""

    code = protocol.INVALID_JSON
    status = 422


class UnknownType(Refusal):
    """A frame of a type that is not OpenEnv's."""

    code = protocol.UNKNOWN_TYPE


class AtCapacity(Refusal):
    """Every session is taken."""

    code = protocol.CAPACITY_REACHED
    status = 503
    rpc_code = -32000

    def __init__(self, active: int, most: int) -> None:
        super().__init__(
            f"Server at capacity: {active}/{most} sessions active. Cannot accept new connections.",
            active_sessions=active,
            max_sessions=most,
        )


class NoSession(Refusal):
    """The session is not there, or not for whoever asks."""

    code = protocol.SESSION_ERROR
    status = 404
    rpc_code = -32602


class NoWorld(Refusal):
    """No world of that name is installed."""

    code = protocol.FACTORY_ERROR
    status = 404
    rpc_code = -32000


class CannotBegin(Refusal):
    """The arguments of a reset do not fit the world; the episode before it goes on."""


class EpisodeOver(Refusal):
    """The episode can take no more steps."""

    status = 409


class InternalError(Refusal):
    """A bug: its traceback is in the log, under the number the client is given."""

    status = 500


def violation(kind: str, message: str, *loc: str | int, value: Any = None) -> dict[str, Any]:
    """One violation, in pydantic's shape."""
    shown = f"{value:.200}" if isinstance(value, str) else value if isinstance(value, (int, float)) else None
    return {"type": kind, "loc": list(loc), "msg": message, "input": shown}


def invalid(what: str, error: ValidationError) -> InvalidFrame:
    """Pydantic's violations, in one sentence and as a list; of what was sent only scalars are echoed."""
    found = error.errors(include_url=False, include_context=False)
    said = "; ".join(f"{'.'.join(map(str, each['loc'])) or 'it'}: {each['msg']}" for each in found)
    errors = [violation(each["type"], each["msg"], *each["loc"], value=each["input"]) for each in found]
    return InvalidFrame(f"Invalid {what}: {said}", errors)


def refusal_of(error: Exception) -> Refusal:
    """What the client reads of an error; of a bug only the number it has in the log."""
    if isinstance(error, Refusal):
        return error
    return InternalError(f"internal error {incident_of(error)}")


def incident_of(error: Exception) -> str:
    """The number under which a bug is in the log from here on."""
    incident = uuid.uuid4().hex[:12]
    logger.error("incident %s", incident, exc_info=error)
    return incident


def refusal_to_begin(error: Exception) -> Refusal:
    """The same for a reset, where the client reads what does not fit the world or its fixture, too."""
    if isinstance(error, (ToolError, WorldBug)) and not isinstance(error, InstanceClosed):
        return CannotBegin(str(error))
    return refusal_of(error)
