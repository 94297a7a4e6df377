"""How is a run taken away as a document, and made again from one?"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes

from openenv_api import protocol
from openenv_api.access import Scope
from openenv_api.http import json_response
from openenv_api.rest import responses
from openenv_api.rest.requests import NewReplay
from openenv_api.rest.view import ApiView, Given, InstanceView, operation
from worlds.engine import Instance, verdicts
from worlds.engine.hosting import BEGIN_PATIENCE, LANES
from worlds.engine.verdicts import Question

_STATUSES = {verdicts.EQUAL: "equal", verdicts.DIVERGED: "diverged", verdicts.IMPOSSIBLE: "impossible"}


class Export(InstanceView):
    tag = "state"

    @operation("instance_export", needs=Scope.EVALUATOR, to="export its episode", answer=OpenApiTypes.OBJECT)
    async def get(self, given: Given) -> HttpResponse:
        """Export the episode: all that is needed to begin again, every move with what came of it, every change."""
        return json_response(await self.hosted.run(_exported, self.instance))


class Replays(ApiView):
    tag = "state"

    @operation("replay_create", needs=Scope.EVALUATOR, to="replay episodes", body=NewReplay, answer=responses.Replayed)
    async def post(self, given: Given) -> HttpResponse:
        """Replay an exported episode on an instance of its own, which ends with it.

        `equal` when every move went the same way again; `diverged` names the first divergence, or with `thorough` all
        of them; `impossible` says what keeps the episode from being replayed here.
        """
        limit_s = settings.SEAHAVEN_CALL_TIMEOUT_S * BEGIN_PATIENCE
        return json_response(await LANES.lane().run(_replayed, given, timeout_s=limit_s))


# On a worker thread.


def _exported(instance: Instance) -> bytes:
    return instance.export_json()


def _replayed(given: Given) -> dict[str, Any]:
    question = Question(against=given.get("against"), thorough=given["thorough"])
    found = verdicts.verdict("episode", protocol.encode(given["episode"]), question)
    return {
        "status": _STATUSES[found.status],
        "summary": found.line,
        "moves": found.data.get("moves", 0),
        "made": found.data.get("made", 0),
        "divergences": found.data.get("divergences", []),
        "elsewhere": found.data.get("elsewhere", []),
    }
