"""What does a tool take that is made from an operation?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from worlds.engine.scaffold.openapi.blueprint import Argument, Column, Resource
from worlds.engine.scaffold.openapi.grouping import Found
from worlds.engine.scaffold.openapi.operations import Parameter, parameters_of
from worlds.engine.scaffold.openapi.schemas import Schemas, Shape
from worlds.engine.scaffold.openapi.words import argument_name, singular, snake, words

_PAGING = {
    "limit": ("limit", "page size", "per page", "size", "count", "max results", "page limit", "take", "top", "first"),
    "offset": ("offset", "skip", "start index"),
    "page": ("page", "page number"),
    "after": (
        "after", "cursor", "starting after", "page token", "next token", "next cursor", "start after", "page cursor",
        "continuation token", "marker",
    ),
}  # fmt: skip
#: What a list of defaults to, and at most.
LIMIT, MOST = 20, 100


class Arguments:
    """The arguments of one operation; `trouble` says why it cannot be modelled."""

    def __init__(self, schemas: Schemas, resource: Resource, found: Found, notes: list[str]) -> None:
        self.schemas, self.resource, self.found, self.notes = schemas, resource, found, notes
        self.trouble = ""
        self._names: set[str] = set()
        self._wires: set[str] = set()

    def all(self) -> list[Argument]:
        """Those that must be given first."""
        arguments = [*self._path(), *self._body(), *self._query()]
        return sorted(arguments, key=lambda each: not each.required)

    def _argument(
        self, wire: str, shape: Shape, role: str, *, required: bool, column: Column | None = None, default: Any = None
    ) -> Argument:
        name = argument_name(wire, self._names)
        self._names.add(name)
        self._wires.add(wire)
        return Argument(wire, name, shape, role, required, column, default)

    def _path(self) -> Iterator[Argument]:
        raw = self.found.raw
        names = parameters_of(raw.segments)
        key = names.pop() if raw.ends_in_parameter else None
        for name in names:
            column = self._scope(name)
            if column is None:
                self.trouble = f"what {{{name}}} in its path stands for is not understood"
                return
            description = raw.path_parameters[name].shape.description
            shape = replace(_key_shape(column), description=description)
            yield self._argument(name, shape, "path", required=True, column=column)
        if key is not None:
            shape = replace(self.resource.key.shape, enum=(), read_only=False)
            said = raw.path_parameters[key].shape.description or shape.description
            noun = self.resource.name.replace("_", " ")
            shape = replace(shape, description=said or f"Which {noun}.")
            yield self._argument(key, shape, "key", required=True, column=self.resource.key)

    def _scope(self, parameter: str) -> Column | None:
        """The column of a parent that a path names."""
        segments = self.found.collection
        index = segments.index(f"{{{parameter}}}")
        name = snake(parameter)
        if words(parameter) in (["id"], ["uuid"], ["key"]) and index:
            name = f"{singular(segments[index - 1])}_{name}"
        able = [each for each in self.resource.columns if each.refers or each.source == "path" or each.shape.is_scalar]
        for column in able:
            if name in (snake(column.wire), column.attribute, column.name):
                return column
        nouns = {singular(segments[index - 1])} if index else set()
        return next((each for each in self.resource.columns if each.refers and each.refers.name in nouns), None)

    def _body(self) -> Iterator[Argument]:
        body, verb = self.found.body, self.found.verb
        if verb not in ("create", "update") or body is None:
            return
        columns = [each for each in self.resource.columns if each.is_shown or each.source != "path"]
        by_wire = {column.wire: column for column in columns}
        by_words = {tuple(words(column.wire)): column for column in columns}
        key = self.resource.key
        for wire, shape in self.schemas.properties(body):
            if wire == key.wire:
                if verb == "create" and not self.resource.minted:
                    yield self._argument(wire, replace(shape, kind=key.shape.kind), "key", required=True, column=key)
                continue
            column = by_wire.get(wire) or by_words.get(tuple(words(wire)))
            if column is None or len(column.shape.enum) == 1:
                continue
            if shape.read_only or wire in self._wires or len(wire) > 100:
                continue
            required = wire in body.required and (verb == "create" or self.found.raw.method == "PUT")
            default = column.zero if verb == "create" else None
            if required and shape.nullable and column.nullable:
                required = False
            yield self._argument(wire, shape, "body", required=required, column=column, default=default)

    def _query(self) -> Iterator[Argument]:
        if self.found.verb != "list":
            return
        paged: set[str] = set()
        is_filtered = any(each for each in self.found.raw.path_parameters)
        for parameter in self.found.raw.query:
            wire = parameter.name
            if wire in self._wires:
                continue
            role = next((role for role, names in _PAGING.items() if " ".join(words(wire)) in names), None)
            if role is not None and role not in paged and self._pages(parameter, role):
                paged.add(role)
                shape = self._paging_shape(parameter, role)
                default = None
                if role == "limit":
                    said = shape.default
                    most = int(shape.most or MOST)
                    default = said if type(said) is int and 1 <= said <= most else min(LIMIT, most)
                yield self._argument(wire, shape, role, required=False, default=default)
                continue
            column = self._filtered(parameter)
            if column is not None:
                shape = replace(parameter.shape, default=None)
                yield self._argument(wire, shape, "filter", required=parameter.required, column=column)
                is_filtered = True
            elif parameter.required:
                self.trouble = f"it must be given `{wire}`, and no column is called that"
                return
            else:
                self.notes.append(
                    f"{self.found.raw.name}: its parameter `{wire}` is not modelled, since no column is called that"
                )
        if self.found.is_aside and not is_filtered:
            self.trouble = f"which {self.resource.name.replace('_', ' ')} rows its path means is not understood"

    @staticmethod
    def _pages(parameter: Parameter, role: str) -> bool:
        kind = parameter.shape.kind
        return kind in ("text", "uuid", "any", "integer") if role == "after" else kind in ("integer", "number")

    def _paging_shape(self, parameter: Parameter, role: str) -> Shape:
        said = parameter.shape.description
        if role == "after":
            key = self.resource.key.shape
            said = said or "Where the page before ended: the key of its last row."
            return Shape(
                "integer" if parameter.shape.kind == "integer" else "text", said, max_length=key.max_length or 200
            )
        least = 0 if role == "offset" else 1
        most = MOST if role == "limit" else 1_000_000
        if role == "limit" and parameter.shape.most is not None and 1 <= parameter.shape.most <= 1000:
            most = int(parameter.shape.most)
        texts = {"limit": "How many to answer at most.", "offset": "How many to skip.", "page": "Which page, from 1."}
        return Shape("integer", said or texts[role], least=least, most=most, default=parameter.shape.default)

    def _filtered(self, parameter: Parameter) -> Column | None:
        """The column that a parameter of a list is compared with, if the two are of a kind."""
        name = snake(parameter.name)
        for column in (self.resource.key, *self.resource.columns):
            if name in (snake(column.wire), column.name, column.attribute) and column.shape.is_scalar:
                shape = parameter.shape
                if shape.kind == "array":
                    shape = shape.element or shape
                kinds = {shape.kind, _key_shape(column).kind}
                texts = {"text", "email", "uri", "uuid"}
                return column if len(kinds) == 1 or kinds <= texts else None
        return None


def _key_shape(column: Column) -> Shape:
    """What a column's value is, which for a reference is the other row's key."""
    return column.refers.key.shape if column.refers else column.shape
