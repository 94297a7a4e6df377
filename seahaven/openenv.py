"""How does a Python program drive a Seahaven server? By a client that needs no Django."""

from openenv_api.client import (
    AnswerTimeout,
    AsyncSeahavenClient,
    ClientError,
    Observation,
    SeahavenClient,
    ServerRefused,
    ServerUnreachable,
    SessionLost,
    ToolFailure,
)

__all__ = [
    "AnswerTimeout",
    "AsyncSeahavenClient",
    "ClientError",
    "Observation",
    "SeahavenClient",
    "ServerRefused",
    "ServerUnreachable",
    "SessionLost",
    "ToolFailure",
]
