"""What has a world declared: its tools, middleware, hooks, formats, event handlers and recipes?

`World` adds instances and fixtures on top. Every verb works as a decorator and as a plain call, checks at once, and
answers the function it was given.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Self, TypeVar

from worlds.engine.clock import MODES, ClockMode, iso, parse_instant
from worlds.engine.ctx import Ctx
from worlds.engine.errors import WorldBug
from worlds.engine.names import check_format, check_name, nearest
from worlds.engine.tools import Tool, as_tool

F = TypeVar("F", bound=Callable[..., Any])
STATE = "seahaven.state/1"
LAST_STEP = "seahaven.state+last_step/1"
CALLS = "seahaven.state+calls/1"
BUILT_IN_FORMATS = (STATE, LAST_STEP, CALLS)
#: When a recipe begins that names neither a time nor a parent.
BEGINNING = "2026-06-01T09:00:00.000Z"


@dataclass(frozen=True, slots=True)
class Middleware:
    """A layer around every tool call: `fn(ctx, call, next_)`."""

    fn: Callable[..., Any]
    in_transaction: bool


@dataclass(frozen=True, slots=True)
class StartupHook:
    """A function run once in each new instance; `keywords` is what it takes from `startup=`."""

    fn: Callable[..., Any]
    keywords: frozenset[str]
    required: frozenset[str]
    takes_any: bool


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a fixture is built: `fn(inst)` on a new instance of `parent`, or a blank one, that begins at `now`.

    Without `now` it begins when the parent was frozen.
    """

    id: str
    fn: Callable[..., Any]
    description: str
    parent: str | None
    now: str | None
    seed: int
    committed: bool


