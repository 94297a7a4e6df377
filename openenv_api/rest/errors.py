"""What does a client of the REST API read when something is refused?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.http import HttpRequest, HttpResponse
from rest_framework import exceptions

from openenv_api.errors import EpisodeOver, NoWorld, Refusal, incident_of
from openenv_api.http import json_response
from worlds.engine import CallTimeout, DbError, InstanceClosed, ToolError, UnknownTool, WorldBug
from worlds.engine.hosting import HostFull

#: The code of a refusal that has none of its own, by its status.
CODES = {
    400: "bad_request", 401: "unauthorized", 403: "forbidden", 404: "not_found", 405: "method_not_allowed",
    409: "instance_over", 413: "too_large", 415: "unsupported_media_type", 422: "invalid", 503: "at_capacity",
}  # fmt: skip
RETRY_AFTER_S = 5


class Problem(Exception):
    """A refusal in the API's own words."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        details: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message
        self.details, self.headers = dict(details or {}), dict(headers or {})
        self.incident: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """The one shape every error has."""
        return {"code": self.code, "message": self.message, "details": self.details, "incident": self.incident}

    def response(self) -> HttpResponse:
        response = json_response({"error": self.as_dict()}, self.status)
        for name, value in self.headers.items():
            response[name] = value
        return response


class BrokenTool(Exception):
    """A tool failed otherwise than with a refusal; the cause is its bug. The call is in the log, at its ordinal."""

    def __init__(self, ordinal: int) -> None:
        super().__init__(ordinal)
        self.ordinal = ordinal


@contextmanager
def refusing(code: str, status: int = 422) -> Iterator[None]:
    """A block in which the engine says of what was asked that it does not fit."""
    try:
        yield
    except (InstanceClosed, HostFull):
        raise
    except ToolError as error:
        if isinstance(error, CallTimeout):
            raise
        raise Problem(status, error.code, error.message, error.details) from error
    except WorldBug as error:
        raise Problem(status, code, str(error)) from error


def problem_of(error: Exception) -> Problem:
    """What the client reads of any error; of a bug only the number under which it is in the log."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, Refusal):
        return _of_refusal(error)
    if isinstance(error, exceptions.APIException):
        return _of_framework(error)
    if isinstance(error, InstanceClosed):
        return Problem(409, "instance_over", str(error))
    if isinstance(error, HostFull):
        return Problem(503, "at_capacity", str(error), headers={"Retry-After": str(RETRY_AFTER_S)})
    if isinstance(error, CallTimeout):
        return Problem(504, error.code, error.message)
    if isinstance(error, DbError):
        return Problem(422, error.code, error.message, {"sqlite": error.sqlite_message, "refusals": error.refusals})
    if isinstance(error, ToolError):
        return Problem(404 if isinstance(error, UnknownTool) else 422, error.code, error.message, error.details)
    return _of_bug(error)


def _of_bug(error: Exception) -> Problem:
    bug, details = error, {}
    if isinstance(error, BrokenTool) and isinstance(error.__cause__, Exception):
        bug, details = error.__cause__, {"ordinal": error.ordinal}
    incident = incident_of(bug)
    problem = Problem(500, "internal_error", f"internal error {incident}", details)
    problem.incident = incident
    return problem


def _of_refusal(refusal: Refusal) -> Problem:
    if refusal.status == 500:
        return _of_bug(refusal)
    code = "unknown_world" if isinstance(refusal, NoWorld) else CODES.get(refusal.status, "refused")
    headers = {"WWW-Authenticate": "Bearer"} if refusal.status == 401 else {}
    message = refusal.message
    if isinstance(refusal, EpisodeOver):
        message = message.partition(" Reset to start")[0]  # of an episode of OpenEnv's
    return Problem(refusal.status, code, message, headers=headers)


def _of_framework(error: exceptions.APIException) -> Problem:
    if isinstance(error, exceptions.ValidationError):
        violations = list(_violations(error.detail, ()))
        said = "; ".join(
            f"{each['path']}: {each['message']}" if each["path"] else each["message"] for each in violations
        )
        return Problem(422, "invalid", f"Invalid request: {said:.2000}", {"violations": violations})
    if isinstance(error, exceptions.UnsupportedMediaType):
        return Problem(415, CODES[415], f"{error.detail} Send JSON, and say so: Content-Type: application/json.")
    code = "invalid_json" if isinstance(error, exceptions.ParseError) else CODES.get(error.status_code, "refused")
    return Problem(error.status_code, code, str(error.detail))


def _violations(detail: Any, path: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """What the framework found, flat: [{"path", "message", "type"}], as the refusal of a tool's arguments has them."""
    if isinstance(detail, dict):
        for name, inner in detail.items():
            yield from _violations(inner, path if name == "non_field_errors" else (*path, str(name)))
    elif isinstance(detail, list):
        for inner in detail:
            yield from _violations(inner, path)
    else:
        yield {"path": ".".join(path), "message": str(detail), "type": str(getattr(detail, "code", "invalid"))}


def answer_to(request: HttpRequest, status: int, message: str) -> HttpResponse:
    """The answer where no view was reached."""
    return Problem(status, CODES.get(status, "refused"), message).response()
