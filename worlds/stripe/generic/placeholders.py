"""What is answered to an example of the documentation, whose ids name nothing: `cus_xxxxxxxxxxxxx`, `ch_123`?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from worlds.engine import HttpResponse
from worlds.stripe import facts
from worlds.stripe.api import listing
from worlds.stripe.api.call import Call
from worlds.stripe.generic import keeping, lists, stored
from worlds.stripe.generic.beginnings import beginning
from worlds.stripe.generic.forming import Forming
from worlds.stripe.generic.planning import Plan, plan_of
from worlds.stripe.generic.prefixes import prefix_of
from worlds.stripe.generic.special import pdf

#: Where the account keeps whether it takes them.
STATE = "placeholder_ids"
_PLACEHOLDER = re.compile(r"(?:[A-Za-z]+_)+(?:x{4,}|1234?|xyz)|example_[a-z_]+|foo|xxx|Z4OV52SU|my-api-key")


def are_taken(call: Call) -> bool:
    """Does the account take placeholders, and does a request have any?"""
    return is_lenient(call) and any(
        _PLACEHOLDER.fullmatch(text) for text in (*call.path.values(), *_texts(call.params))
    )


def is_lenient(call: Call) -> bool:
    """Does the account take placeholders?"""
    return bool(call.ctx.state.get(STATE))


def is_empty_page(found: Any) -> bool:
    """Is it a page without a single object, where the documentation shows one?"""
    return isinstance(found, dict) and found.get("object") in ("list", "search_result") and not found.get("data")


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)


def answer(call: Call) -> dict[str, Any] | HttpResponse:
    """An object, or a page of one, of the published shape."""
    plan, operation = plan_of(call.operation.id), call.operation
    if not plan.names:
        return pdf("Example")
    name = plan.names[0]
    if isinstance(operation.answer, dict):
        item = _made(call, plan, name, call.new_id(prefix_of(name)))
        if operation.is_v2:
            return {"data": [item], "next_page_url": None, "previous_page_url": None}
        page = listing.envelope([item], url=listing.path_of(call))
        return (
            {**page, "object": "search_result", "next_page": None, "total_count": 1}
            if "search_result" in operation.answer
            else page
        )
    id = call.path[plan.target.name] if plan.target else call.new_id(prefix_of(name))
    made = _made(call, plan, name, id)
    stub = str(operation.answer)
    if plan.kind != "delete" or not stub.startswith("deleted_"):
        return made
    if facts.objects()[stub].one_of:
        return {"id": id, "object": name, "deleted": True}
    return Forming(call.now).object(stub, {**made, "deleted": True})


def _made(call: Call, plan: Plan, name: str, id: str) -> dict[str, Any]:
    begins = beginning(call, name, id, call.params)
    for place in plan.above:
        begins |= dict.fromkeys(lists.fields_for(place, facts.objects()[name].fields), call.path[place.name])
    if "metadata" in facts.objects()[name].fields:
        begins.setdefault("metadata", {})
    values = begins | keeping.values_of(call, name, begins) | {"id": id, "created": stored.created(call, name)}
    return stored.embedded(call, name, Forming(call.now).object(name, values))
