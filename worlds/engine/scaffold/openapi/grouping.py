"""Which operations of a document are about the same thing, and which of them list, create, get, change or delete it?"""

from __future__ import annotations

from dataclasses import dataclass, field

from worlds.engine.scaffold.openapi.blueprint import Envelope
from worlds.engine.scaffold.openapi.operations import Raw, is_parameter, row_of, rows_of
from worlds.engine.scaffold.openapi.schemas import Schemas, Shape

_ITEM_VERBS = {"GET": "get", "PUT": "update", "PATCH": "update", "DELETE": "delete", "POST": "update"}


@dataclass(eq=False)
class Found:
    """An operation that is understood."""

    raw: Raw
    verb: str
    #: The collection's segments, with the parameters of the document.
    collection: tuple[str, ...]
    answer: Shape | None = None
    answer_in: str = ""
    body: Shape | None = None
    body_in: str = ""
    envelope: Envelope | None = None
    #: Does its path say more than whose rows they are: /pets/findByTag?
    is_aside: bool = False


@dataclass(eq=False)
class Group:
    """A thing: the operations on its collection and on one of its rows."""

    #: The collection's path, however its parameters are called.
    place: tuple[str, ...]
    found: list[Found] = field(default_factory=list)

    @property
    def has_item(self) -> bool:
        return any(each.verb in ("get", "update", "delete") for each in self.found)

    @property
    def noun(self) -> str:
        """The last word of the path that is no parameter."""
        return next((each for each in reversed(self.place) if each != "{}"), "")

    def verbs(self) -> set[str]:
        return {each.verb for each in self.found}

    def row(self) -> Shape | None:
        """What a row looks like: as it is got, listed, changed or created; else as it is sent."""
        for verb in ("get", "list", "update", "create", "delete"):
            for each in self.found:
                if each.verb == verb and each.answer is not None and each.answer.properties:
                    return each.answer
        bodies = [each.body for each in self.found if each.body is not None and each.body.properties]
        return bodies[0] if bodies else None


def groups(schemas: Schemas, raws: list[Raw]) -> tuple[list[Group], list[tuple[str, str]]]:
    """The things there are, and the operations that belong to none, each with the reason."""
    left_out = [(raw.name, raw.trouble) for raw in raws if raw.trouble]
    raws = [raw for raw in raws if not raw.trouble]
    found: dict[tuple[str, ...], Group] = {}
    for raw in raws:
        understood = _item(schemas, raw) if raw.ends_in_parameter else _collection(schemas, raw)
        if isinstance(understood, str):
            left_out.append((raw.name, understood))
            continue
        place = raw.place[:-1] if raw.ends_in_parameter else raw.place
        found.setdefault(place, Group(place)).found.append(understood)
    kept: list[Group] = []
    for group in found.values():
        _drop_second_post(group, left_out)
        if group.row() is None:
            left_out += [(each.raw.name, "no schema of it has properties to make columns of") for each in group.found]
        elif group.has_item:
            kept.append(group)
    for group in found.values():
        if group.row() is not None and not group.has_item:
            _place_collection(group, kept, left_out)
    return _merged(kept), left_out


def _item(schemas: Schemas, raw: Raw) -> Found | str:
    collection = raw.segments[:-1]
    if not collection or is_parameter(collection[-1]):
        return "its path names no collection before the last parameter"
    answer_in, answer = row_of(schemas, raw.answer)
    body_in, body = row_of(schemas, raw.body)
    verb = _ITEM_VERBS[raw.method]
    if verb == "get" and answer is None:
        return "it answers no object with properties"
    if verb == "update" and body is None:
        return "it takes no JSON object with properties"
    return Found(raw, verb, collection, answer, answer_in, body, body_in)


def _collection(schemas: Schemas, raw: Raw) -> Found | str:
    if not raw.segments:
        return "it is about the root path"
    if raw.method == "GET":
        envelope, array = rows_of(schemas, raw.answer)
        if array is None or array.elements_at is None:
            return "it answers no list of objects, and its path ends in no parameter: it is about one single thing"
        row = schemas.shape(array.elements_at)
        if row.kind != "object" or not row.properties:
            return "its list holds no objects with properties"
        return Found(raw, "list", raw.segments, row, envelope=envelope)
    if raw.method == "POST":
        answer_in, answer = row_of(schemas, raw.answer)
        body_in, body = row_of(schemas, raw.body)
        if body is None:
            return "it takes no JSON object with properties: it is an action, not the creation of a row"
        return Found(raw, "create", raw.segments, answer, answer_in, body, body_in)
    return f"{raw.method} of a whole collection, or of one single thing"


def _drop_second_post(group: Group, left_out: list[tuple[str, str]]) -> None:
    """POST on a row changes it only where neither PUT nor PATCH does."""
    methods = {each.raw.method for each in group.found if each.verb == "update"}
    if len(methods) > 1 and "POST" in methods:
        for each in [each for each in group.found if each.verb == "update" and each.raw.method == "POST"]:
            group.found.remove(each)
            left_out.append((each.raw.name, "PUT or PATCH changes the row already: it is an action"))


def _place_collection(group: Group, kept: list[Group], left_out: list[tuple[str, str]]) -> None:
    """A collection whose rows have no path of their own: more of a thing that is known, or a thing of its own."""
    row = group.row()
    component = row.component if row else ""
    same = [each for each in kept if each.has_item and component and _component(each) == component]
    if len(same) == 1:
        beyond = group.place[len(same[0].place) :] if group.place[: len(same[0].place)] == same[0].place else ()
        for each in group.found:
            if each.verb == "create" and beyond:
                left_out.append((each.raw.name, f"a second way to create {component}: it is an action"))
            else:
                each.is_aside = bool(beyond) or group.noun != same[0].noun
                same[0].found.append(each)
    elif "list" in group.verbs():
        kept.append(group)
    else:
        left_out += [
            (each.raw.name, "nothing lists or gets what it would create: it is an action") for each in group.found
        ]


def _component(group: Group) -> str:
    row = group.row()
    return row.component if row else ""


def _merged(kept: list[Group]) -> list[Group]:
    """The same component under the same noun at two paths is one thing: /pets/{id} and /owners/{id}/pets/{id}."""
    ordered = sorted(kept, key=lambda group: len(group.place))
    result: list[Group] = []
    for group in ordered:
        component = _component(group)
        twin = next(
            (each for each in result if component and (_component(each), each.noun) == (component, group.noun)), None
        )
        if twin is None:
            result.append(group)
        else:
            twin.found += group.found
    return [group for group in kept if group in result]
