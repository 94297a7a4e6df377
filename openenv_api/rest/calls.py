"""How is a tool called, and which calls were made?"""

from __future__ import annotations

import time
from typing import Any

from django.http import HttpResponse

from openenv_api import protocol
from openenv_api.access import Scope
from openenv_api.http import json_response
from openenv_api.rest import responses
from openenv_api.rest.errors import BrokenTool
from openenv_api.rest.paging import cut_of, page
from openenv_api.rest.requests import CallsQuery, NewCall
from openenv_api.rest.responses import page_of
from openenv_api.rest.view import Given, InstanceView, operation
from worlds.engine import Instance, InstanceClosed, ToolError, UnknownTool, excerpts


class Calls(InstanceView):
    tag = "calls"

    @operation("call_list", needs=Scope.EVALUATOR, to="read its calls", query=CallsQuery,
               answer=page_of(responses.Call))  # fmt: skip
    async def get(self, given: Given) -> HttpResponse:
        """List the calls that were made, in their order."""
        cut = cut_of(given)
        found, count = await self.hosted.run(_recorded, self.instance, cut.start, cut.stop, given["results"])
        return page(self.request, given, found, count)

    @operation("call_create", needs=Scope.AGENT, to="call its tools", body=NewCall, answer=responses.Called)
    async def post(self, given: Given) -> HttpResponse:
        """Call a tool.

        The answer is 200 whenever the tool did its part, by answering or by refusing: a refusal is an outcome, counted
        and logged, and `error` says what it was. A tool that is not there is 404, one with a bug 500.
        """
        is_owner = self.grant.scope >= Scope.EVALUATOR
        arguments = given.get("arguments") or {}
        return json_response(await self.hosted.move(call, self.instance, given["tool"], arguments, is_owner))


# On a worker thread.


def call(instance: Instance, tool: str, arguments: dict[str, Any], is_owner: bool) -> bytes:
    """Call a tool; answers what came of it as JSON. What changed is for the owner alone.

    Raises: UnknownTool, which leaves no trace; InstanceClosed; BrokenTool for a bug in the tool.
    """
    began, ordinal, records = time.perf_counter(), instance.call_count, excerpts.change_count(instance)
    result, error = b"null", None
    try:
        result = instance.dispatch(tool, arguments).json
    except (UnknownTool, InstanceClosed):
        raise
    except ToolError as refusal:
        error = _fault(refusal.to_dict())
    except Exception as bug:
        raise BrokenTool(ordinal) from bug
    ms = round((time.perf_counter() - began) * 1000, 3)
    made = b"[%b]" % b",".join(excerpts.changes(instance, records)[0]) if is_owner else b"null"
    return b'{"ordinal":%d,"result":%b,"error":%b,"changes":%b,"ms":%b}' % (
        ordinal, result, protocol.encode(error), made, protocol.encode(ms),
    )  # fmt: skip


def _recorded(instance: Instance, start: int, stop: int, results: bool) -> tuple[list[dict[str, Any]], int]:
    found, count = excerpts.calls(instance, start, stop, results=results)
    for record in found:
        refusal, said = record.pop("tool_error"), record["error"]
        if refusal is not None:
            record["error"] = _fault(refusal)
        elif said is not None:
            record["error"] = _fault({"code": "internal_error", "message": said, "details": {}})
    return found, count


def _fault(error: dict[str, Any]) -> dict[str, Any]:
    return {**error, "incident": None}
