"""What of the things there is only one of: of the account, or of what it belongs to?"""

from __future__ import annotations

from typing import Any

from worlds.engine import HttpResponse
from worlds.stripe import facts
from worlds.stripe.api import errors
from worlds.stripe.api.call import Call
from worlds.stripe.generic import keeping, lists, stored
from worlds.stripe.generic.beginnings import beginning
from worlds.stripe.generic.forming import Forming
from worlds.stripe.generic.planning import Plan
from worlds.stripe.generic.wording import noun_of
from worlds.stripe.models.objects import StoredObject


def read(call: Call, plan: Plan) -> dict[str, Any] | HttpResponse:
    """The one object: as it was left, else as it begins; one that has an id must have been made."""
    name = plan.names[0]
    if "id" not in facts.objects()[name].fields:
        return _shown(call, plan, name)
    return stored.shown(call, _made(call, plan))


def change(call: Call, plan: Plan) -> dict[str, Any]:
    """Change it, making it when it was never changed before."""
    name = plan.names[0]
    if "id" in facts.objects()[name].fields:
        return keeping.update(call, plan, _made(call, plan))
    parent = _parent(call, plan)
    row = stored.alone(call, name, parent)
    if row is None:
        values = _shown(call, plan, name)
        row = call.make(
            StoredObject, "", id=stored.alone_id(call, name, parent), object=name, parent=parent, data=values
        )
    keeping.write(call, row, keeping.values_of(call, name, row.data))
    return row.data


def delete(call: Call, plan: Plan) -> dict[str, Any]:
    """Take away the one that was made."""
    return keeping.delete(call, plan, _made(call, plan))


def _shown(call: Call, plan: Plan, name: str) -> dict[str, Any]:
    parent = _parent(call, plan)
    row = stored.alone(call, name, parent)
    if row is not None:
        return row.data
    values = beginning(call, name, parent or "", call.params)
    for place in plan.above:
        values |= dict.fromkeys(lists.fields_for(place, facts.objects()[name].fields), call.path[place.name])
    return Forming(call.now).object(name, values)


def _parent(call: Call, plan: Plan) -> str | None:
    return call.path[plan.above[-1].name] if plan.above else None


def _made(call: Call, plan: Plan) -> Any:
    """The latest of that name which belongs to what stands before it."""
    name = plan.names[0]
    rows = lists.of(call, plan)
    row = rows.order_by("-x_seq").first()
    if row is None:
        at = plan.above[-1] if plan.above else None
        raise errors.no_such(noun_of(name), call.path[at.name] if at else plan.verb, param=at.name if at else None)
    return row
