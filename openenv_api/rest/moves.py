"""How is an instance's time moved, forward and back, and its state kept?"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpResponse

from openenv_api.access import Scope
from openenv_api.http import json_response
from openenv_api.rest import responses
from openenv_api.rest.errors import Problem, refusing
from openenv_api.rest.instances import described
from openenv_api.rest.paging import page_of_all
from openenv_api.rest.requests import Advance, Freezing, NewCheckpoint, PageQuery, Rewinding
from openenv_api.rest.responses import page_of
from openenv_api.rest.view import Given, InstanceView, operation
from openenv_api.rest.worlds import described as described_fixture
from worlds.engine import Instance, World, fixtures
from worlds.engine.hosting import BEGIN_PATIENCE, Checkpoint, Hosted
from worlds.engine.names import check_name, nearest

#: So many checkpoints an instance may have: each keeps the pages of its time.
MOST_CHECKPOINTS = 100


class Checkpoints(InstanceView):
    tag = "moves"

    @operation("checkpoint_list", needs=Scope.EVALUATOR, to="see its checkpoints", query=PageQuery,
               answer=page_of(responses.Checkpoint))  # fmt: skip
    async def get(self, given: Given) -> HttpResponse:
        """List the checkpoints, in the order they were made."""
        return page_of_all(self.request, given, list(map(_shown, self.hosted.checkpoints.values())))

    @operation("checkpoint_create", needs=Scope.EVALUATOR, to="keep a checkpoint", body=NewCheckpoint,
               answer=responses.Checkpoint, status=201)  # fmt: skip
    async def post(self, given: Given) -> HttpResponse:
        """Keep this point, to rewind to as often as wanted."""
        return json_response(_shown(await self.hosted.run(_keep, self.hosted, given.get("name"))), 201)


class OneCheckpoint(InstanceView):
    tag = "moves"

    @operation("checkpoint_delete", needs=Scope.EVALUATOR, to="drop its checkpoints", answer=None, status=204)
    async def delete(self, given: Given, checkpoint: str) -> HttpResponse:
        """Drop a checkpoint, and free the pages it keeps."""
        del self.hosted.checkpoints[_named(self.hosted, checkpoint, 404).name]
        return HttpResponse(status=204)


class Rewind(InstanceView):
    tag = "moves"

    @operation("instance_rewind", needs=Scope.EVALUATOR, to="rewind it", body=Rewinding, answer=responses.Instance)
    async def post(self, given: Given) -> HttpResponse:
        """Go back to a checkpoint, or to just after a call; what came later is forgotten."""
        with refusing("cannot_rewind"):
            await self.hosted.move(_rewind, self.hosted, given)
        return json_response(described(self.hosted, self.grant))


class Advancing(InstanceView):
    tag = "moves"

    @operation("instance_advance", needs=Scope.EVALUATOR, to="advance its clock", body=Advance,
               answer=responses.Advanced)  # fmt: skip
    async def post(self, given: Given) -> HttpResponse:
        """Move the clock on; what comes due runs, each event at its own time."""
        with refusing("cannot_advance"):
            return json_response(await self.hosted.move(_advance, self.instance, given))


class Freeze(InstanceView):
    tag = "moves"

    @operation("instance_freeze", needs=Scope.ADMIN, to="freeze it as a fixture", body=Freezing,
               answer=responses.Fixture, status=201)  # fmt: skip
    async def post(self, given: Given) -> HttpResponse:
        """Write this state as a new fixture of the world."""
        limit_s = settings.SEAHAVEN_CALL_TIMEOUT_S * BEGIN_PATIENCE
        with refusing("cannot_freeze"):
            check_name(given["fixture"], "a fixture id")
            frozen = await self.hosted.run(_freeze, self.hosted.world, self.instance, given, timeout_s=limit_s)
        return json_response(frozen, 201)


# On a worker thread.


def _keep(hosted: Hosted, name: str | None) -> Checkpoint:
    kept, instance = hosted.checkpoints, hosted.instance
    assert instance is not None
    if len(kept) >= MOST_CHECKPOINTS:
        raise Problem(409, "too_many", f"The instance has {len(kept)} checkpoints, as many as it may; delete one.")
    if name is None:
        name = str(max([int(each) for each in kept if each.isdecimal() and each.isascii()], default=0) + 1)
    if name in kept:
        raise Problem(
            409, "name_taken", f"The instance has a checkpoint {name!r} already; delete it, or choose another."
        )
    kept[name] = Checkpoint(name, instance.checkpoint(), instance.clock.iso())
    return kept[name]


def _rewind(hosted: Hosted, given: Given) -> None:
    assert hosted.instance is not None
    if "call" in given:
        hosted.instance.rewind(call=given["call"])
    else:
        hosted.instance.rewind(_named(hosted, given["checkpoint"], 422).snapshot)


def _advance(instance: Instance, given: Given) -> dict[str, Any]:
    return {"events": instance.advance(**given), "now": instance.clock.iso()}


def _freeze(world: World, instance: Instance, given: Given) -> dict[str, Any]:
    if fixtures.find(world.name, given["fixture"]) is not None:
        message = f"World {world.name} has a fixture {given['fixture']!r} already; fixtures are not overwritten."
        raise Problem(409, "name_taken", message)
    return described_fixture(world, instance.freeze(given["fixture"], given["description"]))


def _named(hosted: Hosted, name: str, status: int) -> Checkpoint:
    found = hosted.checkpoints.get(name)
    if found is None:
        near = nearest(name, hosted.checkpoints)
        hint = f"did you mean {near!r}? " if near else ""
        known = ", ".join(hosted.checkpoints) or "none"
        raise Problem(status, "unknown_checkpoint", f"There is no checkpoint {name!r:.80}; {hint}there are: {known}")
    return found


def _shown(checkpoint: Checkpoint) -> dict[str, Any]:
    moment = checkpoint.snapshot.moment
    return {
        "name": checkpoint.name,
        "call_count": moment.calls,
        "change_count": moment.records,
        "now": checkpoint.now,
    }
