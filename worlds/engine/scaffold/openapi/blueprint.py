"""What will a world that is made from an OpenAPI document have?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from worlds.engine.scaffold.openapi.schemas import Shape

#: The verbs that are modelled, in the order their tools stand in a module.
VERBS = ("list", "create", "get", "update", "delete")


@dataclass(eq=False)
class Column:
    """A field of a model; `wire` is what the API calls it."""

    wire: str
    name: str
    shape: Shape
    #: Who says what is in it: "caller"; "server" once and for all; "created" and "updated" are times; "path" a parent.
    source: str = "server"
    nullable: bool = True
    #: What it holds where nobody says anything, when it may not be null.
    zero: Any = None
    is_shown: bool = True
    #: Left out of an answer when it is null.
    is_omitted: bool = False
    refers: Resource | None = None
    #: Does it go with the row it refers to?
    is_part_of: bool = False

    @property
    def attribute(self) -> str:
        """Its value's name on a row."""
        return f"{self.name}_id" if self.refers else self.name


@dataclass(eq=False)
class Argument:
    """An argument of a tool."""

    wire: str
    name: str
    shape: Shape
    #: key, path, body, filter, limit, offset, page, after.
    role: str
    required: bool
    column: Column | None = None
    default: Any = None


@dataclass(frozen=True)
class Envelope:
    """How a list is answered: the member that has the rows, and what the other members are."""

    items: str
    others: dict[str, str]


@dataclass(eq=False)
class Operation:
    """An operation of the document, and its tool."""

    verb: str
    method: str
    path: str
    tool: str
    description: str
    status: int
    arguments: list[Argument] = field(default_factory=list)
    #: The member of the answer, or of the body, that holds the row.
    answer_in: str = ""
    body_in: str = ""
    #: Of a list, unless it is answered as an array.
    envelope: Envelope | None = None
    #: Of a deletion: is the row that was there answered?
    answers_row: bool = False


@dataclass(eq=False)
class Resource:
    """A model, and what can be done with its rows."""

    name: str
    class_name: str
    module: str
    table: str
    description: str
    key: Column
    #: How its key is made: integer, uuid, token; "" if the caller says it.
    minted: str
    columns: list[Column] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)

    def of(self, verb: str) -> list[Operation]:
        return [operation for operation in self.operations if operation.verb == verb]


@dataclass
class Blueprint:
    """All of it, and what was left out, with the reasons."""

    title: str
    description: str
    resources: list[Resource] = field(default_factory=list)
    #: (method and path, why)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    #: Paths of the document's servers, which a client may put before those of the operations.
    prefixes: list[str] = field(default_factory=list)
