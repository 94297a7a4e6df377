"""How does an OpenAPI document become a blueprint: which rows have which columns, and which tools take what?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from worlds.engine.errors import WorldBug
from worlds.engine.scaffold.openapi.arguments import Arguments
from worlds.engine.scaffold.openapi.blueprint import VERBS, Blueprint, Column, Operation, Resource
from worlds.engine.scaffold.openapi.document import Document
from worlds.engine.scaffold.openapi.grouping import Found, Group, groups
from worlds.engine.scaffold.openapi.operations import is_parameter, operations
from worlds.engine.scaffold.openapi.schemas import Schemas, Shape
from worlds.engine.scaffold.openapi.words import (
    NO_TOOLS,
    camel,
    column_name,
    free,
    one,
    plural,
    sentence,
    singular,
    snake,
    words,
)
from worlds.engine.tools import RESERVED

_CREATED = frozenset(
    {"created", "created at", "created on", "create time", "creation date", "date created", "inserted at"}
)
_UPDATED = frozenset({"updated", "updated at", "updated on", "update time", "modified", "modified at", "last modified"})
_ZEROS: dict[str, Any] = {"integer": 0, "number": 0.0, "boolean": False, "array": [], "object": {}, "any": {}}
#: Names that modules and tables may not have.
_MODULES = frozenset({"arguments", "errors", "records", "listing"})


def blueprint(document: Document) -> Blueprint:
    """What the document says, as models and tools.

    Raises: WorldBug naming the place in the document that is damaged, or that nothing in it can be modelled.
    """
    return _Reading(document).blueprint()


class _Reading:
    def __init__(self, document: Document) -> None:
        self.document = document
        self.schemas = Schemas(document)
        info = document.root.at("info").value
        info = info if isinstance(info, dict) else {}
        title = sentence(info.get("title"), "An API").rstrip(".")
        self.made = Blueprint(title, sentence(info.get("description"), title, most=300))
        #: The resource at each collection's path.
        self.at: dict[tuple[str, ...], Resource] = {}

    def blueprint(self) -> Blueprint:
        self.made.prefixes = sorted(set(self._prefixes()), key=len, reverse=True)
        raws = list(operations(self.document, self.schemas))
        found, self.made.left_out = groups(self.schemas, raws)
        places = {raw: index for index, raw in enumerate(raws)}
        found.sort(key=lambda group: min(places[each.raw] for each in group.found))
        if not found:
            raise self._nothing()
        names: set[str] = set()
        pairs = []
        for group in found:
            resource = self._resource(group, names)
            pairs.append((group, resource))
            for each in group.found:
                self.at.setdefault(tuple("{}" if is_parameter(step) else step for step in each.collection), resource)
        self.made.resources = [resource for _, resource in pairs]
        for group, resource in pairs:
            self._take_parents(group, resource)
        self._take_references()
        tools: set[str] = set(RESERVED | _MODULES | NO_TOOLS)
        for group, resource in pairs:
            for each in sorted(group.found, key=lambda each: VERBS.index(each.verb)):
                self._take_operation(each, resource, tools)
        referred = {each.refers for resource in self.made.resources for each in resource.columns}
        self.made.resources = [each for each in self.made.resources if each.operations or each in referred]
        if not any(resource.operations for resource in self.made.resources):
            raise self._nothing()
        order = [raw.name for raw in raws]
        self.made.left_out.sort(key=lambda each: order.index(each[0]))
        return self.made

    def _nothing(self) -> WorldBug:
        return self.document.damaged(
            self.document.root.at("paths"),
            "has nothing that can be modelled: no path such as /pets/{petId} that gets, changes or deletes a row",
            "begin with `manage.py seahaven_new <name>`, and write the tools",
        )

    def _prefixes(self) -> Iterator[str]:
        for server in self.document.root.at("servers").elements():
            url = server.at("url").value
            if isinstance(url, str) and "{" not in url and (path := urlsplit(url).path.rstrip("/")):
                yield path

    # Columns.

    def _resource(self, group: Group, names: set[str]) -> Resource:
        row = group.row()
        assert row is not None
        name = self._name(group, names)
        # What stands in the key's column: the last parameter of the paths that end in one.
        key_parameter = next((each.raw.segments[-1][1:-1] for each in group.found if each.raw.ends_in_parameter), "id")
        bodies = {
            verb: [each.body for each in group.found if each.verb == verb and each.body is not None]
            for verb in ("create", "update")
        }
        answered = group.verbs() != {"create"} or any(each.answer is not None for each in group.found)
        has_answer = any(each.answer is not None for each in group.found) and answered
        properties: dict[str, Shape] = dict(self.schemas.properties(row)) if has_answer else {}
        shown = set(properties)
        sent: dict[str, Shape] = {}
        for body in (*bodies["create"], *bodies["update"]):
            for wire, shape in self.schemas.properties(body):
                if not shape.read_only:
                    # petId in a body and pet_id in an answer are one.
                    same = next((each for each in properties if words(each) == words(wire)), wire)
                    sent.setdefault(wire if wire in properties else same, shape)
        if not shown:
            shown = {wire for wire, shape in sent.items() if not shape.write_only}
        for wire, shape in sent.items():
            properties.setdefault(wire, shape)
        # What every creation is given.
        required = frozenset.intersection(*(body.required for body in bodies["create"])) if bodies["create"] else ()
        key, minted = _key(name, key_parameter, properties, sent, has_create=bool(bodies["create"]))
        resource = Resource(
            name,
            free(camel(name), {each.class_name for each in self.made.resources}),
            plural(name) if plural(name) not in _MODULES else f"{name}_rows",
            _table(plural(name)),
            row.description or sentence(one(name)),
            key,
            minted,
        )
        taken = {key.name}
        for wire, shape in properties.items():
            if wire == key.wire:
                continue
            column = Column(wire, column_name(wire, taken), shape, is_shown=wire in shown and not shape.write_only)
            taken.add(column.name)
            _decide(column, sent.get(wire), wire in row.required, wire in required, bool(bodies["create"]))
            resource.columns.append(column)
        self.made.resources.append(resource)
        return resource

    def _name(self, group: Group, names: set[str]) -> str:
        statics = [each for each in group.place if each != "{}"]
        name = singular(statics[-1])
        if name in names and len(statics) > 1:
            name = f"{singular(statics[-2])}_{name}"
        name = free(name, names)
        names.add(name)
        return name

    def _take_parents(self, group: Group, resource: Resource) -> None:
        """The rows that a path names before its own: /owners/{ownerId}/pets."""
        creating = [each for each in group.found if each.verb == "create"]
        for each in group.found:
            for index, step in enumerate(each.collection):
                if not is_parameter(step):
                    continue
                parent = self.at.get(tuple("{}" if is_parameter(s) else s for s in each.collection[:index]))
                column = self._parent_column(resource, step[1:-1], each.collection[index - 1] if index else "", parent)
                if all(step in other.collection for other in creating) and creating and not column.is_omitted:
                    column.nullable = False
                column.is_part_of = column.is_part_of or column.refers is not None

    def _parent_column(self, resource: Resource, parameter: str, noun: str, parent: Resource | None) -> Column:
        name = snake(parameter)
        if words(parameter) in (["id"], ["uuid"], ["key"]) and noun:
            name = f"{singular(noun)}_{name}"
        for column in resource.columns:
            is_it = name in (snake(column.wire), column.attribute) or (parent and column.refers is parent)
            if is_it and (column.shape.is_scalar or column.source == "path"):
                if parent and column.refers is None:
                    _refer(column, parent, resource)
                if column.source == "server":
                    column.source = "path"
                return column
        taken = {resource.key.name, *(each.name for each in resource.columns), *(e.attribute for e in resource.columns)}
        column = Column(name, column_name(name, taken), Shape("text"), "path", is_shown=False)
        if parent is not None:
            column.shape = replace(parent.key.shape, description="")
            _refer(column, parent, resource)
        resource.columns.append(column)
        return column

    def _take_references(self) -> None:
        """Properties such as ownerId that name a row of another resource."""
        known = {resource.name: resource for resource in self.made.resources}
        for resource in self.made.resources:
            for column in resource.columns:
                parts = words(column.wire)
                if column.refers or not column.shape.is_scalar or len(parts) < 2 or parts[-1] not in ("id", "uuid"):
                    continue
                for start in range(len(parts) - 1):
                    other = known.get("_".join(parts[start:-1]))
                    if other is not None and _fits(column, other):
                        _refer(column, other, resource)
                        break
        for resource in self.made.resources:
            for column in resource.columns:
                if column.refers and not column.nullable and _needs(column.refers, resource, set()):
                    column.refers, column.is_part_of = None, False  # neither could be created before the other

    # Operations.

    def _take_operation(self, found: Found, resource: Resource, tools: set[str]) -> None:
        raw = found.raw
        noun = plural(resource.name) if found.verb == "list" else resource.name
        name = snake(raw.id, "operation") if words(raw.id) else f"{found.verb}_{noun}"
        if name in tools or len(name) > 80:
            name = free(f"{found.verb}_{noun}", tools)
        tools.add(name)
        operation = Operation(
            found.verb,
            raw.method,
            raw.path,
            name,
            raw.description or _said(found.verb, resource.name),
            raw.status,
            answer_in=found.answer_in,
            body_in=found.body_in,
            envelope=found.envelope,
            answers_row=found.verb == "delete" and found.answer is not None and "id" in found.answer.properties
            and len(found.answer.properties) > 3,
        )  # fmt: skip
        arguments = Arguments(self.schemas, resource, found, self.made.notes)
        operation.arguments = arguments.all()
        if arguments.trouble:
            self.made.left_out.append((raw.name, arguments.trouble))
            return
        resource.operations.append(operation)


def _key(
    name: str, parameter: str, properties: dict[str, Shape], sent: dict[str, Shape], *, has_create: bool
) -> tuple[Column, str]:
    """The primary key, and how it is made."""
    scalars = {wire: shape for wire, shape in properties.items() if shape.is_scalar and shape.kind != "boolean"}
    wanted = [words(parameter), ["id"], [*name.split("_"), "id"], ["uuid"], ["key"]]
    for each in wanted:
        wire = next((wire for wire in scalars if words(wire) == each), None)
        if wire is not None:
            break
    else:
        shape = Shape("text", description=f"Id of the {name.replace('_', ' ')}.")
        return Column("id", "id", shape, is_shown=True), "token"
    shape = scalars[wire]
    is_id = words(wire)[-1] in ("id", "uuid")
    if wire in sent and has_create and not is_id:
        minted = ""
    else:
        minted = "integer" if shape.kind in ("integer", "number") else "uuid" if shape.kind == "uuid" else "token"
    kind = "integer" if minted == "integer" or shape.kind in ("integer", "number") else "text"
    if shape.kind == "uuid":
        kind = "uuid"
    shape = Shape(kind, shape.description, example=shape.example, max_length=shape.max_length)
    return Column(wire, column_name(wire, {"id"} if words(wire) != ["id"] else set()), shape, "caller"), minted


def _decide(column: Column, sent: Shape | None, is_answered: bool, is_required: bool, has_create: bool) -> None:
    """Who says what is in a column, and what is in it when nobody does."""
    parts = " ".join(words(column.wire))
    shape = column.shape
    if sent is not None:
        column.source = "caller"
        if sent.kind != shape.kind:
            column.shape = Shape("any", shape.description or sent.description, nullable=shape.nullable)
        elif shape.read_only or sent is not shape:
            # A value that may be sent must fit its column.
            enum = tuple(dict.fromkeys([*shape.enum, *sent.enum])) if shape.enum and sent.enum else ()
            lengths = (shape.max_length, sent.max_length)
            longest = None if None in lengths else max(each for each in lengths if each is not None)
            column.shape = replace(shape, enum=enum, max_length=longest)
    elif parts in _CREATED and shape.kind in ("datetime", "date", "integer"):
        column.source = "created"
    elif parts in _UPDATED and shape.kind in ("datetime", "date", "integer"):
        column.source = "updated"
    if column.source in ("created", "updated"):
        column.nullable = False
        return
    shape = column.shape
    if len(shape.enum) == 1:  # it is always that
        column.source, column.nullable, column.zero = "server", False, shape.enum[0]
        return
    default = shape.default if shape.default is not None else sent.default if sent else None
    zero = default if _is_of(default, shape) else None
    if zero is None and is_answered and not shape.nullable:
        zero = _zero(shape)
    if sent is not None and is_required:
        column.nullable = sent.nullable
        if not has_create:
            column.nullable = True
        return
    column.zero = zero
    column.nullable = zero is None
    column.is_omitted = column.nullable and not shape.nullable and not is_answered


def _zero(shape: Shape) -> Any:
    """What stands for nothing where null may not."""
    if shape.enum:
        return shape.enum[0]
    if shape.kind in ("datetime", "date", "uuid", "email", "uri"):
        return None
    if shape.kind in ("integer", "number"):
        least = shape.least or 0
        return max(0, int(least) + (1 if shape.is_above else 0)) if shape.kind == "integer" else max(0.0, float(least))
    if shape.kind == "text":
        return None if shape.min_length or shape.pattern else ""
    if shape.kind == "array" and shape.min_length:
        return None
    return _ZEROS.get(shape.kind)


def _is_of(value: Any, shape: Shape) -> bool:
    """Is a default one that a column can hold?"""
    if value is None:
        return False
    if shape.enum:
        return value in shape.enum
    match shape.kind:
        case "text":
            return isinstance(value, str)
        case "integer":
            return type(value) is int
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "boolean":
            return isinstance(value, bool)
        case "array":
            return value == []
        case "object":
            return value == {}
    return False


def _refer(column: Column, parent: Resource, resource: Resource) -> None:
    """Make a column a reference; its field is named for the row, the value keeps its name."""
    name = column.name.removesuffix("_id") if column.name.endswith("_id") else parent.name
    others = {each for other in resource.columns if other is not column for each in (other.name, other.attribute)}
    others.add(resource.key.name)
    name = column_name(name, others)
    while f"{name}_id" in others:
        name = f"{name}_row"
    column.refers, column.name, column.zero = parent, name, None
    if column.source == "server":
        column.nullable = True


def _fits(column: Column, other: Resource) -> bool:
    is_number = other.key.shape.kind == "integer"
    return not column.shape.enum and (column.shape.kind == "integer" if is_number else column.shape.is_text)


def _needs(resource: Resource, other: Resource, seen: set[str]) -> bool:
    """Must a row of `other` be there before one of `resource`?"""
    if resource is other:
        return True
    if resource.name in seen:
        return False
    seen.add(resource.name)
    return any(each.refers and not each.nullable and _needs(each.refers, other, seen) for each in resource.columns)


def _said(verb: str, name: str) -> str:
    """What a tool does whose operation says nothing."""
    what = plural(name).replace("_", " ") if verb == "list" else one(name)
    more = "; what is left out stays as it is" if verb == "update" else ""
    return f"{verb.capitalize()} {what}{more}."


def _table(name: str) -> str:
    return f"the_{name}" if name.startswith(("sqlite_", "seahaven_", "django_")) else name
