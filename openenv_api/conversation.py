"""What is said between a client and a server, and what does each answer mean? Nothing here sends or waits.

Both clients, the one that blocks and the one that awaits, hold such a conversation over a connection of their own.
"""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI

from openenv_api import protocol

#: Pauses before the attempts to take a dropped connection up again.
RESUME_AFTER_S = (0.0, 0.1, 0.5, 1.0, 2.0, 4.0)
#: So often is one request asked.
ATTEMPTS = 4
#: The close code for a message over the limit.
TOO_LARGE = 1009


class ClientError(RuntimeError):
    """A request was not answered."""


class ServerUnreachable(ClientError):
    """Nobody answers at the base URL."""


class ServerRefused(ClientError):
    """The server answered with an error frame; `code` is OpenEnv's word for it."""

    def __init__(self, code: str, message: str, data: Mapping[str, Any]) -> None:
        super().__init__(f"{message} ({code})")
        self.code = code
        self.message = message
        self.data = data


class SessionLost(ServerRefused):
    """The session is gone, and the episode with it; reset starts a new one."""


class AnswerTimeout(ClientError):
    """The answer did not come in time. The server may still be at it; the next request waits for its turn."""


@dataclass(frozen=True, slots=True)
class ToolFailure:
    """Why a tool did not do what was asked: `code` and `details` are the world's, `error_type` is OpenEnv's."""

    code: str
    message: str
    error_type: str
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Observation:
    """What a reset or a step answered; either `result` or `error` is what the tool said."""

    result: Any
    error: ToolFailure | None
    reward: float | None
    done: bool
    metadata: Mapping[str, Any]
    tool: str | None = None

    @property
    def ok(self) -> bool:
        """Did the tool do what was asked?"""
        return self.error is None


class Conversation:
    """One session, as its client knows it."""

    def __init__(self, base_url: str, world: str | None, options: dict[str, Any]) -> None:
        parts = urlsplit(base_url if "//" in base_url else f"//{base_url}")
        if not parts.hostname or parts.scheme not in ("", "http", "https", "ws", "wss"):
            raise ValueError(f"base_url is {base_url!r}; write http://127.0.0.1:8000")
        scheme = "wss" if parts.scheme in ("https", "wss") else "ws"
        place = f"/worlds/{quote(world, safe='')}" if world else ""
        self.base_url = base_url
        self.session_id: str | None = None
        self.options = options
        if parts.hostname in ("localhost", "127.0.0.1", "::1"):
            self.options.setdefault("proxy", None)
        self._url = f"{scheme}://{parts.netloc}{parts.path.rstrip('/')}{place}/ws"
        self._token: str | None = None
        self._has_stepped = False
        self._ids = (f"{prefix}-{number}" for prefix in [secrets.token_hex(4)] for number in itertools.count(1))

    @property
    def url(self) -> str:
        """Where to connect: to the session there was, if it can be resumed."""
        if self.session_id is None or self._token is None:
            return self._url
        return f"{self._url}?{urlencode({'session_id': self.session_id, 'resume': self._token})}"

    @property
    def is_resumable(self) -> bool:
        return self._token is not None

    def forget(self) -> None:
        self.session_id = self._token = None
        self._has_stepped = False

    # What is said: a frame, and the id its answer will bear.

    def reset(self, arguments: dict[str, Any]) -> tuple[str, str]:
        request_id = next(self._ids)
        return protocol.reset_frame({**arguments, "request_id": request_id}).decode(), request_id

    def step(self, action: Mapping[str, Any]) -> tuple[str, str]:
        request_id = next(self._ids)
        self._has_stepped = True
        metadata = {**action.get("metadata", {}), "request_id": request_id}
        return protocol.step_frame({**action, "metadata": metadata}).decode(), request_id

    # How the answers read.

    def read(self, text: str | bytes, request_id: str | None) -> dict[str, Any] | None:
        """The data of an answer; None for a late answer to another request.

        Raises: ServerRefused, SessionLost.
        """
        frame = protocol.decode(text)
        data: dict[str, Any] = frame["data"]
        said_id = data.get("request_id") if frame["type"] == "error" else (data.get("metadata") or {}).get("request_id")
        if said_id is not None and said_id != request_id:
            return None
        if frame["type"] == "error":
            raise self._refusal(data)
        return data

    def _refusal(self, data: dict[str, Any]) -> ServerRefused:
        is_lost = data["code"] == protocol.SESSION_ERROR
        if is_lost:
            self.forget()
        return (SessionLost if is_lost else ServerRefused)(data["code"], data["message"], data)

    def began(self, data: dict[str, Any]) -> Observation:
        observation = observation_of(data)
        self.session_id = observation.metadata.get("session_id")
        self._token = observation.metadata.get("resume_token")
        return observation

    def unreachable(self, error: Exception) -> ServerUnreachable:
        if isinstance(error, (InvalidHandshake, InvalidURI)):
            return ServerUnreachable(f"What answers at {self.base_url} is no OpenEnv server: {error}")
        return ServerUnreachable(
            f"No server answers at {self.base_url}: {error or type(error).__name__}. "
            f"Start one with `make run` or `manage.py seahaven_serve`, or correct base_url."
        )

    def recover(self, error: BaseException, attempt: int, timeout_s: float, *, is_reset: bool) -> None:
        """Return when the request is to be asked again over a new connection.

        Raises: what became of it, otherwise.
        """
        if isinstance(error, SessionLost) and is_reset and attempt < ATTEMPTS:
            return  # a reset needs no session that was
        if isinstance(error, TimeoutError):
            raise AnswerTimeout(f"No answer from {self.base_url} within {timeout_s:g} s") from None
        if not isinstance(error, ConnectionClosed):
            raise error
        if TOO_LARGE in (error.rcvd and error.rcvd.code, error.sent and error.sent.code):
            raise ClientError(f"The request is larger than {self.base_url} reads") from None
        if self._has_stepped and not self.is_resumable and not is_reset:
            self.forget()
            message = "The connection dropped before a reset gave the session an id to resume by; its episode is lost"
            raise SessionLost(protocol.SESSION_ERROR, message, {}) from None
        if attempt >= ATTEMPTS:
            raise ServerUnreachable(f"The connection to {self.base_url} dropped {attempt} times: {error}") from None


def observation_of(data: Mapping[str, Any]) -> Observation:
    """An observation as the wire has it, typed."""
    seen = data["observation"]
    metadata = data.get("metadata") or seen.get("metadata") or {}
    result, failure = seen.get("result"), seen.get("error")
    return Observation(
        result=result.get("data") if isinstance(result, dict) else seen.get("tools"),
        error=_failure(failure, metadata) if failure else None,
        reward=data.get("reward"),
        done=data.get("done", False),
        metadata=metadata,
        tool=seen.get("tool_name"),
    )


def _failure(failure: Mapping[str, Any], metadata: Mapping[str, Any]) -> ToolFailure:
    said = metadata.get("seahaven_error") or {}
    error_type = failure["error_type"]
    return ToolFailure(said.get("code", error_type), failure["message"], error_type, said.get("details", {}))
