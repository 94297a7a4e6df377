"""How is one tool call run, and what is kept of it?"""

from __future__ import annotations

import copy
import hashlib
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import orjson

from worlds.engine import active, results, spelling
from worlds.engine.compact import compact
from worlds.engine.composing import Layer, Route
from worlds.engine.ctx import Call, Ctx
from worlds.engine.errors import ToolError, WorldBug
from worlds.engine.exchange import HttpRequest, HttpResponse
from worlds.engine.node import Node
from worlds.engine.transaction import Transaction

logger = logging.getLogger("seahaven.calls")
INTERNAL = "internal error"


@dataclass(slots=True)
class CallRecord:
    """One dispatched call: `arguments` and `result` as JSON, the result only up to the size that is kept."""

    tool: str
    arguments: bytes
    #: The arguments themselves, where JSON says less than they do: a replay needs them.
    given: dict[str, Any] | None = None
    #: What is published of a failure, and what is kept in the process: a bug's own words are not for the agent.
    error: str | None = None
    cause: str | None = None
    tool_error: dict[str, Any] | None = None
    result: bytes | None = None
    #: What is left of a result that was too large to keep.
    digest: Digest | None = None
    #: The clock when it was over, in milliseconds since 1970.
    now_ms: int = 0

    def as_dict(self, *, with_result: bool = False) -> dict[str, Any]:
        """{"tool", "arguments", "error"}, and "result" when asked for: null when it failed or was too large to keep."""
        shown = {"tool": self.tool, "arguments": orjson.loads(self.arguments), "error": self.error}
        if with_result:
            shown["result"] = None if self.result is None else orjson.loads(self.result)
        return shown

    def arguments_again(self) -> dict[str, Any]:
        """The arguments as they were, the caller's to change."""
        return orjson.loads(self.arguments) if self.given is None else copy.deepcopy(self.given)

    def fail(self, error: BaseException) -> None:
        """Note what the call ended in."""
        self.error, self.cause, self.tool_error = ending(error)


def ending(error: BaseException) -> tuple[str, str, dict[str, Any] | None]:
    """What is kept of a failure: what is published of it, its own words, and a refusal as the agent reads it."""
    if isinstance(error, ToolError):
        return error.message, error.message, error.to_dict()
    return INTERNAL, f"{type(error).__name__}: {error}", None


