"""What do OpenEnv's messages look like as JSON?

Frames are built from plain values and from JSON that exists already: a tool's result is spliced in, never decoded.
Nothing here knows Django or the engine, so the client shares it with the server.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

encode: Callable[[Any], bytes]
decode: Callable[[str | bytes], Any]
try:
    import orjson
except ImportError:  # the client alone, copied to where orjson is not

    def _encode(value: Any) -> bytes:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()

    encode, decode = _encode, json.loads
else:
    encode, decode = orjson.dumps, orjson.loads

INVALID_JSON = "INVALID_JSON"
UNKNOWN_TYPE = "UNKNOWN_TYPE"
VALIDATION_ERROR = "VALIDATION_ERROR"
EXECUTION_ERROR = "EXECUTION_ERROR"
CAPACITY_REACHED = "CAPACITY_REACHED"
FACTORY_ERROR = "FACTORY_ERROR"
SESSION_ERROR = "SESSION_ERROR"

Metadata = Mapping[str, Any]


# Tools.


def tool_result(result: bytes) -> bytes:
    """A tool's result, given as JSON, in the reference server's shape; clients read `data`."""
    text = result if result.startswith(b'"') else encode(result.decode())
    structured = result if result.startswith(b"{") else b'{"result":%b}' % result
    return b'{"content":[{"type":"text","text":%b}],"structured_content":%b,"data":%b,"is_error":false}' % (
        text, structured, result,
    )  # fmt: skip


# Observations, without the frame around them: the REST routes answer these.


def called(tool: str, result: bytes, metadata: Metadata, *, always: bool = False) -> bytes:
    """A tool answered `result`, given as JSON."""
    fields = b'"tool_name":%b,"result":%b,"error":null' % (encode(tool), tool_result(result))
    return _observation(fields, metadata, always)


def failed(tool: str, error_type: str, message: str, metadata: Metadata, *, always: bool = False) -> bytes:
    """A tool refused or failed; `error_type` is one of OpenEnv's words for it."""
    error = encode({"error_type": error_type, "message": message})
    return _observation(b'"tool_name":%b,"result":null,"error":%b' % (encode(tool), error), metadata, always)


def listed(tools: bytes, metadata: Metadata, *, always: bool = False) -> bytes:
    """What can be called: `tools` is a JSON array of {"name", "description", "input_schema"}."""
    return _observation(b'"tools":%b' % tools, metadata, always)


def began(metadata: Metadata, *, always: bool = False) -> bytes:
    """An episode began."""
    return _observation(b"", metadata, always)


def _observation(fields: bytes, metadata: Metadata, always: bool) -> bytes:
    # The metadata stands inside the observation, `{}` if there is none, and again beside it, absent if there is none:
    # older clients read the one, newer ones the other. HTTP has the second one `always`, null if there is none.
    inner = encode(metadata) if metadata else b"{}"
    outer = b',"metadata":%b' % inner if metadata else b',"metadata":null' if always else b""
    comma = b"," if fields else b""
    return b'{"observation":{"metadata":%b%b%b},"reward":null,"done":false%b}' % (inner, comma, fields, outer)


# Frames from the server.


def observation(data: bytes) -> bytes:
    return b'{"type":"observation","data":%b}' % data


def state(document: bytes) -> bytes:
    return b'{"type":"state","data":%b}' % document


def mcp(response: bytes) -> bytes:
    return b'{"type":"mcp","data":%b}' % response


def error(code: str, message: str, extra: Mapping[str, Any]) -> bytes:
    return encode({"type": "error", "data": {"message": message, "code": code, **extra}})


# JSON-RPC responses.


def rpc_result(id: Any, result: bytes) -> bytes:
    return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (encode(id), result)


def rpc_error(id: Any, code: int, message: str, data: Any = None) -> bytes:
    return encode({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message, "data": data}})


# Frames from the client.


def reset_frame(arguments: Mapping[str, Any]) -> bytes:
    return encode({"type": "reset", "data": arguments})


def step_frame(action: Mapping[str, Any]) -> bytes:
    return encode({"type": "step", "data": action})


def call_action(tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "call_tool", "tool_name": tool, "arguments": arguments}


LIST_TOOLS = {"type": "list_tools"}
STATE_FRAME = b'{"type":"state"}'
CLOSE_FRAME = b'{"type":"close"}'
