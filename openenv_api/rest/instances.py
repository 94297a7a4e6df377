"""Which instances are there, and how does one begin, branch off and end?"""

from __future__ import annotations

import time
from typing import Any

from django.conf import settings
from django.http import HttpResponse

from openenv_api.access import Grant, Scope
from openenv_api.errors import NoWorld
from openenv_api.http import json_response
from openenv_api.rest import responses
from openenv_api.rest.errors import Problem, refusing
from openenv_api.rest.paging import cut_of, page, page_of_all
from openenv_api.rest.requests import InstancesQuery, NewFork, NewInstance, PageQuery
from openenv_api.rest.responses import page_of
from openenv_api.rest.view import ApiView, Given, InstanceView, operation, world_named
from openenv_api.rest.worlds import tools_of
from openenv_api.sessions import default_fixture
from worlds.engine import Start
from worlds.engine.hosting import HOSTS, Hosted

DOOR = "rest"


class Instances(ApiView):
    tag = "instances"

    @operation(
        "instance_list", needs=Scope.AGENT, to="list instances",
        query=InstancesQuery, answer=page_of(responses.Instance),
    )  # fmt: skip
    async def get(self, given: Given) -> HttpResponse:
        """List the open instances, the oldest first: everybody's for an admin, else those the secret is for."""
        found = [hosted for hosted in HOSTS if _is_asked_for(hosted, self.grant, given)]
        found.sort(key=lambda hosted: hosted.opened_at)
        shown = [described(hosted, self.grant) for hosted in found[cut_of(given)]]
        return page(self.request, given, shown, len(found))

    @operation(
        "instance_create", needs=Scope.AGENT, to="open an instance",
        body=NewInstance, answer=responses.OpenedInstance, status=201, refuses=(503, 504),
    )  # fmt: skip
    async def post(self, given: Given) -> HttpResponse:
        """Open an instance: a private copy of a fixture."""
        self.grant.require(Scope.AGENT, "open an instance")
        try:
            world = world_named(given.pop("world", settings.SEAHAVEN_DEFAULT_WORLD))
        except NoWorld as error:
            raise Problem(422, "unknown_world", error.message) from None
        given.setdefault("fixture", default_fixture(world))
        start = Start(**given | {"startup": given.get("startup") or {}})
        with refusing("cannot_begin"), HOSTS.place():
            hosted = Hosted(world, start, door=DOOR, idle_s=settings.SEAHAVEN_INSTANCE_IDLE_S)
            hosted.opened_by = self.grant.key
            await hosted.begin()
        return _opened(hosted, self.grant)


class OneInstance(InstanceView):
    @operation("instance_detail", needs=Scope.AGENT, to="see it", answer=responses.Instance)
    async def get(self, given: Given) -> HttpResponse:
        """Say how an instance stands."""
        return json_response(described(self.hosted, self.grant))

    @operation("instance_delete", needs=Scope.AGENT, to="end it", answer=None, status=204)
    async def delete(self, given: Given) -> HttpResponse:
        """End an instance, and free what it holds."""
        if self.grant.hosted is not None or self.grant.key is None or self.hosted.opened_by != self.grant.key:
            self.grant.require(Scope.ADMIN, "end it", self.hosted)
        self.hosted.end("it was deleted")
        return HttpResponse(status=204)


class InstanceTools(InstanceView):
    @operation("instance_tool_list", needs=Scope.AGENT, to="see its tools", query=PageQuery,
               answer=page_of(responses.Tool))  # fmt: skip
    async def get(self, given: Given) -> HttpResponse:
        """List the tools an agent may call here."""
        return page_of_all(self.request, given, tools_of(self.hosted.world))


class Fork(InstanceView):
    @operation(
        "instance_fork", needs=Scope.EVALUATOR, to="fork it",
        body=NewFork, answer=responses.OpenedInstance, status=201, refuses=(503,),
    )  # fmt: skip
    async def post(self, given: Given) -> HttpResponse:
        """Open a second instance at this very point: the same calls on both have the same outcome."""
        with HOSTS.place():
            twin = await self.hosted.run(self.instance.fork)
            hosted = Hosted(self.hosted.world, self.hosted.start, door=DOOR, idle_s=settings.SEAHAVEN_INSTANCE_IDLE_S)
            hosted.opened_by = self.grant.key or self.hosted.opened_by
            hosted.adopt(twin)
        return _opened(hosted, self.grant)


def described(hosted: Hosted, grant: Grant) -> dict[str, Any]:
    """How an instance stands; reads what any thread may read."""
    instance = hosted.instance
    assert instance is not None, "it is registered once it has one"
    is_owner = grant.scope >= Scope.EVALUATOR
    return {
        "id": hosted.id,
        "world": hosted.world.name,
        "world_version": hosted.world.version,
        "door": hosted.door,
        "fixture": instance.fixture,
        "episode_id": instance.episode_id,
        "seed": instance.caller_seed if is_owner else None,
        "task": instance.task if is_owner else None,
        "now": instance.clock.iso(),
        "clock_mode": instance.clock.mode,
        "state_format": instance.state_format,
        "call_count": instance.call_count,
        "busy": hosted.busy,
        "idle_s": 0.0 if hosted.busy else round(time.monotonic() - hosted.used_at, 3),
        "expires_after_s": hosted.idle_s or None,
    }


def _is_asked_for(hosted: Hosted, grant: Grant, given: Given) -> bool:
    is_ones_own = (
        grant.scope is Scope.ADMIN
        and grant.hosted is None
        or (hosted is grant.hosted if grant.hosted is not None else hosted.opened_by == grant.key)
    )
    is_meant = given.get("world") in (None, hosted.world.name) and given.get("door") in (None, hosted.door)
    return is_ones_own and is_meant and hosted.instance is not None


def _opened(hosted: Hosted, grant: Grant) -> HttpResponse:
    """A new instance with its tokens. An agent's key is good for no more than an agent's token."""
    owner_token = hosted.owner_token if grant.scope >= Scope.EVALUATOR else None
    tokens = {"agent_token": hosted.agent_token, "owner_token": owner_token}
    response = json_response(described(hosted, grant) | tokens, 201)
    response["Location"] = f"/api/v1/instances/{hosted.id}"
    return response
