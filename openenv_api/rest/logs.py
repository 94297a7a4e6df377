"""What did a run change: the log, its net, and the document that a grader reads?"""

from __future__ import annotations

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes

from openenv_api import protocol
from openenv_api.access import Scope
from openenv_api.http import json_response
from openenv_api.rest import responses, streaming
from openenv_api.rest.errors import refusing
from openenv_api.rest.paging import cut_of, page, page_of_all
from openenv_api.rest.requests import ChangesQuery, DiffQuery, StateQuery, StreamQuery
from openenv_api.rest.responses import page_of
from openenv_api.rest.view import Given, InstanceView, operation
from worlds.engine import Instance, excerpts


class Changes(InstanceView):
    tag = "state"

    @operation("change_list", needs=Scope.EVALUATOR, to="read its changes", query=ChangesQuery,
               answer=page_of(responses.Change))  # fmt: skip
    async def get(self, given: Given) -> HttpResponse:
        """List the change records: every row that every call changed, in their order."""
        if "call" in given:
            found = await self.hosted.run(excerpts.changes_of_call, self.instance, given["call"])
            return page_of_all(self.request, given, found)
        cut = cut_of(given)
        found, count = await self.hosted.run(excerpts.changes, self.instance, cut.start, cut.stop)
        return page(self.request, given, found, count)


class ChangeStream(InstanceView):
    tag = "state"

    @operation(
        "change_stream", needs=Scope.EVALUATOR, to="read its changes", query=StreamQuery,
        answer={(200, streaming.MEDIA_TYPE): OpenApiTypes.STR},
    )  # fmt: skip
    async def get(self, given: Given) -> HttpResponseBase:
        """Stream the change records as they stand now, one JSON object a line, however many there are."""
        found, _ = await self.hosted.run(excerpts.changes, self.instance, given["start"])
        return streaming.lines(found)


class NetDiff(InstanceView):
    tag = "state"

    @operation("diff_list", needs=Scope.EVALUATOR, to="read its diff", query=DiffQuery,
               answer=page_of(responses.NetChange))  # fmt: skip
    async def get(self, given: Given) -> HttpResponse:
        """List the net difference since the start: one change a row, however often it was written."""
        return page_of_all(self.request, given, await self.hosted.run(_net, self.instance, given))


class State(InstanceView):
    tag = "state"

    @operation(
        "state_detail", needs=Scope.EVALUATOR, to="read its state", query=StateQuery,
        answer=OpenApiTypes.OBJECT,
    )  # fmt: skip
    async def get(self, given: Given) -> HttpResponse:
        """Read the state document, in any format of the world: where the run came from, and what it changed."""
        with refusing("unknown_format"):
            self.hosted.world.check_state_format(given.get("format") or self.instance.state_format)
        return json_response(await self.hosted.run(_document, self.instance, given))


# On a worker thread.


def _net(instance: Instance, given: Given) -> list[bytes]:
    return [
        protocol.encode(change._asdict())
        for change in instance.diff()
        if given.get("node") in (None, change.world)
        and given.get("table") in (None, change.table)
        and given.get("op") in (None, change.op)
    ]


def _document(instance: Instance, given: Given) -> bytes:
    return instance.state_json(given.get("format"), results=given["results"])
