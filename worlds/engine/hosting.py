"""Which instances does this process serve, whichever door opened them?

A door opens an instance as a `Hosted`: the instance on a lane of its own, so that every engine call runs on a worker
thread and never on the event loop. All of them stand in one register, where another door finds them by id or token.
"""

from __future__ import annotations

import secrets
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, TypeVar

from django.conf import settings

from worlds.engine.errors import CallTimeout, InstanceClosed, WorldBug
from worlds.engine.instance import Instance, Start
from worlds.engine.lanes import LaneClosed, Lanes
from worlds.engine.world import World

T = TypeVar("T")

#: The worker threads of this process.
LANES = Lanes()
#: Making an instance may build an image first, so it has this many times as long as a call.
BEGIN_PATIENCE = 5
#: Told of what happens to a hosted instance: "opened", "moved" or "ended". Called on any thread, and quick.
Watcher = Callable[["Hosted", str], None]


class HostFull(WorldBug):
    """The process serves as many instances as it may."""


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
        self.id = str(uuid.uuid4())
        self.instance: Instance | None = None
        self.over_because: str | None = None
        self.opened_at = self.used_at = time.monotonic()
        #: Calls that run or wait.
        self.busy = 0
        self._tokens: tuple[str, str] | None = None
        self._lane = LANES.lane()

    # Who may do what with it.

    @property
    def agent_token(self) -> str:
        """What an agent shows: good for calling tools of this instance."""
        return self._known_tokens()[0]

    @property
    def owner_token(self) -> str:
        """What its owner shows: good for everything with this instance."""
        return self._known_tokens()[1]

    def _known_tokens(self) -> tuple[str, str]:
        if self._tokens is None:
            agent, owner = (f"{kind}-{self.id}.{secrets.token_urlsafe(24)}" for kind in ("agent", "owner"))
            self._tokens = agent, owner
        return self._tokens

    # On the loop.

    async def begin(self) -> Hosted:
        """Make the instance.

        Raises: WorldBug, and FixtureError among them, for a start that does not fit; CallTimeout.
        """
        self.instance = await self._lane.run(
            self.world.start, self.start, timeout_s=settings.SEAHAVEN_CALL_TIMEOUT_S * BEGIN_PATIENCE
        )
        HOSTS.add(self)
        return self

    async def dispatch(self, tool: str, arguments: dict[str, Any]) -> bytes:
        """Call a tool; answers its result as JSON.

        Raises: ToolError for every refusal; InstanceClosed when it is over; anything else is a bug in the world.
        """
        return await self.run(self._dispatch, tool, arguments)

    async def run(self, fn: Callable[..., T], *args: Any, timeout_s: float | None = None) -> T:
        """Run `fn(*args)` on the instance's lane.

        Raises: InstanceClosed, or what `over` makes of it, when it is over; CallTimeout; whatever `fn` raises.
        """
        if self.over_because is not None:
            raise self.over(self.over_because)
        limit_s = settings.SEAHAVEN_CALL_TIMEOUT_S if timeout_s is None else timeout_s
        self.used_at = time.monotonic()
        self.busy += 1
        try:
            return await self._lane.run(fn, *args, timeout_s=limit_s, on_overrun=self._interrupt)
        except CallTimeout:
            self.over_because = self.over_because or f"a call in it took longer than {limit_s:g} s"
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
                    self._lane.submit(self.instance.destroy)
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

    def _interrupt(self) -> None:
        if self.instance is not None:
            self.instance.abandon("a call in it ran over its time limit")
            self.instance.interrupt()


class Hosts:
    """Every instance that is served. Safe to use from any thread."""

    def __init__(self) -> None:
        self._all: dict[str, Hosted] = {}
        self._named: dict[tuple[str, str], Hosted] = {}
        #: Called with each that opens, moves or ends; for who watches live.
        self.watchers: list[Watcher] = []

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
        return (hosted, kind == "owner") if secrets.compare_digest(token.encode(), wanted.encode()) else None

    def require_place(self) -> None:
        """Make room for one more that nobody's session holds.

        Raises: HostFull.
        """
        self.expire()
        most = settings.SEAHAVEN_MAX_INSTANCES
        if len(self._all) >= most:
            raise HostFull(
                f"this server has {len(self._all)} of {most} instances open; delete one, or raise "
                f"SEAHAVEN_MAX_INSTANCES"
            )

    def expire(self) -> None:
        """End those that nobody used for as long as they are kept."""
        now = time.monotonic()
        for hosted in self:
            if hosted.idle_s and not hosted.busy and now - hosted.used_at > hosted.idle_s:
                hosted.end(f"nobody used it for {hosted.idle_s:g} s")

    def add(self, hosted: Hosted) -> None:
        self._all[hosted.id] = hosted
        if hosted.name is not None:
            self._named[hosted.world.name, hosted.name] = hosted
        self.tell(hosted, "opened")

    def remove(self, hosted: Hosted) -> None:
        if hosted.name is not None and self._named.get((hosted.world.name, hosted.name)) is hosted:
            del self._named[hosted.world.name, hosted.name]
        if self._all.pop(hosted.id, None) is not None:
            self.tell(hosted, "ended")

    def tell(self, hosted: Hosted, what: str) -> None:
        """Let those who watch know."""
        for watcher in self.watchers:
            watcher(hosted, what)


HOSTS = Hosts()
