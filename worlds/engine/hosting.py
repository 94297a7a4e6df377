"""Which instances does this process serve, whichever door opened them?

A door opens an instance as a `Hosted`: the instance on a lane of its own, so that every engine call runs on a worker
thread and never on the event loop. All of them stand in one register, where another door finds them by id or token.
"""

from __future__ import annotations

import asyncio
import ctypes
import logging
import os
import secrets
import time
import uuid
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple, TypeVar

from django.conf import settings

from worlds.engine.checkpoints import Snapshot
from worlds.engine.errors import CallTimeout, InstanceClosed, WorldBug
from worlds.engine.instance import Instance, Start
from worlds.engine.lanes import LaneClosed, Lanes
from worlds.engine.world import World

T = TypeVar("T")
logger = logging.getLogger("seahaven.hosting")

#: The worker threads of this process.
LANES = Lanes()
#: Making an instance may build an image first, so it has this many times as long as a call.
BEGIN_PATIENCE = 5
#: So often those are looked for that nobody uses any more.
SWEEP_EVERY_S = 0.5
#: An instance that was not used for so long gives back its connections; what uses it next opens them again.
RESTS_AFTER_S = 2.0
#: After so many rests in one sweep the memory they gave back is returned to the system, which takes a few milliseconds.
TRIMS_AFTER = 16
#: Ended instances whose end is remembered, to be told to whoever asks for them.
ENDS_KEPT = 4096
#: Told of what happens to a hosted instance: "opened", "moved" or "ended". Called on any thread, and quick.
Watcher = Callable[["Hosted", str], None]
#: Called once with each that is over, before it is destroyed, and whether it may still be read: then that is on its
#: lane. What ended in a call that ran over its limit may not, and that is told on the event loop.
LastLook = Callable[["Hosted", bool], None]


_unused_ids: deque[str] = deque()


def new_id() -> str:
    """A UUID that nobody can guess; many are made at once, since to ask the system for chance passes the lock on."""
    while True:
        try:
            return _unused_ids.popleft()
        except IndexError:
            chance = os.urandom(16 * 256)
            _unused_ids.extend(str(uuid.UUID(bytes=chance[i : i + 16], version=4)) for i in range(0, len(chance), 16))


class HostFull(WorldBug):
    """The process serves as many instances as it may."""


class Checkpoint(NamedTuple):
    """A point of an instance that has a name, to rewind to; `now` is the clock's reading there."""

    name: str
    snapshot: Snapshot
    now: str


class End(NamedTuple):
    """How an instance ended, and the tokens it had."""

    reason: str
    tokens: tuple[str, ...]


