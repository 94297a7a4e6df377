"""Whose instance does an MCP client use, and does it end with the client?"""

from __future__ import annotations

from typing import TypeAlias

from mcp.server.context import ServerRequestContext

from worlds.engine import World
from worlds.engine.hosting import HOSTS, Hosted


class Guest:
    """One MCP client, and the instance it uses: its own, which ends with it, or one that others have opened."""

    def __init__(self, hosted: Hosted, *, owns: bool) -> None:
        self.hosted = hosted
        self.owns = owns
        #: Was the client's `initialize` answered?
        self.was_greeted = False

    @property
    def world(self) -> World:
        return self.hosted.world

    async def arrive(self) -> None:
        """Make the instance, unless it is there already.

        Raises: WorldBug, and FixtureError among them, for a start that does not fit; HostFull; CallTimeout.
        """
        if self.owns and self.hosted.instance is None:
            with HOSTS.place():
                await self.hosted.begin()

    def leave(self, reason: str) -> None:
        """The client is gone. Doing it twice is doing it once."""
        if self.owns:
            self.hosted.end(reason)


#: What a handler is given of a request. Its `lifespan_context` is the guest, whatever the transport.
Context: TypeAlias = ServerRequestContext[Guest]
