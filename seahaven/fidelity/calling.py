"""Which tool does a recorded exchange call, and what did it answer there?"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from seahaven.fidelity.bodies import Body
from seahaven.fidelity.cassette import Exchange, Request
from seahaven.fidelity.differences import Differences, Route
from seahaven.fidelity.errors import FidelityError

_REFERENCE = re.compile(r"\$(path|query|body)((?:\.[\w\[\]-]+)*)")
_SUBSCRIPT = re.compile(r"\[([^\]]*)\]")
_EVENT_DATA = re.compile(r"^data:\s?(.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call, and what the recording says came of it: a result, or a refusal's code where that is known."""

    tool: str
    arguments: Mapping[str, Any]
    is_refused: bool
    result: Any
    code: Any = None
    knows_code: bool = False


def rpc_method(exchange: Exchange) -> str | None:
    """The method of a request in an MCP session, `tools/call` and its kin; None for a request outside one."""
    body = exchange.request.body
    if body is None and exchange.request.header("mcp-session-id"):
        return f"a {exchange.request.method}"  # it waits for the server's own messages, or ends the session
    if body is None or body.kind != "json" or not isinstance(body.value, dict) or "jsonrpc" not in body.value:
        return None
    return str(body.value.get("method", ""))


def of_mcp(exchange: Exchange, asked: Request) -> ToolCall:
    """The call of a recorded MCP `tools/call`; `asked` is the request as the world is sent it.

    Raises: FidelityError where the answer is none.
    """
    assert asked.body is not None
    params = asked.body.value.get("params") or {}
    answer = _rpc_answer(exchange, asked.body.value.get("id"))
    if "error" in answer:
        return ToolCall(params.get("name", ""), params.get("arguments") or {}, True, answer["error"])
    result = answer.get("result")
    if not isinstance(result, dict):
        raise FidelityError("the recorded answer to tools/call has no result")
    texts = [part.get("text", "") for part in result.get("content") or [] if part.get("type") == "text"]
    said, read = result.get("structuredContent"), _read("".join(texts))
    if said is None or said == {"result": read}:  # what is no object is wrapped in one there
        said = read
    return ToolCall(params.get("name", ""), params.get("arguments") or {}, bool(result.get("isError")), said)


def of_route(exchange: Exchange, asked: Request, route: Route, differences: Differences) -> ToolCall:
    """The call that a file of differences puts in the place of a request."""
    found = route.request.match(asked.method, asked.path)
    said = {name: unquote(value) for name, value in (found or {}).items()}
    given = {"path": said, "query": _query(asked), "body": nested(asked.body)}
    if route.arguments is None:
        body = given["body"] if isinstance(given["body"], dict) else {}
        arguments = {**given["query"], **body, **said}
    else:
        arguments = {name: _filled(value, given) for name, value in route.arguments.items()}
        arguments = {name: value for name, value in arguments.items() if value is not _ABSENT}
    answer = exchange.response
    assert answer is not None
    recorded = nested(answer.body)
    if answer.status >= 400:
        code = None if route.error is None else _at(recorded, route.error)
        return ToolCall(route.tool, arguments, True, recorded, code, route.error is not None)
    result = _at(recorded, route.result)
    if result is _ABSENT:
        raise FidelityError(f"the recorded answer has no {route.result}, where tool {route.tool}'s result should stand")
    return ToolCall(route.tool, arguments, False, result)


def nested(body: Body | None) -> Any:
    """A body as one JSON value; a form's `a[b][0]` is an item of a list in a mapping."""
    if body is None:
        return None
    if body.kind != "form":
        return body.value
    made: dict[str, Any] = {}
    for name, value in body.value.items():
        first, *rest = [name.partition("[")[0], *_SUBSCRIPT.findall(name)]
        place = made
        for part in rest:
            place = place.setdefault(first, {})
            first = part
        place[first] = value
    return _with_lists(made)


class _Absent:
    """What a request does not say."""


_ABSENT = _Absent()


def _query(asked: Request) -> dict[str, Any]:
    from urllib.parse import parse_qsl

    form: dict[str, Any] = {}
    for name, value in parse_qsl(asked.query, keep_blank_values=True):
        form[name] = [*form[name], value] if isinstance(form.get(name), list) else value
    return dict(nested(Body("form", form)))


def _with_lists(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    inner = {name: _with_lists(each) for name, each in value.items()}
    if inner and all(name.isdecimal() for name in inner):
        return list(inner.values())
    if list(inner) == [""]:
        return inner[""] if isinstance(inner[""], list) else [inner[""]]
    return inner


def _filled(value: Any, given: Mapping[str, Any]) -> Any:
    found = _REFERENCE.fullmatch(value) if isinstance(value, str) else None
    return value if found is None else _at(given[found[1]], f"${found[2]}")


def _at(value: Any, path: str) -> Any:
    for name in path.split(".")[1:]:
        if not isinstance(value, dict) or name not in value:
            return _ABSENT
        value = value[name]
    return value


def _rpc_answer(exchange: Exchange, id_: Any) -> dict[str, Any]:
    body = exchange.response.body if exchange.response else None
    if body is not None and body.kind == "json" and isinstance(body.value, dict):
        return body.value
    if body is not None and body.kind == "text":  # a stream of server-sent events: the answer is one of them
        for data in _EVENT_DATA.findall(body.value):
            said = _read(data)
            if isinstance(said, dict) and said.get("id") == id_ and ("result" in said or "error" in said):
                return said
    raise FidelityError("the recorded answer to tools/call is no JSON-RPC answer")


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
