"""What is one private copy of a world, and what can be done with it?

An instance conducts: it takes turns on its lock and hands each step to the module that knows how. It owns no rule of
its own.
"""

from __future__ import annotations

import atexit
import uuid
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson

from worlds.engine import active, dispatch, exporting, freezing, startup, state
from worlds.engine.calls import Outcome
from worlds.engine.chance import instance_seed
from worlds.engine.checkpoints import Snapshot
from worlds.engine.clock import Clock, ClockView, milliseconds, parse_instant
from worlds.engine.composing import ROOT, tree_of
from worlds.engine.ctx import Ctx, InstanceInfo
from worlds.engine.diff import Diff
from worlds.engine.errors import InstanceClosed, UnknownTool, WorldBug
from worlds.engine.exchange import HttpRequest, HttpResponse, Outgoing
from worlds.engine.fixtures import Fixture
from worlds.engine.images import StartingState
from worlds.engine.inspector import Inspector, View, versions
from worlds.engine.locks import FairLock
from worlds.engine.moves import Bulk
from worlds.engine.names import nearest
from worlds.engine.position import Position, Undos
from worlds.engine.registrations import Registrations
from worlds.engine.startup import Start

_live: weakref.WeakSet[Instance] = weakref.WeakSet()


class Instance:
    """One running copy of a world; made by `world.instance()`, used as a context manager.

    Raises: InstanceClosed from every method once it is destroyed.
    """

    def __init__(self, world: Registrations, base: StartingState, start: Start) -> None:
        if active.current() is not None:
            raise WorldBug("an instance cannot be made inside a tool call; tools work on ctx, tests make instances")
        #: Start-up keywords, setup SQL and task as the state document repeats them.
        self.given = startup.as_json(start.startup, start.setup_sql, start.task)
        tree = tree_of(world)
        tree.check_startup(start.startup)
        self.world, self.base, self.start = world, base, start
        self.id = _new_id()
        self.episode_id = start.episode_id or self.id
        self.state_format = world.check_state_format(start.state_format or world.pinned_format)
        #: The 32 bytes every stream is derived from; `start.seed` is the caller's.
        self.seed = instance_seed(start.drawing_as or world.name, start.fixture, start.seed)
        clock = Clock(startup.begins_ms(base, start), start.clock_mode or world.default_clock_mode)
        self._prepare(Position(tree, base, clock, InstanceInfo(self.id, start.fixture, self.seed)))
        try:
            with self._at.entered(self._at.root):
                startup.prepare(self._at, start.startup, start.setup_sql, self.seed)
            self._at.mark_origin()
        except BaseException:
            self.destroy()
            raise

    def _prepare(self, at: Position) -> None:
        self._at = at
        self._lock = FairLock()
        self._closed: str | None = None
        self._inspector: Inspector | None = None
        # An instance that nobody destroys would keep its connections: their functions point back at them.
        self._close = weakref.finalize(self, at.close)
        self._close.atexit = False
        _live.add(self)

    def __enter__(self) -> Instance:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.destroy()

    def __repr__(self) -> str:
        return f"<Instance {self.id} of {self.world.name}/{self.start.fixture or 'blank'}, {self.call_count} calls>"

    # Calling tools.

    def tools(self) -> list[dict[str, Any]]:
        """What the agent may call: [{"name", "description", "input_schema"}], in order of registration."""
        self._require_open()
        return [route.tool.listing() for route in tree_of(self.world).surface.values()]

    def call(self, tool: str | Callable[..., Any], /, *args: Any, **arguments: Any) -> Any:
        """Call a tool by name, or by its function; answers what it returned.

        Raises: ToolError for every refusal; UnknownTool leaves no trace. Anything else is a bug in the world.
        """
        if not isinstance(tool, str):
            declared = tree_of(self.world).tool_of(tool).tool
            return self.dispatch(declared.name, declared.bind(*args, **arguments)).result
        if args:
            raise WorldBug(f"call({tool!r}, …) takes keyword arguments; only a tool's function binds positional ones")
        return self.dispatch(tool, arguments).result

    def dispatch(self, name: str, arguments: Mapping[str, Any], *, is_replay: bool = False) -> Outcome:
        """`call` for the doors: the result beside its JSON. A replay's calls are not logged again."""
        with self._turn() as at:
            self._notice_edits(at)
            route = at.tree.surface.get(name)
            if route is None:
                raise UnknownTool(name, nearest(name, at.tree.surface))
            return dispatch.run_call(at, route, arguments, is_replay=is_replay)

    def http(self, request: HttpRequest, node: str = ROOT) -> HttpResponse:
        """Ask the HTTP API of the world at a path, the root's unless another is given; one transaction.

        Its records have no call (`i` is null) and are said to be by `http`.
        Raises: WorldBug for a path that is not there and a world that has no HTTP API; whatever its handler raises.
        """
        with self._turn() as at:
            return dispatch.exchange(at, at.node(node), request)

    def outgoing(self) -> list[tuple[str, Outgoing]]:
        """What its worlds want sent to elsewhere, now or later, each with its world's path."""
        with self._turn() as at:
            return dispatch.outgoing(at)

    def report(self, node: str, key: str, outcome: dict[str, Any]) -> None:
        """Tell the world at a path what came of a request it wanted sent; a replay tells it the same."""
        with self._turn() as at:
            dispatch.report(at, at.node(node), key, outcome)

    def _notice_edits(self, at: Position) -> None:
        """Let tools and layers registered since apply; a world embedded since has no store here."""
        tree = tree_of(self.world)
        if tree is not at.tree:
            if tree.shape != at.tree.shape:
                raise WorldBug(
                    f"world {self.world.name} is composed otherwise since this instance was made; make a new one"
                )
            at.tree = tree

    @contextmanager
    def _turn(self, *, reads: bool = False) -> Iterator[Position]:
        """Wait for this thread's turn; refused inside a tool, where `ctx` is the way.

        Inside an inspecting() block an instance may be read further, and not moved.
        """
        running = active.current()
        if running is not None and not (reads and isinstance(running, View)):
            raise WorldBug(
                "an instance was used inside a tool call or an inspecting() block; use ctx, or leave the block"
            )
        with self._lock:
            if self._at.is_unsettled:
                self.abandon("it was interrupted while it noted what a call changed, so its log is not to be trusted")
            self._require_open()
            yield self._at

    def _require_open(self) -> None:
        if self._closed is not None:
            raise InstanceClosed(f"instance {self.id} is closed: {self._closed}")

    @contextmanager
    def bulk(self, by: str = "setup", node: str = ROOT) -> Iterator[Ctx]:
        """A block that writes rows outside every call, in one transaction: `with inst.bulk() as ctx:`.

        It runs as the world at a path, the root's unless another is given. Its records have no call (`i` is null) and
        are said to be by `by`. A replay cannot repeat it, and starts here.
        """
        with self._turn() as at:
            undos: Undos = []
            inside = at.node(node)
            try:
                with (
                    at.noted(Bulk(calls=len(at.calls), by=by), undos),
                    at.entered(at.root),
                    at.captured(None, by, undos),
                    at.root.transaction(),
                    at.entered(inside),
                ):
                    yield Ctx(inside, None)
            finally:
                at.mark_origin()

    # Reading.

    @property
    def fixture(self) -> str | None:
        """The fixture it began with; None for a blank start."""
        return self.start.fixture

    @property
    def caller_seed(self) -> int | None:
        """The seed as the caller gave it; `seed` is what was derived from it."""
        return self.start.seed

    @property
    def setup_sql(self) -> str | None:
        return self.start.setup_sql

    @property
    def task(self) -> Any:
        return self.given["task"]

    @property
    def clock(self) -> ClockView:
        """Its time, to read: `now()`, `iso()`, `ms()`; `advance` moves it."""
        return ClockView(self._at.clock)

    @property
    def call_count(self) -> int:
        """Calls dispatched so far, failed ones too."""
        return len(self._at.calls)

    def composition(self) -> dict[str, Any]:
        """Every node by its path: {"main": {"world", "world_version", …}}."""
        return state.composition(self._at.tree, self.base)

    @contextmanager
    def reading(self) -> Iterator[Position]:
        """A block that reads the position itself, for those modules of the engine that show pieces of it."""
        with self._turn(reads=True) as at:
            yield at

    def call_log(self, *, results: bool = False) -> list[dict[str, Any]]:
        """[{"tool", "arguments", "error", "tool_error"}], one for each dispatched call; `results=True` adds "result".

        Not for the agent: `error` is a bug's own text, where the state document says "internal error".
        """
        with self._turn(reads=True) as at:
            return [
                record.as_dict(with_result=results) | {"error": record.cause, "tool_error": record.tool_error}
                for record in at.calls
            ]

    def change_log(self) -> list[dict[str, Any]]:
        """The change records so far, as in the state document."""
        with self._turn(reads=True) as at:
            return at.log.as_dicts()

    def diff(self) -> Diff:
        """The net difference since the start."""
        return Diff(self.change_log(), {path: node["world"] for path, node in self.composition().items()})

    def state(self, format: str | None = None, *, results: bool = False) -> dict[str, Any]:
        """The state document, the reader's own copy; `results=True` adds them to a `+calls` document."""
        return dict(orjson.loads(self.state_json(format, results=results)))

    def state_json(self, format: str | None = None, *, results: bool = False, **extra: Any) -> bytes:
        """The state document as JSON, with `extra` fields in its envelope."""
        chosen = self.world.check_state_format(format or self.state_format)
        with self._turn(reads=True) as at:
            return state.render(self, at, chosen, results=results, extra=extra)

    def export(self) -> dict[str, Any]:
        """The episode document: what begins this episode again, what was done, and what came of it."""
        return dict(orjson.loads(self.export_json()))

    def export_json(self) -> bytes:
        """The episode document as JSON, for a file or a door."""
        with self._turn(reads=True) as at:
            return exporting.render(self, at)

    def inspect(self) -> Inspector:
        """Read-only SQL over the rows as they are now: `inst.inspect().rows("SELECT …")`.

        The stores of embedded worlds stand beside the root's: `SELECT * FROM payments.charges`, `shop__payments`.
        """
        with self._turn(reads=True) as at:
            if self._inspector is None or self._inspector.version != versions(*at.nodes):
                self._inspector = Inspector(at.root, self.seed, at.nodes[1:])
            return self._inspector

    @contextmanager
    def inspecting(self, node: str = ROOT) -> Iterator[None]:
        """A block in which the models of the world at a path read the rows as they are at its beginning.

        Writing raises.
        """
        with self._turn(reads=True) as at:
            inspector = Inspector(at.node(node), self.seed)
        try:
            with inspector.bound():
                yield
        finally:
            inspector.close()

    # Time.

    def advance(self, *, to: str | datetime | None = None, **by: float) -> int:
        """Move the clock to an instant, or by `seconds=`, `minutes=`, `hours=`, `days=`, `weeks=`.

        What comes due runs, each event at its own time; answers how many did.
        Raises: WorldBug for a step back, and for a wall clock.
        """
        if (to is None) == (not by):
            raise WorldBug("advance takes to=<instant>, or one or more of seconds=, minutes=, hours=, days=, weeks=")
        with self._turn() as at:
            step = parse_instant(to, "to") - at.clock.ms() if to is not None else milliseconds(by)
            return dispatch.advance(at, step)

    # Going back, and sideways.

    def fork(self) -> Instance:
        """An independent instance at this very point: the same calls on both give equal documents."""
        with self._turn() as at:
            snapshot = at.snapshot()
        twin = object.__new__(Instance)
        twin.world, twin.base, twin.start = self.world, self.base, self.start
        twin.id, twin.episode_id, twin.state_format = _new_id(), self.episode_id, self.state_format
        twin.seed, twin.given = self.seed, self.given
        clock = Clock(0, self._at.clock.mode)
        twin._prepare(Position(self._at.tree, self.base, clock, InstanceInfo(twin.id, self.fixture, self.seed)))
        twin._at.restore(snapshot)
        return twin

    def checkpoint(self) -> Snapshot:
        """This point, to `rewind(to)` later, as often as wanted."""
        with self._turn() as at:
            return at.snapshot()

    def rewind(self, to: Snapshot | None = None, *, call: int | None = None) -> None:
        """Go back to a checkpoint, or to just after call `call` (-1 is the start); what came later is forgotten.

        Raises: WorldBug for another instance's checkpoint (unless one is a fork of the other), for a call that was
        not made, and for one too old to reach when the clock does not replay.
        """
        with self._turn() as at:
            if to is not None and call is None:
                if to.lineage is not at.lineage:
                    raise WorldBug("the checkpoint was taken of another instance; rewind that one, or fork() it")
                at.restore(to)
            elif call is None or to is not None:
                raise WorldBug("rewind takes one of the two: a checkpoint, or call=<ordinal>")
            elif isinstance(call, bool) or not isinstance(call, int) or not -1 <= call < len(at.calls):
                raise WorldBug(f"cannot rewind to call {call!r}: {len(at.calls)} calls were made, counted from 0")
            elif at.steps.reaches(call):
                at.step_back(call)
            else:
                dispatch.replay_to(at, call)

    def freeze(
        self,
        id: str,
        description: str,
        *,
        folder: Path | None = None,
        replace: bool = False,
        parent: str | None = None,
    ) -> Fixture:
        """Write this state as the fixture `id`; `description` is for whoever chooses one.

        The parent it names is the fixture the instance started from, unless another is given.

        Raises: FixtureError for an id that is taken (unless `replace`) or a schema that was changed by hand.
        """
        with self._turn() as at:
            parent = parent or (self.fixture if self.fixture != id else None)
            return freezing.freeze(at, id, description, parent=parent, folder=folder, replace=replace)

    # The end.

    @property
    def closed(self) -> bool:
        """Is it over?"""
        return self._closed is not None

    def destroy(self) -> None:
        """Free everything; waits for a running call. Doing it twice is doing it once."""
        if active.current() in self._at.nodes:
            raise WorldBug("an instance cannot be destroyed by its own tool; it would pull its store from under itself")
        with self._lock:
            self.abandon("it was destroyed")
            self._close()
            if self._inspector is not None:
                self._inspector.close()

    def rest(self) -> None:
        """Give back the memory that only speed is for; the next use takes it again, in less than a millisecond."""
        with self._turn() as at:
            for node in at.nodes:
                node.store.close()
            if self._inspector is not None:
                self._inspector.close()
                self._inspector = None

    def interrupt(self) -> None:
        """Stop the SQL statement that runs, if one does; from any thread."""
        for node in self._at.nodes:
            node.store.interrupt()

    def abandon(self, reason: str) -> None:
        """Refuse all further use without waiting, as after a call that would not end."""
        if self._closed is None:
            self._closed = reason
        _live.discard(self)


def _new_id() -> str:
    # An instance is a thing of this host, not of the world in it, so its id is nobody's to replay.
    return str(uuid.uuid4())  # noqa: TID251


def live_instances() -> list[Instance]:
    """Every instance of this process that is not destroyed."""
    return list(_live)


@atexit.register
def _destroy_all() -> None:
    for instance in live_instances():
        instance.abandon("the process ends")