class Hosted:
    """One instance that is served; blank until its first call when nothing began it.

    `door` says who opened it: "openenv", "rest", "mcp" or "console".
    """

    def __init__(
        self, world: World, start: Start | None = None, *, door: str, idle_s: float = 0, name: str | None = None
    ) -> None:
        #: What clients call it besides its id: among instances of its world it is the only one of that name.
        self.name = name
        self.world = world
        self.start = start or Start()
        self.door = door
        #: Ended when nobody used it for so long; 0: its door sees to that.
        self.idle_s = idle_s
        self.id = new_id()
        self.instance: Instance | None = None
        #: The event loop it was used on last; None before its first use.
        self.loop: asyncio.AbstractEventLoop | None = None
        self.over_because: str | None = None
        self.opened_at = self.used_at = time.monotonic()
        #: Calls that run or wait.
        self.busy = 0
        self.is_resting = False
        #: The hash of the key of whoever opened it, None where no key was shown.
        self.opened_by: str | None = None
        #: Points to rewind to, by their names, in the order they were made.
        self.checkpoints: dict[str, Checkpoint] = {}
        self._tokens: tuple[str, str] | None = None
        self._lane = LANES.lane()

    # Who may do what with it.

    @property
    def agent_token(self) -> str:
        """What an agent shows: good for calling tools of this instance."""
        return self._both_tokens()[0]

    @property
    def owner_token(self) -> str:
        """What its owner shows: good for everything with this instance."""
        return self._both_tokens()[1]

    @property
    def known_tokens(self) -> tuple[str, ...]:
        """The tokens somebody may have; none that nobody asked for."""
        return self._tokens or ()

    def _both_tokens(self) -> tuple[str, str]:
        if self._tokens is None:
            agent, owner = (f"{kind}-{self.id}.{secrets.token_urlsafe(24)}" for kind in ("agent", "owner"))
            self._tokens = agent, owner
        return self._tokens

    # On the loop.

    async def begin(self) -> Hosted:
        """Make the instance.

        Raises: WorldBug, and FixtureError among them, for a start that does not fit; CallTimeout.
        """
        self.loop = asyncio.get_running_loop()
        self.instance = await self._lane.run(
            self.world.start, self.start, timeout_s=settings.SEAHAVEN_CALL_TIMEOUT_S * BEGIN_PATIENCE
        )
        self._opened()
        HOSTS.keep_sweeping()
        return self

    def adopt(self, instance: Instance) -> Hosted:
        """Serve an instance that is made already."""
        self.instance = instance
        self._opened()
        return self

    def _opened(self) -> None:
        HOSTS.add(self)
        if self.idle_s:
            HOSTS.keep_sweeping()

    def rest(self) -> None:
        """Have the instance give back its connections, behind whatever waits on its lane."""
        self.is_resting = True
        if self.instance is not None:
            with suppress(LaneClosed):
                self._lane.submit(_rest, self.instance)

    async def dispatch(self, tool: str, arguments: dict[str, Any]) -> bytes:
        """Call a tool; answers its result as JSON.

        Raises: ToolError for every refusal; InstanceClosed when it is over; anything else is a bug in the world.
        """
        return await self.run(self._dispatch, tool, arguments)

    async def move(self, fn: Callable[..., T], *args: Any, timeout_s: float | None = None) -> T:
        """`run` for what may change the instance: whoever watches is told."""
        return await self.run(self._move, fn, *args, timeout_s=timeout_s)

    async def run(self, fn: Callable[..., T], *args: Any, timeout_s: float | None = None) -> T:
        """Run `fn(*args)` on the instance's lane.

        Raises: InstanceClosed, or what `over` makes of it, when it is over; CallTimeout; whatever `fn` raises.
        """
        if self.over_because is not None:
            raise self.over(self.over_because)
        limit_s = settings.SEAHAVEN_CALL_TIMEOUT_S if timeout_s is None else timeout_s
        self.used_at = time.monotonic()
        self.is_resting = False
        self.loop = asyncio.get_running_loop()
        self.busy += 1
        try:
            return await self._lane.run(fn, *args, timeout_s=limit_s, on_overrun=self._interrupt)
        except CallTimeout:
            if self.over_because is None:
                self.over_because = f"a call in it took longer than {limit_s:g} s"
                HOSTS.look_last(self, is_readable=False)
            HOSTS.remove(self)
            raise
        except InstanceClosed as error:
            raise self.over(self.over_because or str(error)) from None
        finally:
            self.busy -= 1
            self.used_at = time.monotonic()

    def end(self, reason: str) -> None:
        """Take no more calls, and free everything once those that came before are done."""
        if self.over_because is None:
            self.over_because = reason
            if self.instance is not None:
                with suppress(LaneClosed):  # the process is going down
                    HOSTS.await_end(self._lane.submit(self._destroy, self.instance))
        HOSTS.remove(self)

    def over(self, reason: str) -> Exception:
        """The error for whoever wants something of it when it is over."""
        return InstanceClosed(f"instance {self.id} is over: {reason}")

    # On a worker thread.

    def _dispatch(self, tool: str, arguments: dict[str, Any]) -> bytes:
        if self.instance is None:
            self.instance = self.world.start(self.start)
            HOSTS.add(self)
        try:
            return self.instance.dispatch(tool, arguments).json
        finally:
            HOSTS.tell(self, "moved")

    def _move(self, fn: Callable[..., T], *args: Any) -> T:
        try:
            return fn(*args)
        finally:
            HOSTS.tell(self, "moved")

    def _destroy(self, instance: Instance) -> None:
        HOSTS.look_last(self, is_readable=True)
        instance.destroy()

    def _interrupt(self) -> None:
        if self.instance is not None:
            self.instance.abandon("a call in it ran over its time limit")
            self.instance.interrupt()


def _rest(instance: Instance) -> None:
    with suppress(InstanceClosed):
        instance.rest()


