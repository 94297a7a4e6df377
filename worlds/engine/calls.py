"""How is one tool call run, and what is kept of it?"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from worlds.engine import results
from worlds.engine.ctx import Call, Ctx
from worlds.engine.errors import ToolError
from worlds.engine.node import Node
from worlds.engine.tools import Tool

logger = logging.getLogger("seahaven.calls")
INTERNAL = "internal error"


@dataclass(slots=True)
class CallRecord:
    """One dispatched call: `arguments` and `result` as JSON, the result only up to the size that is kept."""

    tool: str
    arguments: bytes
    error: str | None = None
    tool_error: dict[str, Any] | None = None
    result: bytes | None = None

    def as_dict(self, *, with_result: bool = False) -> dict[str, Any]:
        """{"tool", "arguments", "error"}, and "result" when asked for: null when it failed or was too large to keep."""
        shown = {"tool": self.tool, "arguments": orjson.loads(self.arguments), "error": self.error}
        if with_result:
            shown["result"] = None if self.result is None else orjson.loads(self.result)
        return shown


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a tool answered: the object itself, and the JSON every door sends."""

    result: Any
    json: bytes


def record_of(name: str, arguments: Mapping[str, Any]) -> CallRecord:
    """The record of a call about to run; what the tool does to its arguments later leaves it alone."""
    return CallRecord(name, orjson.dumps(arguments, default=_readable, option=orjson.OPT_NON_STR_KEYS))


def _readable(value: Any) -> Any:
    """An argument that is no JSON, as the text a reader recognises."""
    if isinstance(value, set | frozenset):
        return sorted(value, key=repr)
    dump = getattr(value, "model_dump", None)
    return dump(mode="json") if callable(dump) else str(value)


def run(node: Node, call: Call) -> Outcome:
    """Run a call through its world's middleware: outer layers, the transaction, inner layers, the tool.

    The result is checked to be JSON inside the transaction, so that a tool that answers something else leaves no row.
    """
    tool: Tool = call.tool
    layers = node.world.middlewares
    if not layers:
        return _in_transaction(node, call, ()) if tool.transaction else _invoke(node, call, ())
    inner = tuple(layer.fn for layer in layers if layer.in_transaction)
    last: list[Outcome] = []

    def innermost(ctx: Ctx, call: Call) -> Any:
        outcome = _in_transaction(node, call, inner) if tool.transaction else _invoke(node, call, inner)
        last.append(outcome)
        return outcome.result

    outer = tuple(layer.fn for layer in layers if not layer.in_transaction)
    result = _through(outer, node, call, innermost)
    if last and result is last[-1].result:
        return last[-1]
    return Outcome(result, results.encode(result, f"middleware of {call.name}"))


def _in_transaction(node: Node, call: Call, layers: tuple[Callable[..., Any], ...]) -> Outcome:
    store = node.store
    store.begin()
    try:
        outcome = _invoke(node, call, layers)
        store.commit()
        return outcome
    except BaseException:
        store.rollback()
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
    """One line a call; a traceback only for what is no refusal."""
    if error is not None and not isinstance(error, ToolError):
        logger.error("%s failed in world %s", record.tool, node.world.name, exc_info=error)
    if logger.isEnabledFor(logging.INFO):
        outcome = "ok" if error is None else getattr(error, "code", type(error).__name__)
        logger.info(
            "%s %s %.1f ms instance=%s world=%s node=%s",
            record.tool, outcome, ms, node.info.id, node.world.name, node.path,
        )  # fmt: skip
