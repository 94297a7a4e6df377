"""What has a world declared: its tools, middleware, hooks, formats, event handlers, recipes and embedded worlds?

`World` adds instances and fixtures on top. Every verb works as a decorator and as a plain call, checks at once, and
answers the function it was given.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Self, TypeVar

from worlds.engine.clock import MODES, ClockMode, iso, parse_instant
from worlds.engine.embedding import Embedding, check_embedding
from worlds.engine.errors import WorldBug
from worlds.engine.exchange import Outbox
from worlds.engine.hooks import StartupHook, require_positional, startup_hook
from worlds.engine.names import check_format, check_name
from worlds.engine.tasks import Task, as_task
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
class Recipe:
    """How a fixture is built: `fn(inst)` on a new instance of `parent`, or a blank one, that begins at `now`.

    Without `now` it begins when the parent was frozen, or the latest of the fixtures that embedded worlds begin with.
    """

    id: str
    fn: Callable[..., Any]
    description: str
    parent: str | None
    now: str | None
    seed: int
    committed: bool
    #: Fixtures of embedded worlds to begin with: {name of the embedded world: fixture id}.
    embedded: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class HttpApi:
    """A product's own HTTP API: see `Registrations.http_api`."""

    fn: Callable[..., Any]
    roots: tuple[str, ...]
    account_of: Callable[[Any], str | None] | None
    front: Any