def _return_memory() -> None:
    """Give freed memory back to the system, where the C library keeps it: glibc does."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)


class Hosts:
    """Every instance that is served. Safe to use from any thread."""

    def __init__(self) -> None:
        self._all: dict[str, Hosted] = {}
        self._named: dict[tuple[str, str], Hosted] = {}
        self._ends: OrderedDict[str, End] = OrderedDict()
        self._coming = 0
        self._swept_by: asyncio.AbstractEventLoop | None = None
        self._ending: set[Future[None]] = set()
        #: Called with each that opens, moves or ends; for who watches live.
        self.watchers: list[Watcher] = []
        #: Called with each that is over, while there is something to see of it.
        self.last_looks: list[LastLook] = []

    def __iter__(self) -> Iterator[Hosted]:
        return iter(list(self._all.values()))

    def __len__(self) -> int:
        return len(self._all)

    def get(self, hosted_id: str) -> Hosted | None:
        return self._all.get(hosted_id)

    def named(self, world: str, name: str) -> Hosted | None:
        """The instance of a world that has a name."""
        return self._named.get((world, name))

    def of_token(self, token: str) -> tuple[Hosted, bool] | None:
        """The instance a token is for, and whether it is the owner's; None for a token that is nobody's."""
        kind, _, rest = token.partition("-")
        hosted = self._all.get(rest.partition(".")[0])
        if hosted is None or kind not in ("agent", "owner"):
            return None
        wanted = hosted.owner_token if kind == "owner" else hosted.agent_token
        return (hosted, kind == "owner") if _is_same(token, wanted) else None

    def end_of(self, hosted_id: str) -> str | None:
        """Why an instance is over that was served here; None of one that is not remembered."""
        found = self._ends.get(hosted_id)
        return found.reason if found else None

    def end_of_token(self, token: str) -> str | None:
        """Why the instance is over that a token was good for; None of a token that never was."""
        found = self._ends.get(token.partition("-")[2].partition(".")[0])
        is_known = found is not None and any(_is_same(token, each) for each in found.tokens)
        return found.reason if found and is_known else None

    def require_place(self) -> None:
        """Make room for one more that nobody's session holds.

        Raises: HostFull.
        """
        self.expire()
        most, taken = settings.SEAHAVEN_MAX_INSTANCES, len(self._all) + self._coming
        if taken >= most:
            raise HostFull(
                f"this server has {taken} of {most} instances open; delete one, or raise SEAHAVEN_MAX_INSTANCES"
            )

    @contextmanager
    def place(self) -> Iterator[None]:
        """A block in which one more instance is made, whose place nobody else takes meanwhile.

        Raises: HostFull.
        """
        self.require_place()
        self._coming += 1
        try:
            yield
        finally:
            self._coming -= 1

    def expire(self) -> None:
        """End those that nobody used for as long as they are kept."""
        now = time.monotonic()
        for hosted in self:
            if hosted.idle_s and not hosted.busy and now - hosted.used_at > hosted.idle_s:
                hosted.end(f"nobody used it for {hosted.idle_s:g} s")

    def settle(self) -> None:
        """Let those rest that were not used for a while."""
        now = time.monotonic()
        pausing = [h for h in self if not h.is_resting and not h.busy and now - h.used_at > RESTS_AFTER_S]
        for hosted in pausing:
            hosted.rest()
        if len(pausing) >= TRIMS_AFTER:
            with suppress(LaneClosed):
                LANES.lane().submit(_return_memory)

    def keep_sweeping(self) -> None:
        """Expire what is idle, and let rest what pauses, while anything is open. Call it on an event loop."""
        loop = asyncio.get_running_loop()
        if self._swept_by is not loop:
            self._swept_by = loop
            loop.call_later(SWEEP_EVERY_S, self._sweep)

    def _sweep(self) -> None:
        self._swept_by = None
        self.expire()
        self.settle()
        if self._all:
            self.keep_sweeping()

    def add(self, hosted: Hosted) -> None:
        self._all[hosted.id] = hosted
        if hosted.name is not None:
            self._named[hosted.world.name, hosted.name] = hosted
        self.tell(hosted, "opened")

    def remove(self, hosted: Hosted) -> None:
        if hosted.name is not None and self._named.get((hosted.world.name, hosted.name)) is hosted:
            del self._named[hosted.world.name, hosted.name]
        if self._all.pop(hosted.id, None) is not None:
            self._ends[hosted.id] = End(hosted.over_because or "it was ended", hosted.known_tokens)
            while len(self._ends) > ENDS_KEPT:
                self._ends.popitem(last=False)
            self.tell(hosted, "ended")

    def tell(self, hosted: Hosted, what: str) -> None:
        """Let those who watch know."""
        for watcher in self.watchers:
            watcher(hosted, what)

    def look_last(self, hosted: Hosted, *, is_readable: bool) -> None:
        """Let those look at it who want to see how it ended; their trouble is theirs."""
        for look in self.last_looks:
            try:
                look(hosted, is_readable)
            except Exception:
                logger.exception("Nobody could look at instance %s when it ended", hosted.id)

    def await_end(self, end: Future[None]) -> None:
        """One is being destroyed, which `settle_ends` waits for."""
        self._ending.add(end)
        end.add_done_callback(self._ending.discard)

    def settle_ends(self, wait_s: float) -> None:
        """Wait until those that were ended are destroyed; not for the event loop."""
        wait(self._ending.copy(), wait_s)


def _is_same(one: str, other: str) -> bool:
    """Compared in a time that says nothing of how much is right."""
    return secrets.compare_digest(one.encode(errors="replace"), other.encode())


HOSTS = Hosts()
