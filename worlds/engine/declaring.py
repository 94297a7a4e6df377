"""How does a world's module register a function without importing its world?

Each decorator notes the function under its module; the world's app config takes what its modules noted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from worlds.engine.registrations import Registrations

F = TypeVar("F", bound=Callable[..., Any])
Register = Callable[[Registrations], object]

_pending: dict[str, list[Register]] = {}


def _later(fn: Callable[..., Any], register: Register) -> None:
    _pending.setdefault(fn.__module__, []).append(register)


def take_pending(package: str) -> list[Register]:
    """What the modules of `package` and below it noted, in the order they did; each is handed out once."""
    modules = [module for module in _pending if module == package or module.startswith(f"{package}.")]
    return [register for module in modules for register in _pending.pop(module)]


def _decorator(verb: str, doc: str) -> Any:
    def decorate(fn: Any = None, **options: Any) -> Any:
        if fn is None:
            return lambda decorated: decorate(decorated, **options)
        _later(fn, lambda world: getattr(world, verb)(fn, **options))
        return fn

    decorate.__name__ = verb
    decorate.__doc__ = doc
    return decorate


middleware = _decorator("middleware", "A layer around every tool call of this module's world; see `World.middleware`.")
instance_startup = _decorator(
    "instance_startup", "A hook run once in each new instance of this module's world; see `World.instance_startup`."
)
event_handler = _decorator(
    "event_handler", "What `ctx.schedule` may run in this module's world; see `World.event_handler`."
)
http_api = _decorator("http_api", "The product's own HTTP API of this module's world; see `World.http_api`.")
outbox = _decorator("outbox", "What this module's world sends to elsewhere; see `World.outbox`.")
recipe = _decorator("recipe", "How a fixture of this module's world is built; see `World.recipe`.")
task = _decorator("task", "What grades a run of this module's world, and is its instruction; see `World.task`.")


def state_format(name: str) -> Callable[[F], F]:
    """A formatter of this module's world; see `World.state_format`."""

    def decorate(fn: F) -> F:
        _later(fn, lambda world: world.state_format(name)(fn))
        return fn

    return decorate
