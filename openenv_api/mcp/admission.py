"""Who may use which instance over MCP?"""

from __future__ import annotations

from starlette.requests import Request

from openenv_api.access import Grant, Scope, Unauthorized, grant_of, secret_in
from openenv_api.errors import Refusal
from openenv_api.mcp import starts
from openenv_api.mcp.guests import Guest
from openenv_api.sessions import default_fixture
from worlds.engine import World
from worlds.engine.hosting import Hosted

#: A stream survives its connection; JSON takes half the time.
ANSWERS = ("stream", "json")


class OtherWorld(Refusal):
    """The token is of an instance of another world."""

    rpc_code = -32602


class Visitor:
    """Whoever sent a request: what it asks for, and the secret it shows.

    Raises: BadStart for what nobody can ask for.
    """

    def __init__(self, request: Request) -> None:
        query = request.url.query
        self.asked = starts.asked(query, request.headers)
        self.answers = self.asked.get("answers", "stream")
        if self.answers not in ANSWERS:
            raise starts.BadStart(f"answers is {self.answers!r:.80}; expected one of {', '.join(ANSWERS)}")
        self.secret = self.asked.get("instance") or secret_in(request.headers, query)

    def invited(self, world: World) -> Guest | None:
        """A guest in the instance whose token is shown, if one is.

        Raises: Unauthorized, EpisodeOver, OtherWorld, and BadStart for a start, which that instance has had.
        """
        return self._invited(world, grant_of(self.secret))

    def admitted(self, world: World) -> Guest:
        """A guest in the instance whose token is shown, or in one of its own.

        Raises: what `invited` raises; Forbidden; BadStart.
        """
        grant = grant_of(self.secret)
        guest = self._invited(world, grant)
        if guest is None:
            grant.require(Scope.AGENT, "open an instance")
            hosted = Hosted(world, starts.start_of(self.asked, default_fixture(world)), door="mcp")
            hosted.opened_by = grant.key
            guest = Guest(hosted, owns=True)
        return guest

    def _invited(self, world: World, grant: Grant) -> Guest | None:
        hosted = grant.hosted
        if hosted is None:
            if "instance" in self.asked:
                raise Unauthorized("`instance` takes the agent token or the owner token of an instance.")
            return None
        if hosted.world is not world:
            raise OtherWorld(f"The token is of an instance of world {hosted.world.name}: use /mcp/{hosted.world.name}")
        starts.refuse_start(self.asked)
        return Guest(hosted, owns=False)
