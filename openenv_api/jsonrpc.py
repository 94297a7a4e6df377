"""What does OpenEnv's private JSON-RPC answer, over HTTP, inside `/ws` and over its own socket?

It is not MCP's handshake: four methods, one request, one response.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from openenv_api import protocol
from openenv_api.episodes import Episode, tools_json
from openenv_api.errors import NoSession, refusal_of
from openenv_api.sessions import Session, Sessions
from worlds.engine import Start, ToolError, World

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603
_KEYS = frozenset({"jsonrpc", "id", "method", "params"})


class RpcError(Exception):
    """An error as JSON-RPC words it."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data


def unparsable() -> bytes:
    """The response to text that is no JSON."""
    return protocol.rpc_error(None, PARSE_ERROR, "Parse error: the request is not JSON")


class Endpoint:
    """Answers requests for one world; `own` is the session of the socket it stands behind, if it does."""

    def __init__(self, sessions: Sessions, world: World, own: Session | None = None) -> None:
        self._sessions = sessions
        self._world = world
        self._own = own

    async def answer(self, request: Any) -> bytes:
        """The response to a request; every failure is one too."""
        if not _is_request(request):
            return protocol.rpc_error(None, INVALID_REQUEST, "Invalid Request: not a JSON-RPC 2.0 request")
        id = request.get("id")
        try:
            method, params = METHODS.get(request["method"]), request.get("params", {})
            if method is None:
                raise RpcError(METHOD_NOT_FOUND, f"Method not found: {request['method']}")
            if not isinstance(params, dict):
                raise RpcError(INVALID_PARAMS, "Invalid params: params must be an object")
            return protocol.rpc_result(id, await method(self, params))
        except RpcError as error:
            return protocol.rpc_error(id, error.code, error.message, error.data)
        except ToolError as error:
            return protocol.rpc_error(id, INTERNAL_ERROR, error.message, {"seahaven_error": error.to_dict()})
        except Exception as error:
            refusal = refusal_of(error)
            return protocol.rpc_error(id, refusal.rpc_code, refusal.message, refusal.extra or None)

    async def create(self, params: dict[str, Any]) -> bytes:
        session = self._own or self._sessions.open(self._world)
        return protocol.encode({"session_id": session.id})

    async def close(self, params: dict[str, Any]) -> bytes:
        session_id = _session_id(params)
        if session_id is None:
            raise RpcError(INVALID_PARAMS, "Invalid params: session_id is required")
        if self._own is not None and session_id == self._own.id:
            raise RpcError(INVALID_REQUEST, "This session is managed by its WebSocket; close that")
        session = self._sessions.held(session_id)
        if session.owned:
            raise NoSession(f"Session {session_id} belongs to its WebSocket; close that")
        if session.socket is not None:
            session.is_closing = True
            return protocol.encode({"session_id": session_id, "closed": False, "closing": True})
        self._sessions.end(session, "it was closed")
        return protocol.encode({"session_id": session_id, "closed": True})

    async def list_tools(self, params: dict[str, Any]) -> bytes:
        session = self._session(params)
        tools = protocol.decode(tools_json(session.world if session else self._world))
        return protocol.encode({"tools": [_camel(tool) for tool in tools]})

    async def call_tool(self, params: dict[str, Any]) -> bytes:
        """Call a tool, which is a step of the session; without one, on a world that is thrown away."""
        name, arguments = params.get("name"), params.get("arguments", {})
        if not isinstance(name, str):
            raise RpcError(INVALID_PARAMS, "Invalid params: name is required, and text")
        if not isinstance(arguments, dict):
            raise RpcError(INVALID_PARAMS, "Invalid params: arguments must be an object")
        session = self._session(params)
        if session is not None:
            return protocol.tool_result(await session.step(name, arguments))
        scratch = Episode(self._world, Start())
        try:
            return protocol.tool_result(await scratch.call(name, arguments))
        finally:
            scratch.end("it was for one call")

    def _session(self, params: dict[str, Any]) -> Session | None:
        session_id = _session_id(params)
        if session_id is None or (self._own is not None and session_id == self._own.id):
            return self._own
        return self._sessions.held(session_id)


METHODS: dict[str, Callable[[Endpoint, dict[str, Any]], Awaitable[bytes]]] = {
    "openenv/session/create": Endpoint.create,
    "openenv/session/close": Endpoint.close,
    "tools/list": Endpoint.list_tools,
    "tools/call": Endpoint.call_tool,
}


def _is_request(request: Any) -> bool:
    return (
        isinstance(request, dict)
        and request.keys() <= _KEYS
        and request.get("jsonrpc") == "2.0"
        and isinstance(request.get("method"), str)
        and (request.get("id") is None or type(request["id"]) in (str, int))
    )


def _session_id(params: dict[str, Any]) -> str | None:
    session_id = params.get("session_id")
    if session_id is not None and not isinstance(session_id, str):
        raise RpcError(INVALID_PARAMS, "Invalid params: session_id must be text")
    return session_id


def _camel(tool: dict[str, Any]) -> dict[str, Any]:
    return {"name": tool["name"], "description": tool["description"], "inputSchema": tool["input_schema"]}
