"""What runs behind a session: one hosted instance, and the count of its steps?"""

from __future__ import annotations

from functools import cache
from typing import Any

from django.conf import settings

from openenv_api import protocol
from openenv_api.errors import EpisodeOver, NoWorld
from worlds.engine import Start, World, WorldBug, installed, state
from worlds.engine.hosting import Hosted


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


class Episode(Hosted):
    """One run of a world. It is blank until the first call when no `reset` began it."""

    def __init__(self, world: World, start: Start | None = None, *, opened_by: str | None = None) -> None:
        super().__init__(world, start, door="openenv")
        self.opened_by = opened_by
        self.is_implicit = start is None
        self.step_count = 0

    async def call(self, tool: str, arguments: dict[str, Any]) -> bytes:
        """Call a tool, which is a step; answers its result as JSON.

        Raises: ToolError for every refusal; EpisodeOver; anything else is a bug in the world.
        """
        self.step_count += 1
        return await self.dispatch(tool, arguments)

    async def state(self, **extra: Any) -> bytes:
        """The state document as JSON, with `extra` in its envelope."""
        extra["step_count"] = self.step_count
        if self.is_implicit:
            extra |= {"episode_id": None, "implicit_episode": True}
        return await self.run(self._document, extra)

    def reset_metadata(self) -> dict[str, Any]:
        """What a reset answers about the episode it began."""
        assert self.instance is not None
        return {
            "world": self.world.name,
            "fixture": self.instance.fixture,
            "now": self.instance.clock.iso(),
            "clock_mode": self.instance.clock.mode,
            "tools": list(self.world.surface),
            "instance_id": self.id,
            "agent_token": self.agent_token,
        }

    def over(self, reason: str) -> EpisodeOver:
        return EpisodeOver(f"This episode is over: {reason}. Reset to start a new episode.")

    def _document(self, extra: dict[str, Any]) -> bytes:
        if self.instance is None:
            return protocol.encode(state.without_instance(self.world, self.world.pinned_format) | extra)
        return self.instance.state_json(**extra)
