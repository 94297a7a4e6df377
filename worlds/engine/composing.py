"""Which worlds does an instance of a world consist of, and which tools has the agent then?

A world and all it embeds is a tree of branches, worked out from the declarations and checked as a whole. It is made
anew when any world of the process was added to.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import apsw

from worlds.engine import installed, registrations, tools
from worlds.engine.embedding import Embedding
from worlds.engine.errors import WorldBug
from worlds.engine.names import nearest
from worlds.engine.registrations import Registrations
from worlds.engine.tools import Tool

ROOT = "main"


@dataclass(frozen=True, slots=True)
class Branch:
    """One world at one path of the tree; each has a store of its own.

    Shape: `path` is "main" for the root, else the embedded names on the shortest way to it, "shop/payments";
    `children` are the paths of the worlds it embeds, by their names in it.
    """

    path: str
    world: Registrations
    scope: str | None
    aliases: tuple[str, ...]
    children: Mapping[str, str]
    startup: Mapping[str, Any]


#: A layer of middleware: the branch it belongs to, the tool's name there, the function.
Layer = tuple[str, str, Callable[..., Any]]


@dataclass(frozen=True, slots=True)
class Route:
    """How a call gets from one branch to the tool it names: the branches on the way, and the tool's name in each."""

    tool: Tool
    paths: tuple[str, ...]
    names: tuple[str, ...]
    #: Middleware on the way, hosts first: outside the transaction and inside it.
    outer: tuple[Layer, ...]
    inner: tuple[Layer, ...]

    @property
    def owner(self) -> str:
        return self.paths[-1]


