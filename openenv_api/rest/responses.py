"""What does the REST API answer? These describe it to the document; the views write it."""

from __future__ import annotations

from functools import cache
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from openenv_api.rest.fields import INT_MAX, INT_MIN, Anything, Object

Fields = dict[str, serializers.Field[Any, Any, Any, Any]]


class Text(serializers.CharField):
    """Text, which may be empty."""


class Count(serializers.IntegerField):
    """So many."""

    def __init__(self, **options: Any) -> None:
        super().__init__(min_value=0, max_value=INT_MAX, **options)


@extend_schema_field({"type": "object", "additionalProperties": {"type": "integer"}})
class Counts(serializers.Field[Any, Any, Any, Any]):
    """So many of each."""


class Texts(serializers.ListField):
    child = serializers.CharField()


class Answer(serializers.Serializer[Any]):
    pass


class Fault(Answer):
    code = Text(help_text="for programs; a refusal of a tool has the tool's own")
    message = Text(help_text="for people")
    details = Object(help_text="of what was sent: `violations` lists {path, message, type}")
    incident = Text(allow_null=True, help_text="of a bug: the number under which it is in the server's log")


class Error(Answer):
    """Whatever goes wrong."""

    error = Fault()


@cache
def page_of(item: type[Any]) -> type[Answer]:
    """The answer that is one page of a list."""
    results = item(many=True) if issubclass(item, Answer) else serializers.ListField(child=item())
    fields: dict[str, Any] = {
        "count": Count(help_text="in the whole list"),
        "next": Text(allow_null=True, help_text="the path of the next page"),
        "previous": Text(allow_null=True, help_text="the path of the page before"),
        "results": results,
    }
    return type(f"{item.__name__}Page", (Answer,), fields)


class Node(Answer):
    """A world in a composition: the root, at `main`, or one that is embedded."""

    path = Text()
    world = Text()
    world_version = Text()
    scope = Text(allow_null=True)
    aliases = Texts()


class World(Answer):
    name = Text()
    version = Text()
    description = Text()
    is_default = serializers.BooleanField(help_text="is it meant where no world is named?")
    default_fixture = Text(allow_null=True, help_text="of those who name none; null is the blank one")
    composition = Node(many=True)
    startup_keywords = Texts()
    state_formats = Texts()


class Tool(Answer):
    name = Text()
    description = Text()
    input_schema = Object(help_text="the JSON Schema of its arguments")


class FixtureNode(Answer):
    path = Text()
    world = Text()
    world_version = Text(help_text="when it was frozen")
    sha256 = Text(help_text="of its rows")
    counts = Counts()


class Fixture(Answer):
    id = Text()
    world = Text()
    description = Text()
    now = Text(help_text="the clock when it was frozen")
    lineage = Texts(help_text="what it was made from, the parent first")
    counts = Counts(help_text="rows of each model, over all nodes")
    nodes = FixtureNode(many=True)


class Instance(Answer):
    id = Text()
    world = Text()
    world_version = Text()
    door = Text(help_text="who opened it: openenv, rest, mcp, console, …")
    fixture = Text(allow_null=True)
    episode_id = Text()
    seed = serializers.IntegerField(
        allow_null=True, min_value=INT_MIN, max_value=INT_MAX, help_text="as given; not for agents"
    )
    task = Anything(help_text="as given; not for agents")
    now = Text(help_text="the clock's reading")
    clock_mode = Text()
    state_format = Text()
    call_count = Count()
    busy = Count(help_text="calls that run or wait")
    idle_s = serializers.FloatField(help_text="for how long nobody used it")
    expires_after_s = serializers.FloatField(allow_null=True, help_text="ended when idle for so long; null: never")


class OpenedInstance(Instance):
    agent_token = Text(help_text="good for calling its tools; not shown again")
    owner_token = Text(allow_null=True, help_text="good for everything with it; not shown again, and not to agents")


class Change(Answer):
    """One row that one call changed; a record of the state document."""

    i = Count(allow_null=True, help_text="the ordinal of the call, null outside calls")
    world = Text(help_text="the path of its node")
    table = Text()
    op = serializers.ChoiceField(["insert", "update", "delete"])
    key = Object()
    before = Object(allow_null=True)
    after = Object(allow_null=True)
    seq = Count()
    by = Text(required=False, help_text="who wrote, if not the agent")


class NetChange(Answer):
    """What became of one row over the whole run."""

    world = Text(help_text="the path of its node")
    table = Text()
    op = serializers.ChoiceField(["insert", "update", "delete"])
    key = Object()
    before = Object(allow_null=True)
    after = Object(allow_null=True)


class Called(Answer):
    """What came of a call. A refusal of the tool is an outcome, too: `error` says it, and `result` is null."""

    ordinal = Count()
    result = Anything()
    error = Fault(allow_null=True)
    changes = Change(many=True, allow_null=True, help_text="the rows it changed; null for agents")
    ms = serializers.FloatField(help_text="how long it took, in milliseconds")


class Call(Answer):
    """A call that was made."""

    ordinal = Count()
    tool = Text()
    arguments = Object()
    error = Fault(allow_null=True)
    result = Anything(required=False, help_text="null also where it was too large to keep")


class Column(Answer):
    name = Text()
    type = Text()
    nullable = serializers.BooleanField()
    key = Count(allow_null=True, help_text="its place in the primary key, from 1")


class Table(Answer):
    node = Text()
    world = Text()
    name = Text()
    row_count = Count()
    columns = Column(many=True)


@extend_schema_field({"type": "object", "additionalProperties": {}})
class Row(serializers.Field[Any, Any, Any, Any]):
    """One row: {column: value}, blobs as base64 text."""


@extend_schema_field({"type": "array", "items": {}})
class Values(serializers.Field[Any, Any, Any, Any]):
    """The values of one row."""


class Inspected(Answer):
    columns = Texts()
    rows = serializers.ListField(child=Values())
    truncated = serializers.BooleanField(help_text="were there more rows?")


class Checkpoint(Answer):
    name = Text()
    call_count = Count()
    change_count = Count()
    now = Text()


class Replayed(Answer):
    status = Text(help_text="equal, diverged or impossible")
    summary = Text(help_text="the same in a line")
    moves = Count(help_text="how many the episode has")
    made = Count(help_text="how many were made again")
    divergences = Anything(help_text="the first divergence, or all: which move, row and cell, and what was expected")
    elsewhere = Anything(help_text="how the world, its schema and its fixture here differ from the episode's")


class Advanced(Answer):
    now = Text()
    events = Count(help_text="how many came due")
