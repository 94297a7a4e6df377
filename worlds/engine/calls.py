"""How is one tool call run, and what is kept of it?"""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import orjson

from worlds.engine import results
from worlds.engine.ctx import Call, Ctx
from worlds.engine.errors import ToolError, WorldBug
from worlds.engine.node import Node
from worlds.engine.tools import Tool

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
        if isinstance(error, ToolError):
            self.error = self.cause = error.message
            self.tool_error = error.to_dict()
        else:
            self.error, self.cause = INTERNAL, f"{type(error).__name__}: {error}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a tool answered: the object itself, and the JSON every door sends."""

    result: Any
    json: bytes


def record_of(name: str, arguments: dict[str, Any]) -> CallRecord:
    """The record of a call about to run; what the tool does to its arguments later leaves it alone."""
    try:
        text = orjson.dumps(arguments, default=_readable, option=orjson.OPT_NON_STR_KEYS)
        if orjson.loads(text) == arguments:
            return CallRecord(name, text)
    except (TypeError, ValueError):  # an integer of more than 64 bits, half a surrogate pair, a loop, an odd __eq__
        text = _lossy(arguments)
    given = arguments
    with suppress(TypeError, RecursionError):  # what cannot be copied is kept itself
        given = copy.deepcopy(arguments)
    return CallRecord(name, text, given)


def _readable(value: Any) -> Any:
    """An argument that is no JSON, as the text a reader recognises."""
    if isinstance(value, set | frozenset):
        return sorted(value, key=repr)
    dump = getattr(value, "model_dump", None)
    return dump(mode="json") if callable(dump) else str(value)


def _lossy(arguments: dict[str, Any]) -> bytes:
    """Arguments of which one cannot be JSON: each that can as it is, the others as text."""
    shown: dict[str, Any] = {}
    for name, value in arguments.items():
        try:
            text = orjson.dumps(value, default=_readable, option=orjson.OPT_NON_STR_KEYS)
        except TypeError:
            text = orjson.dumps(_text(value))
        shown[_text(name)] = orjson.Fragment(text)
    return orjson.dumps(shown)


def _text(value: Any) -> str:
    try:
        return str(value).encode(errors="backslashreplace").decode()
    except RecursionError:
        return f"a {type(value).__name__} of too many levels"


def run(node: Node, call: Call) -> Outcome:
    """Run a call through its world's middleware: outer layers, the transaction, inner layers, the tool.

    The result is checked to be JSON inside the transaction, so that a tool that answers something else leaves no row.
    """
    tool: Tool = call.tool
    layers = node.world.middlewares
    run_inner = _in_transaction if tool.transaction else _settled
    if not layers:
        return run_inner(node, call, ())
    inner = tuple(layer.fn for layer in layers if layer.in_transaction)
    outer = tuple(layer.fn for layer in layers if not layer.in_transaction)
    if not outer:
        return run_inner(node, call, inner)

    def end(ctx: Ctx, call: Call) -> Any:
        return run_inner(node, call, inner).result

    with _settling(node, f"middleware around {call.name}"):
        result = _through(outer, node, call, end)
        # Encoded again: a layer may have changed the very object that the tool returned.
        return Outcome(result, results.encode(result, f"middleware around {call.name}"))


def _in_transaction(node: Node, call: Call, layers: tuple[Callable[..., Any], ...]) -> Outcome:
    store = node.store
    if store.in_transaction:  # middleware put a transaction around next_
        with node.transaction():
            return _invoke(node, call, layers)
    remembered = node.remember()
    store.begin()
    try:
        outcome = _invoke(node, call, layers)
        store.commit()
        return outcome
    except BaseException:
        store.rollback()
        node.state = remembered
        raise


def _settled(node: Node, call: Call, layers: tuple[Callable[..., Any], ...]) -> Outcome:
    with _settling(node, call.name):
        return _invoke(node, call, layers)


@contextmanager
def _settling(node: Node, what: str) -> Iterator[None]:
    """Undo a transaction that a block outside the call's own began and did not end.

    Raises: WorldBug when the block ended well otherwise.
    """
    was_open = node.store.in_transaction
    try:
        yield
        if not was_open and node.store.in_transaction:
            raise WorldBug(f"{what} began a transaction and did not end it; use `with ctx.db.transaction():`")
    except BaseException:
        if not was_open:
            node.store.rollback()
        raise


def _invoke(node: Node, call: Call, layers: tuple[Callable[..., Any], ...]) -> Outcome:
    result = _through(layers, node, call, _tool) if layers else _tool(Ctx(node, call), call)
    return Outcome(result, results.encode(result, call.name))


def _tool(ctx: Ctx, call: Call) -> Any:
    return call.tool.fn(ctx, **call.tool.validate(call.arguments))


def _through(layers: tuple[Callable[..., Any], ...], node: Node, call: Call, end: Callable[[Ctx, Call], Any]) -> Any:
    """Run `end` inside the layers; a layer that hands on a changed call rebinds `ctx.call` for those below it."""

    def at(position: int) -> Callable[[Call], Any]:
        def next_(call: Call) -> Any:
            ctx: Ctx = Ctx(node, call)
            if position == len(layers):
                return end(ctx, call)
            return layers[position](ctx, call, at(position + 1))

        return next_

    return at(0)(call)


def log_call(record: CallRecord, node: Node, ms: float, error: BaseException | None) -> None:
    """One line a call; a traceback only for what is no refusal, or for the reason behind one when debugging."""
    if error is not None and not isinstance(error, ToolError):
        logger.error("%s failed in world %s", record.tool, node.world.name, exc_info=error)
    elif error is not None and error.__cause__ is not None:
        logger.debug("%s was refused in world %s", record.tool, node.world.name, exc_info=error)
    if logger.isEnabledFor(logging.INFO):
        outcome = "ok" if error is None else getattr(error, "code", type(error).__name__)
        logger.info(
            "%s %s %.1f ms instance=%s world=%s node=%s",
            record.tool, outcome, ms, node.info.id, node.world.name, node.path,
        )  # fmt: skip
