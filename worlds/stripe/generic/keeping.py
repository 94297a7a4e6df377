"""What do creating, updating and deleting do to a kept object?"""

from __future__ import annotations

from typing import Any

from worlds.stripe import facts
from worlds.stripe.api import changing, wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.validating import CLEARED
from worlds.stripe.generic import lists, notices, stored
from worlds.stripe.generic.beginnings import beginning
from worlds.stripe.generic.forming import UNFIT, Forming
from worlds.stripe.generic.planning import Plan
from worlds.stripe.generic.prefixes import prefix_of
from worlds.stripe.models.base import Resource
from worlds.stripe.models.objects import StoredObject

#: Parameters that say how to answer, and nothing about the object.
_NOT_VALUES = frozenset({"expand", "include", "limit", "starting_after", "ending_before", "page"})
#: Parameters that give an object its id, where callers may choose it.
_OWN_ID = ("coupon", "plan", "product")


def create(call: Call, plan: Plan, *, more: dict[str, Any] | None = None) -> dict[str, Any]:
    """A new object from what was given; kept when it has an id."""
    name = _which(call, plan)
    parent = call.path[plan.above[-1].name] if plan.above and plan.above[-1].objects else None
    id = _id(call, name)
    begins = beginning(call, name, id, call.params) | _of_parents(call, plan, name)
    values = begins | values_of(call, name, begins) | (more or {})
    if "id" not in facts.objects()[name].fields:
        return stored.embedded(
            call, name, Forming(call.now).object(name, {"created": stored.created(call, name), **values})
        )
    row = stored.add(call, name, values, parent=parent, id=id)
    tell(call, row, "created")
    return stored.shown(call, row)


def _id(call: Call, name: str) -> str:
    given = call.params.get("id")
    if given is None or name not in _OWN_ID:
        return call.new_id(prefix_of(name))
    if StoredObject.objects.filter(pk=given).exists():
        noun = name.capitalize()
        raise StripeError(f"{noun} already exists.", code="resource_already_exists", param="id")
    return str(given)


def _which(call: Call, plan: Plan) -> str:
    """Which of the objects an operation may make this one makes."""
    if len(plan.names) == 1:
        return plan.names[0]
    asked = call.params.get("source", call.params.get("external_account", call.params.get("bank_account")))
    if isinstance(asked, dict):
        return asked.get("object") if asked.get("object") in plan.names else plan.names[0]  # type: ignore[return-value]
    if isinstance(asked, str) and asked.startswith(("btok_", "ba_")) or "bank_account" in call.operation.path:
        return "bank_account"
    if isinstance(asked, str) and asked.startswith("src_") and "source" in plan.names:
        return "source"
    return "bank_account" if "external" in call.operation.path else "card"


def values_of(call: Call, name: str, present: dict[str, Any] | None = None) -> dict[str, Any]:
    """What the parameters say about an object: those named like its fields; nested ones are merged."""
    fields = facts.objects()[name].fields
    former = Forming(call.now)
    found: dict[str, Any] = {}
    for param, value in call.params.items():
        if param in _NOT_VALUES or param not in fields:
            continue
        before = (present or {}).get(param)
        if param == "metadata":
            found[param] = changing.metadata(before, _without_null(value))
        elif value == CLEARED or value is None:
            found[param] = None
        elif (fit := former.fit(fields[param], changing.merged(before, value))) is not UNFIT:
            found[param] = fit
    return found


def _without_null(given: Any) -> Any:
    """v2 takes a key of metadata away with null."""
    return {key: value or "" for key, value in given.items()} if isinstance(given, dict) else given


def _of_parents(call: Call, plan: Plan, name: str) -> dict[str, Any]:
    """The fields that name what an object belongs to."""
    fields = facts.objects()[name].fields
    found: dict[str, Any] = {}
    for place in plan.above:
        for field in lists.fields_for(place, fields):
            found[field] = call.path[place.name]
    return found


def update(call: Call, plan: Plan, row: Resource) -> dict[str, Any]:
    """Change what was given, as far as it is a part of the object."""
    if not isinstance(row, StoredObject):
        return _update_table(call, row)
    write(call, row, values_of(call, row.object, row.data))
    return stored.shown(call, row)


def write(call: Call, row: StoredObject, values: dict[str, Any], *, what: str = "updated") -> None:
    """Write values, and tell of it when something changed."""
    previous = stored.change(call, row, values)
    if previous and "updated" in facts.objects()[row.object].fields:
        previous |= stored.change(call, row, {"updated": stored.created(call, row.object)}) or {}
    if previous:
        tell(call, row, what, previous)


def _update_table(call: Call, row: Resource) -> dict[str, Any]:
    """The same for an object that has a table: its columns of the same names are changed."""
    columns = {field.name: field for field in row._meta.concrete_fields if not field.name.startswith("x_")}
    given = changing.values(
        call.params, [name for name in columns if not columns[name].is_relation and name not in ("id", "created")], row
    )
    usable = {name: value for name, value in given.items() if value is not None or columns[name].null}
    previous = changing.change(row, usable)
    if previous and (type := notices.type_for(row.object_name, "updated")):
        call.emit(type, row, previous)
    return wire.of(row)


def delete(call: Call, plan: Plan, row: Any) -> dict[str, Any]:
    """Delete an object; where its operation answers no stub, what it was."""
    before = stored.shown(call, row)
    if isinstance(row, StoredObject):
        tell(call, row, "deleted")
    row.deleted = True
    row.save(update_fields=["deleted"])
    if call.operation.is_v2:
        return {"id": row.pk, "object": before["object"]}
    return stored.shown(call, row) if "deleted" in str(call.operation.answer) else before


def tell(call: Call, row: StoredObject, what: str, previous: dict[str, Any] | None = None) -> None:
    """Have an event tell of it, where a type for it is published."""
    if type := notices.type_for(row.object, what, row.data):
        call.emit(type, stored.shown(call, row), previous)
