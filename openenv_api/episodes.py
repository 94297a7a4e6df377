"""What runs behind a session: one instance, its lane, and the count of its steps?

Every engine call runs on the episode's lane, a queue on the shared worker threads, and never on the event loop.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any, TypeVar

from django.conf import settings

from openenv_api import protocol
from openenv_api.errors import EpisodeOver, NoWorld
from worlds.engine import CallTimeout, Instance, InstanceClosed, Start, World, WorldBug, installed, state
from worlds.engine.lanes import LaneClosed, Lanes

T = TypeVar("T")

#: The worker threads of this process.
LANES = Lanes()
#: Making an instance may build an image first, so it has this many times as long as a call.
BEGIN_PATIENCE = 5


def world_named(name: str) -> World:
    """An installed world.

    Raises: WorldBug with the nearest name and the ones there are.
    """
    return installed.get(name)


def world_of(name: str | None) -> World:
    """The world a URL names; none is the server's default.

    Raises: NoWorld with the nearest name and the ones there are.
    """
    try:
        return world_named(settings.SEAHAVEN_DEFAULT_WORLD if name is None else name)
    except WorldBug as error:
        raise NoWorld(str(error), factory_name=name) from None


@cache
def tools_json(world: World) -> bytes:
    """The world's tools as a JSON array of {"name", "description", "input_schema"}."""
    return protocol.encode([tool.listing() for tool in world.surface.values()])


class Episode:
    """One run of a world. It is blank until the first call when no `reset` began it."""

    def __init__(self, world: World, start: Start | None = None) -> None:
        self.world = world
        self.start = start or Start()
        self.is_implicit = start is None
        self.step_count = 0
        self.instance: Instance | None = None
        self.over_because: str | None = None
        self._lane = LANES.lane()

    async def begin(self) -> Episode:
        """Make the instance.

        Raises: WorldBug, and FixtureError among them, for a start that does not fit; CallTimeout.
        """
        self.instance = await self._lane.run(
            self.world.start, self.start, timeout_s=settings.SEAHAVEN_CALL_TIMEOUT_S * BEGIN_PATIENCE
        )
        return self

    async def call(self, tool: str, arguments: dict[str, Any]) -> bytes:
        """Call a tool, which is a step; answers its result as JSON.

        Raises: ToolError for every refusal; EpisodeOver; anything else is a bug in the world.
        """
        self.step_count += 1
        return await self._run(self._dispatch, tool, arguments)

    async def state(self, **extra: Any) -> bytes:
        """The state document as JSON, with `extra` in its envelope."""
        extra["step_count"] = self.step_count
        if self.is_implicit:
            extra |= {"episode_id": None, "implicit_episode": True}
        return await self._run(self._document, extra)

    def reset_metadata(self) -> dict[str, Any]:
        """What a reset answers about the episode it began."""
        assert self.instance is not None
        return {
            "world": self.world.name,
            "fixture": self.instance.fixture,
            "now": self.instance.clock.iso(),
            "clock_mode": self.instance.clock.mode,
            "tools": list(self.world.surface),
        }

    def end(self, reason: str) -> None:
        """Take no more calls, and free everything once those that came before are done."""
        if self.over_because is None:
            self.over_because = reason
            if self.instance is not None:
                with suppress(LaneClosed):  # the process is going down
                    self._lane.submit(self.instance.destroy)

    # On the loop.

    async def _run(self, fn: Callable[..., T], *args: Any) -> T:
        if self.over_because is not None:
            raise self._over(self.over_because)
        limit_s = settings.SEAHAVEN_CALL_TIMEOUT_S
        try:
            return await self._lane.run(fn, *args, timeout_s=limit_s, on_overrun=self._interrupt)
        except CallTimeout:
            self.over_because = self.over_because or f"a call in it took longer than {limit_s:g} s"
            raise
        except InstanceClosed as error:
            raise self._over(self.over_because or str(error)) from None

    def _over(self, reason: str) -> EpisodeOver:
        return EpisodeOver(f"This episode is over: {reason}. Reset to start a new episode.")

    # On a worker thread.

    def _dispatch(self, tool: str, arguments: dict[str, Any]) -> bytes:
        if self.instance is None:
            self.instance = self.world.start(self.start)
        return self.instance.dispatch(tool, arguments).json

    def _document(self, extra: dict[str, Any]) -> bytes:
        if self.instance is None:
            return protocol.encode(state.without_instance(self.world, self.world.pinned_format) | extra)
        return self.instance.state_json(**extra)

    def _interrupt(self) -> None:
        if self.instance is not None:
            self.instance.abandon("a call in it ran over its time limit")
            self.instance.interrupt()
