"""Where is an object found and kept that has no table of its own?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from worlds.stripe import facts
from worlds.stripe.api import changing, expanding, wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.operations import MODELS
from worlds.stripe.generic import reference
from worlds.stripe.generic.forming import Forming
from worlds.stripe.generic.prefixes import prefix_of
from worlds.stripe.models.base import Resource
from worlds.stripe.models.objects import StoredObject

#: What has no id of its own is kept under its name, and the id of what it belongs to.
_ALONE = "own"


def row_of(call: Call, names: Iterable[str], id: str) -> Resource | None:
    """The row of an id, of one of these objects; deleted ones too."""
    kept = []
    for name in names:
        if name in MODELS:
            found = call.rows(MODELS[name]).filter(pk=id).first()
            if found is not None:
                return found
        kept.append(name)
    return call.rows(StoredObject).filter(pk=id, object__in=kept).first() if kept else None


def load(call: Call, names: tuple[str, ...], id: str) -> dict[str, Any] | None:
    """An object as shown, its stub when it is deleted, None when there is none."""
    row = row_of(call, names, id)
    if row is not None:
        return shown(call, row)
    for name in names:
        if (found := reference.find(name, id)) is not None:
            return found
    return None


def shown(call: Call, row: Resource, *, depth: int = 0) -> dict[str, Any]:
    """A row as the API shows it, with what stands whole inside it."""
    if not isinstance(row, StoredObject):
        return wire.of(row)
    if row.deleted:
        return stub(row)
    return embedded(call, row.object, row.data, depth=depth)


def embedded(call: Call, name: str, data: dict[str, Any], *, depth: int = 0) -> dict[str, Any]:
    """An object with the objects in it that are kept as ids."""
    whole = {field for field, kind in facts.objects()[name].fields.items() if _holds_objects(kind)}
    named = [field for field in whole if isinstance(data.get(field), str | list)]
    if not named or depth > 2:
        return data
    former = Forming(call.now, lambda names, id: _inner(call, names, id, depth + 1))
    return data | former.part(name, {field: data[field] for field in named})


def _inner(call: Call, names: tuple[str, ...], id: str, depth: int) -> dict[str, Any] | None:
    row = row_of(call, names, id)
    return load(call, names, id) if row is None else shown(call, row, depth=depth)


def _holds_objects(kind: Any) -> bool:
    kind = facts.resolved(kind)
    if isinstance(kind, str):
        return kind.startswith("@")
    return kind[0] in ("null", "array") and _holds_objects(kind[1])


def stub(row: StoredObject) -> dict[str, Any]:
    """What is shown of a deleted object."""
    name = f"deleted_{row.object}"
    if name not in facts.objects():
        return {"id": row.pk, "object": row.object, "deleted": True}
    values = {**row.data, "id": row.pk, "object": row.object, "deleted": True}
    return {key: value for key, value in Forming(row.created).object(name, values).items() if value is not None}


def add(
    call: Call, name: str, values: dict[str, Any], *, parent: str | None = None, id: str | None = None
) -> StoredObject:
    """Keep a new object of a published shape."""
    id = id or call.new_id(prefix_of(name))
    data = Forming(call.now).object(name, {"created": created(call, name), **values, "id": id})
    return call.make(StoredObject, "", id=id, object=name, parent=parent, data=data)


def created(call: Call, name: str) -> int | str:
    """The time as an object of that name says it."""
    return call.now.strftime("%Y-%m-%dT%H:%M:%S.000Z") if name.startswith("v2.") else call.now_s


def change(call: Call, row: StoredObject, values: dict[str, Any]) -> dict[str, Any] | None:
    """Write what an object shall be; answers what the changed attributes were, None when nothing changed."""
    before = row.data
    after = Forming(row.created).object(row.object, {**before, **values})
    if after == before:
        return None
    row.data = after
    row.save(update_fields=["data"])
    return changing.differences(before, after)


def alone(call: Call, name: str, parent: str | None) -> StoredObject | None:
    """The one object of a name that has no id: of the account, or of what it belongs to."""
    return call.rows(StoredObject).filter(pk=alone_id(call, name, parent)).first()


def alone_id(call: Call, name: str, parent: str | None) -> str:
    return f"{name}:{parent or _ALONE}:{call.account}"


def register_loaders() -> None:
    """Let `expand[]` find every object that has an id."""
    for name, shape in facts.objects().items():
        if "id" in shape.fields and "object" in shape.fields and not name.startswith("deleted_"):
            expanding.LOADERS.setdefault(name, _loader(name))


def _loader(name: str) -> Any:
    return lambda call, id: load(call, (name,), id)
