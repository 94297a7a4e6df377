"""What does an operation do that nobody has written by hand?

Its path and its answer say what kind of thing it does; the shape of the object says which parameters stay in it; a few
tables say what shapes cannot: how an object begins, what an action makes of it, which operations are unlike others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from worlds.engine import HttpResponse
from worlds.stripe.api import errors
from worlds.stripe.api.call import Call
from worlds.stripe.generic import keeping, lists, mentions, second, singles, special, stored
from worlds.stripe.generic.moves import move
from worlds.stripe.generic.planning import Place, Plan, plan_of
from worlds.stripe.generic.wording import noun_of
from worlds.stripe.models.objects import StoredObject

Done = dict[str, Any] | HttpResponse


def carry_out(call: Call) -> Done:
    """Do what the published shape of the operation says."""
    plan = plan_of(call.operation.id)
    for place in plan.above:
        _require(call, place)
    if call.operation.method != "GET":
        mentions.check(call, plan.names)
    run = special.RUNS.get(call.operation.id) or _KINDS[plan.kind]
    answer = run(call, plan)
    return second.included(call, answer) if call.operation.is_v2 and isinstance(answer, dict) else answer


def _require(call: Call, place: Place) -> None:
    """Refuse a path through something that is not there."""
    id = call.path[place.name]
    if place.objects:
        found = stored.load(call, place.objects, id)
        if found is None or found.get("deleted"):
            raise errors.no_such(noun_of(place.objects[0]), id, param=place.name)


def _create(call: Call, plan: Plan) -> Done:
    return keeping.create(call, plan)


def _retrieve(call: Call, plan: Plan) -> Done:
    assert plan.target is not None
    id = call.path[plan.target.name]
    found = stored.load(call, plan.names, id)
    if found is None or (found.get("deleted") and not _shows_deleted(call)) or not _belongs(call, plan, id, found):
        raise errors.no_such(noun_of(plan.names[0]), id, param=plan.target.name)
    return found


def _shows_deleted(call: Call) -> bool:
    answer = call.operation.answer
    return isinstance(answer, list) and any(str(name).startswith("deleted_") for name in answer)


def _belongs(call: Call, plan: Plan, id: str, found: dict[str, Any]) -> bool:
    """Is an object what its path says, a part of what stands before it?"""
    above = plan.above[-1] if plan.above and plan.above[-1].objects else None
    if above is None or found.get("deleted"):
        return True
    parent = call.path[above.name]
    row = call.rows(StoredObject).filter(pk=id).first()
    if row is not None and row.parent is not None:
        return row.parent == parent
    fields = lists.fields_for(above, found)
    named = [found.get(field) for field in fields]
    return not named or parent in [each.get("id") if isinstance(each, dict) else each for each in named]


def _update(call: Call, plan: Plan) -> Done:
    return keeping.update(call, plan, _target(call, plan))


def _act(call: Call, plan: Plan) -> Done:
    return move(call, plan, _target(call, plan))


def _delete(call: Call, plan: Plan) -> Done:
    if plan.target is None:
        return singles.delete(call, plan)
    return keeping.delete(call, plan, _target(call, plan))


def _target(call: Call, plan: Plan) -> Any:
    """The row an operation is about."""
    assert plan.target is not None
    id = call.path[plan.target.name]
    row = stored.row_of(call, plan.target.objects or plan.names, id)
    if row is None or getattr(row, "deleted", False) or not _belongs(call, plan, id, stored.shown(call, row)):
        raise errors.no_such(noun_of(plan.names[0]), id, param=plan.target.name)
    return row


_KINDS: dict[str, Callable[[Call, Plan], Done]] = {
    "create": _create,
    "retrieve": _retrieve,
    "update": _update,
    "list": lists.page,
    "delete": _delete,
    "act": _act,
    "read_one": singles.read,
    "change_one": singles.change,
}
