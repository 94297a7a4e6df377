"""How does a world reach the worlds it embeds?

`ctx.worlds.payments` is a handle: it calls tools of the embedded world, reads and writes its store, and lets code run
as that world, all inside the caller's call and transaction.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from worlds.engine import calls
from worlds.engine.ctx import Ctx
from worlds.engine.database import Db
from worlds.engine.errors import WorldBug
from worlds.engine.exchange import HttpRequest, HttpResponse
from worlds.engine.names import nearest
from worlds.engine.node import Node


class Worlds:
    """The worlds embedded in one, each by its name as an attribute or an item.

    A subclass with an annotation for each name, `payments: WorldHandle`, tells a type checker which there are:
    `def pay(ctx: Ctx[MyWorlds])`. The engine makes no instance of a subclass.
    """

    __slots__ = ("_at", "_node", "_turn")

    #: Names of `Ctx` and Django, which a reader would not take for worlds.
    _reserved: ClassVar[tuple[str, ...]] = ()

    def __init__(self, at: Any, node: Node) -> None:
        self._at, self._node, self._turn = at, node, at.turn

    def __getattr__(self, name: str) -> WorldHandle:
        children = self._at.tree.branches[self._node.path].children
        path = children.get(name)
        if path is None:
            world = self._node.world.name
            if not children:
                raise WorldBug(f"world {world} embeds no world, so ctx.worlds.{name} is not there")
            near = nearest(name, children)
            hint = f"did you mean {near!r}? " if near else ""
            raise WorldBug(f"world {world} embeds no world {name!r}; {hint}it has: {', '.join(children)}")
        return WorldHandle(self._at, self._at.by_path[path], self._turn)

    __getitem__ = __getattr__

    def __iter__(self) -> Iterator[str]:
        return iter(self._at.tree.branches[self._node.path].children)


class WorldHandle:
    """One embedded world, for as long as the call that asked for it lasts.

    Raises: WorldBug from everything once that call is over, and on another thread.
    """

    __slots__ = ("_at", "_node", "_turn")

    def __init__(self, at: Any, node: Node, turn: object) -> None:
        self._at, self._node, self._turn = at, node, turn

    def __repr__(self) -> str:
        return f"<WorldHandle {self._node.path} of world {self._node.world.name}>"

    def call(self, tool: str | Callable[..., Any], /, *args: Any, **arguments: Any) -> Any:
        """Call a tool of the embedded world, by its name there or its function; answers what it returned.

        The call is part of the caller's: one ordinal, one transaction. When it raises, what it wrote is undone, and
        the caller may go on. What the agent may not call, a host may.
        Raises: the tool's own ToolError; WorldBug for a tool that is not there.
        """
        self._require_alive()
        tree, path = self._at.tree, self._node.path
        if isinstance(tool, str):
            if args:
                raise WorldBug(
                    f"call({tool!r}, …) takes keyword arguments; only a tool's function binds positional ones"
                )
            route = tree.surface_of(path).get(tool)
            if route is None:
                surface = tree.surface_of(path)
                near = nearest(tool, surface)
                hint = f"did you mean {near!r}?" if near else f"it has {', '.join(surface)}"
                raise WorldBug(f"embedded world {path} has no tool {tool!r}; {hint}")
        else:
            route = tree.tool_of(tool, path)
            arguments = route.tool.bind(*args, **arguments)
        return calls.run_nested(self._at, route, arguments)

    def http(self, request: HttpRequest) -> HttpResponse:
        """Ask the embedded world's own HTTP API, inside the caller's call and transaction."""
        self._require_alive()
        return calls.exchange(self._at, self._node, request)

    @contextmanager
    def entered(self) -> Iterator[Ctx[Any]]:
        """Let a block run as the embedded world: `with ctx.worlds.crm.entered() as crm:`, its models included."""
        self._require_alive()
        with self._at.entered(self._node):
            yield Ctx(self._node, None)

    @property
    def db(self) -> Db:
        """SQL on the embedded world's store."""
        self._require_alive()
        self._at.touch(self._node)
        return self._node.db

    @property
    def state(self) -> dict[str, Any]:
        """What the embedded world keeps in its own `ctx.state`."""
        self._require_alive()
        self._at.touch(self._node)
        return self._node.state

    @property
    def worlds(self) -> Worlds:
        """The worlds it embeds in turn."""
        self._require_alive()
        return Worlds(self._at, self._node)

    def _require_alive(self) -> None:
        if self._at.turn is not self._turn or self._turn is None:
            raise WorldBug("a handle of ctx.worlds was kept after its call ended; ask ctx.worlds for it in each call")
        if self._at.thread != threading.get_ident():
            raise WorldBug("a handle of ctx.worlds was used on another thread; a call runs on one")