class Tree:
    """A world with all it embeds.

    Raises: WorldBug for a loop, an unknown name, two tools of one name, a name no tool may have, start-up keywords
    that fit no hook or contradict each other, and more stores than SQLite can look at together.
    """

    def __init__(self, world: Registrations) -> None:
        self.world = world
        _refuse_loops(world)
        self.branches = _branches(world)
        most = _attached_most()
        if len(self.branches) - 1 > most:
            raise WorldBug(
                f"world {world.name} embeds {len(self.branches) - 1} worlds, and SQLite looks at {most} beside the "
                f"first at most; embed fewer, or share some by a scope"
            )
        self._surfaces: dict[str, Mapping[str, Route]] = {}
        #: What the agent may call, in order: the root's own tools, then those of each world it embeds.
        self.surface = self.surface_of(ROOT)
        #: What instances of two trees must have in common to be the same composition.
        self.shape = tuple((b.path, id(b.world), b.scope, b.aliases) for b in self.branches.values())
        _check_bound_startup(self.branches.values())

    def surface_of(self, path: str) -> Mapping[str, Route]:
        """What can be called from one branch: its own tools and, prefixed and filtered, those of what it embeds."""
        if path not in self._surfaces:
            self._surfaces[path] = MappingProxyType(dict(self._collect(path)))
        return self._surfaces[path]

    def _collect(self, path: str) -> Iterator[tuple[str, Route]]:
        branch, owners = self.branches[path], dict[str, str]()
        for name, tool in branch.world.tools.items():
            owners[name] = f"world {branch.world.name} itself"
            yield name, self._route(tool, (path,), (name,))
        for embedding in branch.world.embeddings.values():
            where = f"world {branch.world.name}: embed {embedding.name}"
            below = self.surface_of(branch.children[embedding.name])
            allowed = dict(_allowed(embedding, below, where))
            # A tool's description names others as the agent can call them here.
            names = {inner: embedding.tool_prefix + inner for inner in allowed} if embedding.tool_prefix else {}
            for inner, route in allowed.items():
                name = embedding.tool_prefix + inner
                _check_tool_name(name, where, embedding)
                if name in owners:
                    raise WorldBug(
                        f"{where}: its tool {inner!r} would be {name!r}, which {owners[name]} has already; "
                        f"give it another tool_prefix=, or leave it out with without_tools=[{inner!r}]"
                    )
                owners[name] = f"embedded world {embedding.name}"
                tool = route.tool.renamed(name, names) if names else route.tool
                yield name, self._route(tool, (path, *route.paths), (name, *route.names))

    def _route(self, tool: Tool, paths: tuple[str, ...], names: tuple[str, ...]) -> Route:
        layers = [
            (layer.in_transaction, (path, name, layer.fn))
            for path, name in zip(paths, names, strict=True)
            for layer in self.branches[path].world.middlewares
        ]
        outer = tuple(layer for is_inside, layer in layers if not is_inside)
        return Route(tool, paths, names, outer, tuple(layer for is_inside, layer in layers if is_inside))

    def owners_route(self, route: Route) -> Route:
        """The same tool called by a world it is embedded in: its owner's layers only, under its own name."""
        if len(route.paths) == 1:
            return route
        return self._route(route.tool, route.paths[-1:], route.names[-1:])

    def tool_of(self, fn: Callable[..., Any], path: str = ROOT) -> Route:
        """The route to the tool made from a function.

        Raises: WorldBug when there is none, or more than one.
        """
        found = [route for route in self.surface_of(path).values() if route.tool.fn is fn]
        if len(found) == 1:
            return found[0]
        world, name = self.branches[path].world.name, getattr(fn, "__name__", repr(fn))
        if not found:
            raise WorldBug(f"{name} is no tool of world {world}; decorate it with @tool")
        raise WorldBug(
            f"{name} is {len(found)} tools of world {world}: {', '.join(r.tool.name for r in found)}; use a name"
        )

    def startup_of(self, branch: Branch, given: Mapping[str, Any]) -> dict[str, Any]:
        """The keywords one branch starts with: those given to all, and over them those its hosts fixed."""
        return {**given, **branch.startup}

    def startup_keywords(self) -> tuple[list[str], bool]:
        """The keywords that can be given, sorted, and whether some hook takes any."""
        hooks = [(hook, branch) for branch in self.branches.values() for hook in branch.world.startup_hooks]
        free = {keyword for hook, branch in hooks for keyword in hook.keywords if keyword not in branch.startup}
        return sorted(free), any(hook.takes_any for hook, _ in hooks)

    def check_startup(self, given: Mapping[str, Any]) -> None:
        """Refuse start-up keywords no hook takes, and a start without one that a hook needs.

        Raises: WorldBug with the nearest name and the ones there are.
        """
        for branch in self.branches.values():
            has = self.startup_of(branch, given)
            for hook in branch.world.startup_hooks:
                for key in sorted(hook.required - set(has)):
                    raise WorldBug(
                        f"startup hook {hook.fn.__name__} of world {branch.world.name} needs {key!r}; "
                        f"pass startup={{{key!r}: …}}, or give it a default"
                    )
        known, takes_any = self.startup_keywords()
        for key in given:
            if key not in known and not takes_any:
                near = nearest(key, known)
                hint = f"did you mean {near!r}? " if near else ""
                listed = ", ".join(known) or "none"
                raise WorldBug(
                    f"startup keyword {key!r} is unknown to world {self.world.name}; {hint}it takes: {listed}"
                )


def tree_of(world: Registrations) -> Tree:
    """The tree of a world, made when it is first asked for and after every addition to a world.

    Raises: WorldBug as `Tree` does.
    """
    if world.composed is None or world.composed[0] != registrations.edits:
        world.composed = registrations.edits, Tree(world)
    tree: Tree = world.composed[1]
    return tree


def embedded_world(embedding: Embedding) -> Registrations:
    """The world that is embedded.

    Raises: WorldBug for a name no installed world has.
    """
    if isinstance(embedding.world, str):
        found: Registrations = installed.get(embedding.world)
        return found
    return embedding.world


def _refuse_loops(world: Registrations, route: tuple[Registrations, ...] = ()) -> None:
    if any(world is each for each in route):
        loop = " -> ".join(each.name for each in (*route, world))
        raise WorldBug(f"worlds embed each other in a loop: {loop}; take one of these embed() calls out")
    for embedding in world.embeddings.values():
        try:
            inner = embedded_world(embedding)
        except WorldBug as error:
            raise WorldBug(f"world {world.name}: embed {embedding.name}: {error}") from None
        _refuse_loops(inner, (*route, world))