class Digest(NamedTuple):
    """What is kept of a text that is not: `size` in bytes."""

    sha256: str
    size: int

    @classmethod
    def of(cls, text: bytes) -> Digest:
        return cls(hashlib.sha256(text).hexdigest(), len(text))

    def as_dict(self) -> dict[str, Any]:
        return {"sha256": self.sha256, "bytes": self.size}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a tool answered: the object itself, and the JSON every door sends."""

    result: Any
    json: bytes


def record_of(name: str, arguments: dict[str, Any]) -> CallRecord:
    """The record of a call about to run; what the tool does to its arguments later leaves it alone."""
    try:
        text = orjson.dumps(arguments, default=spelling.readable, option=orjson.OPT_NON_STR_KEYS)
        if orjson.loads(text) == arguments:
            return CallRecord(name, compact(text))
    except (TypeError, ValueError):  # an integer of more than 64 bits, half a surrogate pair, a loop, an odd __eq__
        text = spelling.lossy(arguments)
    given = arguments
    with suppress(TypeError, RecursionError):  # what cannot be copied is kept itself
        given = copy.deepcopy(arguments)
    return CallRecord(name, compact(text), given)


def run(at: Any, route: Route, arguments: dict[str, Any]) -> Outcome:
    """Run a call by its route, from the root: outer layers of every world on the way, the transaction, inner layers,
    the tool.

    The result is checked to be JSON inside the transaction, so that a tool that answers something else leaves no row.
    """
    call = Call(route.names[0], arguments, route.tool, route.owner)
    owner = at.by_path[route.owner]
    if not route.outer:
        return _core(at, owner, route, call)

    def end(call: Call) -> Any:
        return _core(at, owner, route, call).result

    with _settling(at, f"middleware around {call.name}"):
        result = _through(route.outer, at, call, end)
        # Encoded again: a layer may have changed the very object that the tool returned.
        return Outcome(result, results.encode(result, f"middleware around {call.name}"))


def run_nested(at: Any, route: Route, arguments: dict[str, Any]) -> Any:
    """Run a call that a world makes into one it embeds: its owner's layers only, a part of what is under way.

    Answers the result; it is checked to be JSON when the caller hands it on.
    """
    began = time.perf_counter()
    owner = at.by_path[route.owner]
    route = at.tree.owners_route(route)
    call = Call(route.names[0], arguments, route.tool, route.owner)
    error: BaseException | None = None
    try:
        with at.entered(owner):
            if not route.outer:
                return _core(at, owner, route, call, encoded=False).result
            return _through(route.outer, at, call, lambda call: _core(at, owner, route, call, encoded=False).result)
    except BaseException as raised:
        error = raised
        raise
    finally:
        _log_line(call.name, owner, (time.perf_counter() - began) * 1000, error, internal=True)


def exchange(at: Any, node: Node, request: HttpRequest) -> HttpResponse:
    """Ask a world's HTTP API: one transaction, kept whatever the status and undone when the handler raises.

    Raises: WorldBug for a world without an HTTP API, and for an answer that is no HttpResponse.
    """
    handler = node.world.http_handler
    if handler is None:
        raise WorldBug(f"world {node.world.name} has no HTTP API; decorate a function (ctx, request) with @http_api")
    with at.entered(node), at.transaction.frame(node):
        answer = handler(Ctx(node, None), request)
        if not isinstance(answer, HttpResponse):
            raise WorldBug(
                f"the HTTP API of world {node.world.name} answered {type(answer).__name__} to {request.method} "
                f"{request.path}; it must be an HttpResponse"
            )
        return answer


def _core(at: Any, owner: Node, route: Route, call: Call, *, encoded: bool = True) -> Outcome:
    transaction: Transaction = at.transaction
    if not route.tool.transaction and not transaction.is_open:
        with _settling(at, call.name):
            return _invoke(at, owner, route, call, encoded)
    frame = transaction.begin(owner)
    try:
        outcome = _invoke(at, owner, route, call, encoded)
        transaction.end(frame)
        return outcome
    except BaseException:
        transaction.undo(frame)
        raise


@contextmanager
def _settling(at: Any, what: str) -> Iterator[None]:
    """Undo a transaction that a block outside the call's own began and did not end.

    Raises: WorldBug when the block ended well otherwise.
    """
    were_open = [node for node in at.nodes if node.store.in_transaction]
    try:
        yield
        if any(node.store.in_transaction for node in at.nodes if node not in were_open):
            raise WorldBug(f"{what} began a transaction and did not end it; use `with ctx.db.transaction():`")
    except BaseException:
        for node in at.nodes:
            if node not in were_open:
                node.store.rollback()
        raise


def _invoke(at: Any, owner: Node, route: Route, call: Call, encoded: bool) -> Outcome:
    def tool(call: Call) -> Any:
        name = route.names[-1]
        called = call if call.name == name else replace(call, name=name)
        if active.current() is owner:
            return _tool(Ctx(owner, called), called)
        with at.entered(owner):
            return _tool(Ctx(owner, called), called)

    result = _through(route.inner, at, call, tool) if route.inner else tool(call)
    return Outcome(result, results.encode(result, call.name) if encoded else b"")


def _tool(ctx: Ctx, call: Call) -> Any:
    return call.tool.fn(ctx, **call.tool.validate(call.arguments))


def _through(layers: tuple[Layer, ...], at: Any, call: Call, end: Callable[[Call], Any]) -> Any:
    """Run `end` inside the layers, each as its own world.

    A layer that hands on a changed call rebinds `ctx.call` for those below it.
    """

    def descend(position: int, call: Call) -> Any:
        if position == len(layers):
            return end(call)
        path, name, fn = layers[position]
        node = at.by_path[path]
        called = call if call.name == name else replace(call, name=name)
        with at.entered(node):
            return fn(Ctx(node, called), called, lambda call: descend(position + 1, call))

    return descend(0, call)


def log_call(record: CallRecord, node: Node, ms: float, error: BaseException | None) -> None:
    """One line a call; a traceback only for what is no refusal, or for the reason behind one when debugging."""
    if error is not None and not isinstance(error, ToolError):
        logger.error("%s failed in world %s", record.tool, node.world.name, exc_info=error)
    elif error is not None and error.__cause__ is not None:
        logger.debug("%s was refused in world %s", record.tool, node.world.name, exc_info=error)
    _log_line(record.tool, node, ms, error)


def _log_line(tool: str, node: Node, ms: float, error: BaseException | None, *, internal: bool = False) -> None:
    if logger.isEnabledFor(logging.INFO):
        outcome = "ok" if error is None else getattr(error, "code", type(error).__name__)
        logger.info(
            "%s %s %.1f ms instance=%s world=%s node=%s%s",
            tool, outcome, ms, node.info.id, node.world.name, node.path, " internal" if internal else "",
        )  # fmt: skip
