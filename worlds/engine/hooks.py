"""Which shape has a function that the engine is to call?"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from worlds.engine.ctx import Ctx
from worlds.engine.errors import WorldBug


@dataclass(frozen=True, slots=True)
class StartupHook:
    """A function run once in each new instance; `keywords` is what it takes from `startup=`."""

    fn: Callable[..., Any]
    keywords: frozenset[str]
    required: frozenset[str]
    takes_any: bool


def require_positional(fn: Any, count: int, what: str, shape: str) -> None:
    """A callable must take `count` positional arguments.

    Raises: WorldBug naming it and the `shape` it should have.
    """
    if not callable(fn):
        raise WorldBug(f"{what} {fn!r:.60} cannot be called; it takes {shape}")
    name = getattr(fn, "__name__", repr(fn))
    if inspect.iscoroutinefunction(fn):
        raise WorldBug(f"{what} {name} is async; worlds run synchronously, write def")
    try:
        inspect.signature(fn).bind(*range(count))
    except TypeError:
        raise WorldBug(f"{what} {name} must take {shape}") from None


def startup_hook(fn: Any, world: str) -> StartupHook:
    """The hook that a function is.

    Raises: WorldBug naming the parameter that is out of place, and the edit.
    """
    name = getattr(fn, "__name__", repr(fn))
    if not callable(fn) or inspect.iscoroutinefunction(fn):
        raise WorldBug(f"world {world}: startup hook {name} must be a plain function (ctx, *, keyword=…)")
    kinds = inspect.Parameter
    parameters = list(inspect.signature(fn).parameters.values())
    if not parameters or parameters[0].kind not in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD):
        raise WorldBug(f"world {world}: startup hook {name} must take ctx first: def {name}(ctx, *, keyword=…)")
    first, *rest = parameters
    if not _is_context(first.annotation):
        raise WorldBug(f"world {world}: startup hook {name}: its first parameter is the context, annotate it Ctx")
    for parameter in rest:
        if parameter.kind not in (kinds.KEYWORD_ONLY, kinds.VAR_KEYWORD):
            raise WorldBug(f"world {world}: startup hook {name}: put {parameter.name!r} after *, as a keyword")
    named = [p for p in rest if p.kind is kinds.KEYWORD_ONLY]
    return StartupHook(
        fn,
        frozenset(p.name for p in named),
        frozenset(p.name for p in named if p.default is kinds.empty),
        any(p.kind is kinds.VAR_KEYWORD for p in rest),
    )


def _is_context(annotation: Any) -> bool:
    if isinstance(annotation, str):
        return annotation.partition("[")[0].rpartition(".")[2] == "Ctx"
    return annotation in (inspect.Parameter.empty, Ctx) or getattr(annotation, "__origin__", None) is Ctx