#: Which store a world has: none but the root's inherits no scope.
_Scope = tuple[Any, ...]


def _branches(world: Registrations) -> dict[str, Branch]:
    """Every branch by its path, the root first, then level by level in the order of embedding."""
    found: dict[tuple[int, _Scope], dict[str, Any]] = {}
    waiting: deque[tuple[tuple[int, _Scope], Registrations]] = deque([((id(world), ()), world)])
    found[waiting[0][0]] = {"path": ROOT, "world": world, "scope": None, "aliases": [], "children": {}, "startup": {}}
    while waiting:
        key, host = waiting.popleft()
        here = found[key]
        unscoped = Counter(id(embedded_world(e)) for e in host.embeddings.values() if e.scope is None)
        for embedding in host.embeddings.values():
            inner = embedded_world(embedding)
            scope: _Scope = key[1]
            if embedding.scope is not None:
                scope = ("named", embedding.scope)
            elif unscoped[id(inner)] > 1:
                scope = ("own", here["path"], embedding.name)
            path = embedding.name if here["path"] == ROOT else f"{here['path']}/{embedding.name}"
            child = id(inner), scope
            if child not in found:
                name = scope[1] if scope[:1] == ("named",) else None
                found[child] = {
                    "path": path, "world": inner, "scope": name, "aliases": [], "children": {}, "startup": {},
                }  # fmt: skip
                waiting.append((child, inner))
            else:
                found[child]["aliases"].append(path)
            here["children"][embedding.name] = found[child]["path"]
            _bind(found[child]["startup"], embedding, f"world {host.name}: embed {embedding.name}")
    return {
        b["path"]: Branch(
            b["path"], b["world"], b["scope"], tuple(b["aliases"]), MappingProxyType(b["children"]),
            MappingProxyType(b["startup"]),
        )
        for b in found.values()
    }  # fmt: skip


def _bind(startup: dict[str, Any], embedding: Embedding, where: str) -> None:
    for key, value in embedding.startup.items():
        if startup.setdefault(key, value) != value:
            raise WorldBug(
                f"{where}: startup {key!r} is {value!r:.60}, and another route to the same store fixes "
                f"{startup[key]!r:.60}; make them equal, or give one a scope="
            )


def _check_bound_startup(branches: Any) -> None:
    for branch in branches:
        hooks = branch.world.startup_hooks
        known = sorted({keyword for hook in hooks for keyword in hook.keywords})
        for key in branch.startup:
            if key not in known and not any(hook.takes_any for hook in hooks):
                near = nearest(key, known)
                hint = f"did you mean {near!r}? " if near else ""
                raise WorldBug(
                    f"embedded world {branch.path}: startup {key!r} is no keyword of world {branch.world.name}; "
                    f"{hint}it takes: {', '.join(known) or 'none'}"
                )


def _allowed(embedding: Embedding, below: Mapping[str, Route], where: str) -> Iterator[tuple[str, Route]]:
    for option, listed in (("tools", embedding.tools or ()), ("without_tools", embedding.without_tools)):
        for name in sorted(listed):
            if name not in below:
                near = nearest(name, below)
                hint = f"did you mean {near!r}?" if near else f"it has {', '.join(below)}"
                raise WorldBug(f"{where}: {option} names {name!r}, which is no tool of the embedded world; {hint}")
    for name, route in below.items():
        if name not in embedding.without_tools and (embedding.tools is None or name in embedding.tools):
            yield name, route


def _check_tool_name(name: str, where: str, embedding: Embedding) -> None:
    try:
        tools.check_name(name)
    except WorldBug as error:
        raise WorldBug(f"{where}: with tool_prefix {embedding.tool_prefix!r}: {error}") from None


def _attached_most() -> int:
    connection = apsw.Connection("")
    try:
        return connection.limit(apsw.SQLITE_LIMIT_ATTACHED)
    finally:
        connection.close()