class Registrations:
    """A world's declarations.

    Raises: WorldBug for a bad name, clock mode or format, naming what would be right.
    """

    def __init__(
        self,
        name: str,
        *,
        version: str,
        description: str = "",
        state_format: str = STATE,
        default_clock_mode: ClockMode = "tick",
        untracked_tables: tuple[str, ...] = (),
        apps: tuple[str, ...] = (),
    ) -> None:
        self.name = check_name(name, "a world name")
        self.version = version
        self.description = description or f"Seahaven world {name}"
        if default_clock_mode not in MODES:
            raise WorldBug(
                f"world {name}: default_clock_mode is {default_clock_mode!r}; choose one of {', '.join(MODES)}"
            )
        self.default_clock_mode: ClockMode = default_clock_mode
        self.pinned_format = check_format(state_format)
        if isinstance(untracked_tables, str):
            raise WorldBug(f"world {name}: untracked_tables is a tuple of names; write ({untracked_tables!r},)")
        self.untracked_tables = frozenset(untracked_tables)
        #: App labels whose models live in this world's store; the world's own app is added when Django loads it.
        self.app_labels: tuple[str, ...] = tuple(apps)
        #: The dotted name of the world's app, for finding its modules and migrations.
        self.package = ""
        self._tools: dict[str, Tool] = {}
        self._middleware: list[Middleware] = []
        self._hooks: list[StartupHook] = []
        self._formats: dict[str, Callable[..., dict[str, Any]]] = {}
        self._handlers: dict[str, Callable[..., Any]] = {}
        self._recipes: dict[str, Recipe] = {}

    def __repr__(self) -> str:
        return f"<World {self.name} {self.version}>"

    def __copy__(self) -> Self:
        """A world of its own with the same declarations: what is registered with the one is unknown to the other."""
        twin = object.__new__(type(self))
        twin.__dict__.update(
            {name: value.copy() if isinstance(value, dict | list) else value for name, value in self.__dict__.items()}
        )
        return twin

    # Verbs.

    def tool(self, fn: Any = None, **options: Any) -> Any:
        """Register a tool: a function, or a `Tool` that is built already."""
        if fn is None:
            return lambda decorated: self.tool(decorated, **options)
        tool = as_tool(fn, **options)
        if tool.name in self._tools:
            raise WorldBug(f"world {self.name} has a tool {tool.name!r} already; give one of the two another name=")
        self._tools[tool.name] = tool
        return fn

    def middleware(self, fn: Any = None, *, in_transaction: bool = False) -> Any:
        """Register a layer around every tool call, outermost first.

        Outside the call's transaction its writes stand even when the tool fails; with `in_transaction=True` they are
        part of the call.
        """
        if fn is None:
            return lambda decorated: self.middleware(decorated, in_transaction=in_transaction)
        _require_positional(fn, 3, f"world {self.name}: middleware", "(ctx, call, next_)")
        self._middleware.append(Middleware(fn, in_transaction))
        return fn

    def instance_startup(self, fn: F) -> F:
        """Register a hook `fn(ctx, *, keyword=…)`, run once per instance before its first call."""
        self._hooks.append(_startup_hook(fn, self.name))
        return fn

    def state_format(self, name: str) -> Callable[[F], F]:
        """Register a formatter `fn(world, instance) -> dict` for documents of the format `family/1`."""
        check_format(name)
        if name.split("/")[0].split("+")[0].startswith("seahaven."):
            raise WorldBug(f"world {self.name}: formats named seahaven.* are the engine's; choose another family")
        if name in self._formats:
            raise WorldBug(f"world {self.name} has a state format {name!r} already")

        def register(fn: F) -> F:
            _require_positional(fn, 2, f"world {self.name}: state format", "(world, instance)")
            self._formats[name] = fn
            return fn

        return register

    def event_handler(self, fn: Any = None, *, name: str | None = None) -> Any:
        """Register `fn(ctx, payload)`, which `ctx.schedule(at, fn, payload)` runs when its time has come."""
        if fn is None:
            return lambda decorated: self.event_handler(decorated, name=name)
        _require_positional(fn, 2, f"world {self.name}: event handler", "(ctx, payload)")
        key = name or fn.__name__
        if key in self._handlers:
            raise WorldBug(f"world {self.name} has an event handler {key!r} already; give one of the two another name=")
        self._handlers[key] = fn
        return fn

    def recipe(
        self,
        fn: Any = None,
        *,
        now: str | None = None,
        parent: str | None = None,
        seed: int = 0,
        id: str | None = None,
        committed: bool = True,
    ) -> Any:
        """Register how a fixture is built: `fn(inst)`; its docstring is the fixture's description.

        The same text comes out each time: the clock begins at `now` (or when the parent was frozen, or at `BEGINNING`)
        and ticks with the calls, chance is seeded.
        `committed=False` is for large states, built on demand under the var folder rather than kept as text.
        """
        if fn is None:
            return lambda decorated: self.recipe(
                decorated, now=now, parent=parent, seed=seed, id=id, committed=committed
            )
        key = check_name(id or fn.__name__, "a fixture id")
        if key in self._recipes:
            raise WorldBug(f"world {self.name} has a recipe {key!r} already")
        description = inspect.cleandoc(fn.__doc__ or "")
        if not description:
            raise WorldBug(f"world {self.name}: recipe {key} has no docstring; it is the fixture's description")
        begins = iso(parse_instant(now, f"now of recipe {key}")) if now else None if parent else BEGINNING
        self._recipes[key] = Recipe(key, fn, description, parent, begins, seed, committed)
        return fn

    # Views.

    @property
    def tools(self) -> Mapping[str, Tool]:
        return MappingProxyType(self._tools)

    @property
    def middlewares(self) -> tuple[Middleware, ...]:
        return tuple(self._middleware)

    @property
    def startup_hooks(self) -> tuple[StartupHook, ...]:
        return tuple(self._hooks)

    @property
    def state_formats(self) -> Mapping[str, Callable[..., dict[str, Any]]]:
        return MappingProxyType(self._formats)

    @property
    def event_handlers(self) -> Mapping[str, Callable[..., Any]]:
        return MappingProxyType(self._handlers)

    @property
    def recipes(self) -> Mapping[str, Recipe]:
        return MappingProxyType(self._recipes)

    def tool_of(self, fn: Callable[..., Any]) -> Tool:
        """The tool made from a function.

        Raises: WorldBug when there is none, or more than one.
        """
        found = [tool for tool in self._tools.values() if tool.fn is fn]
        if len(found) == 1:
            return found[0]
        name = getattr(fn, "__name__", repr(fn))
        if not found:
            raise WorldBug(f"{name} is no tool of world {self.name}; decorate it with @tool")
        raise WorldBug(
            f"{name} is {len(found)} tools of world {self.name}: {', '.join(t.name for t in found)}; use a name"
        )

    def check_startup(self, given: Mapping[str, Any]) -> None:
        """Refuse startup keywords no hook takes, and a start without one that a hook needs.

        Raises: WorldBug with the nearest name and the ones there are.
        """
        for hook in self._hooks:
            for key in sorted(hook.required - set(given)):
                raise WorldBug(
                    f"startup hook {hook.fn.__name__} of world {self.name} needs {key!r}; pass startup={{{key!r}: …}}, "
                    f"or give it a default"
                )
        if any(hook.takes_any for hook in self._hooks):
            return
        known = sorted({keyword for hook in self._hooks for keyword in hook.keywords})
        for key in given:
            if key not in known:
                near = nearest(key, known)
                hint = f"did you mean {near!r}? " if near else ""
                listed = ", ".join(known) or "none"
                raise WorldBug(f"startup keyword {key!r} is unknown to world {self.name}; {hint}It takes: {listed}")

    def check_state_format(self, name: str) -> str:
        """A state format this world can write; answers it."""
        if name not in BUILT_IN_FORMATS and name not in self._formats:
            listed = ", ".join((*BUILT_IN_FORMATS, *self._formats))
            raise WorldBug(f"state format {name!r} is unknown to world {self.name}; it has {listed}")
        return name


def _require_positional(fn: Any, count: int, what: str, shape: str) -> None:
    """A callable must take `count` positional arguments."""
    if not callable(fn):
        raise WorldBug(f"{what} {fn!r:.60} cannot be called; it takes {shape}")
    name = getattr(fn, "__name__", repr(fn))
    if inspect.iscoroutinefunction(fn):
        raise WorldBug(f"{what} {name} is async; worlds run synchronously, write def")
    try:
        inspect.signature(fn).bind(*range(count))
    except TypeError:
        raise WorldBug(f"{what} {name} must take {shape}") from None


def _startup_hook(fn: Any, world: str) -> StartupHook:
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