#: How often any world's declarations were added to: what was made of them before then is out of date.
edits = 0


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
        self._tasks: dict[str, Task] = {}
        self._embeddings: dict[str, Embedding] = {}
        self._http_api: HttpApi | None = None
        self._outbox: Outbox | None = None
        #: What `composing` made of the declarations, and at how many edits.
        self.composed: tuple[int, Any] | None = None

    def __repr__(self) -> str:
        return f"<World {self.name} {self.version}>"

    def __copy__(self) -> Self:
        """A world of its own with the same declarations: what is registered with the one is unknown to the other."""
        twin = object.__new__(type(self))
        twin.__dict__.update(
            {name: value.copy() if isinstance(value, dict | list) else value for name, value in self.__dict__.items()}
        )
        twin.composed = None
        return twin

    def _note_edit(self) -> None:
        global edits
        edits += 1

    # Verbs.

    def tool(self, fn: Any = None, **options: Any) -> Any:
        """Register a tool: a function, or a `Tool` that is built already."""
        if fn is None:
            return lambda decorated: self.tool(decorated, **options)
        tool = as_tool(fn, **options)
        if tool.name in self._tools:
            raise WorldBug(f"world {self.name} has a tool {tool.name!r} already; give one of the two another name=")
        self._tools[tool.name] = tool
        self._note_edit()
        return fn

    def middleware(self, fn: Any = None, *, in_transaction: bool = False) -> Any:
        """Register a layer around every tool call, outermost first.

        Outside the call's transaction its writes stand even when the tool fails; with `in_transaction=True` they are
        part of the call.
        """
        if fn is None:
            return lambda decorated: self.middleware(decorated, in_transaction=in_transaction)
        require_positional(fn, 3, f"world {self.name}: middleware", "(ctx, call, next_)")
        self._middleware.append(Middleware(fn, in_transaction))
        self._note_edit()
        return fn

    def instance_startup(self, fn: F) -> F:
        """Register a hook `fn(ctx, *, keyword=…)`, run once per instance before its first call."""
        self._hooks.append(startup_hook(fn, self.name))
        self._note_edit()
        return fn

    def http_api(
        self,
        fn: Any = None,
        *,
        roots: tuple[str, ...] = (),
        account_of: Callable[[Any], str | None] | None = None,
        front: Any = None,
    ) -> Any:
        """Register `fn(ctx, request) -> HttpResponse`, the product's own HTTP API; a world has one.

        An instance's API is served below its own path. Clients that know only a host reach it at the server's root:
        `roots` are the paths it answers there ("/v1"), `account_of(request)` names the instance a request is for, and
        `front` is the HttpResponse to `GET /`.
        """
        if fn is None:
            return lambda decorated: self.http_api(decorated, roots=roots, account_of=account_of, front=front)
        require_positional(fn, 2, f"world {self.name}: HTTP API", "(ctx, request)")
        if self._http_api is not None:
            raise WorldBug(f"world {self.name} has an HTTP API already, {self._http_api.fn.__name__}; route inside it")
        if roots and account_of is None:
            raise WorldBug(f"world {self.name}: HTTP API has roots and no account_of=, which tells whose request it is")
        self._http_api = HttpApi(fn, roots, account_of, front)
        return fn

    def outbox(self, fn: Any = None, *, told: Callable[..., Any]) -> Any:
        """Register `fn(ctx)`, which lists the `Outgoing` requests of a world and writes nothing; a world has one.

        Whoever serves an instance sends them, and reports each with `told(ctx, key, outcome)`, in a transaction.
        """
        if fn is None:
            return lambda decorated: self.outbox(decorated, told=told)
        require_positional(fn, 1, f"world {self.name}: outbox", "(ctx)")
        require_positional(told, 3, f"world {self.name}: outbox told=", "(ctx, key, outcome)")
        self._outbox = Outbox(fn, told)
        return fn

    def embed(
        self,
        world: Registrations | str,
        *,
        name: str,
        tool_prefix: str = "",
        tools: Collection[str] | None = None,
        without_tools: Collection[str] = (),
        startup: Mapping[str, Any] | None = None,
        scope: str | None = None,
    ) -> None:
        """Put another world inside this one, by name if Django loads it later; `ctx.worlds.<name>` reaches it.

        `tools` names the only tools the agent may call, `without_tools` those it may not; what is left carries
        `tool_prefix`. `startup` fixes start-up keywords of the embedded world.
        A world that is reached along two routes is one, with one store; a `scope` opens a store apart for this world
        and all it embeds, and two routes with the same scope share it. A host that embeds one world under two names
        has two stores of it.
        """
        check_embedding(self.name, self._embeddings, name, tool_prefix, tools, without_tools, startup, scope)
        if not isinstance(world, Registrations | str):
            raise WorldBug(
                f"world {self.name}: embed {name}: {world!r:.60} is no world; give a World, or the name of one in "
                f"settings.WORLDS"
            )
        self._embeddings[name] = Embedding(
            world,
            name,
            tool_prefix,
            None if tools is None else frozenset(tools),
            frozenset(without_tools),
            MappingProxyType(dict(startup or {})),
            scope,
        )
        self._note_edit()

    def state_format(self, name: str) -> Callable[[F], F]:
        """Register a formatter `fn(world, instance) -> dict` for documents of the format `family/1`."""
        check_format(name)
        if name.split("/")[0].split("+")[0].startswith("seahaven."):
            raise WorldBug(f"world {self.name}: formats named seahaven.* are the engine's; choose another family")
        if name in self._formats:
            raise WorldBug(f"world {self.name} has a state format {name!r} already")

        def register(fn: F) -> F:
            require_positional(fn, 2, f"world {self.name}: state format", "(world, instance)")
            self._formats[name] = fn
            return fn

        return register

    def event_handler(self, fn: Any = None, *, name: str | None = None) -> Any:
        """Register `fn(ctx, payload)`, which `ctx.schedule(at, fn, payload)` runs when its time has come."""
        if fn is None:
            return lambda decorated: self.event_handler(decorated, name=name)
        require_positional(fn, 2, f"world {self.name}: event handler", "(ctx, payload)")
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
        embedded: Mapping[str, str] | None = None,
    ) -> Any:
        """Register how a fixture is built: `fn(inst)`; its docstring is the fixture's description.

        The same text comes out each time: the clock begins at `now` (or when the parent was frozen, or at `BEGINNING`)
        and ticks with the calls, chance is seeded.
        `committed=False` is for large states, built on demand under the var folder rather than kept as text.
        `embedded` names fixtures that embedded worlds begin with, {"crm": "small_startup"}, where there is no parent.
        """
        if fn is None:
            return lambda decorated: self.recipe(
                decorated, now=now, parent=parent, seed=seed, id=id, committed=committed, embedded=embedded
            )
        key = check_name(id or fn.__name__, "a fixture id")
        if key in self._recipes:
            raise WorldBug(f"world {self.name} has a recipe {key!r} already")
        description = inspect.cleandoc(fn.__doc__ or "")
        if not description:
            raise WorldBug(f"world {self.name}: recipe {key} has no docstring; it is the fixture's description")
        if parent and embedded:
            raise WorldBug(f"world {self.name}: recipe {key} has a parent, which says how embedded worlds begin")
        begins = iso(parse_instant(now, f"now of recipe {key}")) if now else None if parent or embedded else BEGINNING
        self._recipes[key] = Recipe(key, fn, description, parent, begins, seed, committed, dict(embedded or {}))
        return fn

    def task(self, fn: Any = None, **options: Any) -> Any:
        """Register a task by its grader, `fn(document) -> float`: the reward of a run, of its state document.

        Its docstring is the instruction. Options: `fixture` (None: blank), which must be given; `id`, `instruction`,
        `seed`, `startup`.
        """
        if fn is None:
            return lambda decorated: self.task(decorated, **options)
        task = as_task(fn, self.name, **options)
        if task.id in self._tasks:
            raise WorldBug(f"world {self.name} has a task {task.id!r} already; give one of the two another id=")
        self._tasks[task.id] = task
        return fn

    # Views.

    @property
    def tools(self) -> Mapping[str, Tool]:
        """The world's own tools, not those of worlds it embeds."""
        return MappingProxyType(self._tools)

    @property
    def embeddings(self) -> Mapping[str, Embedding]:
        return MappingProxyType(self._embeddings)

    @property
    def http(self) -> HttpApi | None:
        """The product's own HTTP API."""
        return self._http_api

    @property
    def sends(self) -> Outbox | None:
        """What the world sends to elsewhere."""
        return self._outbox

    @property
    def http_handler(self) -> Callable[..., Any] | None:
        return None if self._http_api is None else self._http_api.fn

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
        """What may be scheduled, by name."""
        return MappingProxyType(self._handlers)

    @property
    def recipes(self) -> Mapping[str, Recipe]:
        """How its fixtures are built, by their ids."""
        return MappingProxyType(self._recipes)

    @property
    def tasks(self) -> Mapping[str, Task]:
        """What agents may be asked to do here, by id."""
        return MappingProxyType(self._tasks)

    def check_state_format(self, name: str) -> str:
        """A state format this world can write; answers it."""
        if name not in BUILT_IN_FORMATS and name not in self._formats:
            listed = ", ".join((*BUILT_IN_FORMATS, *self._formats))
            raise WorldBug(f"state format {name!r} is unknown to world {self.name}; it has {listed}")
        return name
