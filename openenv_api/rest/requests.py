"""What may be asked of the REST API?"""

from __future__ import annotations

from typing import Any, get_args

from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError

from openenv_api.rest.fields import (
    Anything,
    Flag,
    FlagInText,
    Number,
    Object,
    Query,
    Scalars,
    Strict,
    Text,
    Whole,
    WholeInText,
)
from worlds.engine import ClockMode
from worlds.engine.composing import ROOT
from worlds.engine.tables import COMPARISONS, Condition, Order

LIMIT, MOST = 100, 1000
_FAR = 2**53


class PageQuery(Query):
    """Which part of a list."""

    limit = WholeInText(default=LIMIT, min_value=1, max_value=MOST, help_text="how many at most")
    offset = WholeInText(default=0, min_value=0, max_value=_FAR, help_text="how many to pass over")


class InstancesQuery(PageQuery):
    world = Text(required=False, help_text="only those of this world")
    door = Text(required=False, help_text="only those that came through this door: openenv, rest, mcp, console, …")


class CallsQuery(PageQuery):
    results = FlagInText(default=False, help_text="with what the tools answered")


class ChangesQuery(PageQuery):
    call = WholeInText(required=False, min_value=0, help_text="only those that this call made")


class StreamQuery(Query):
    start = WholeInText(default=0, min_value=0, max_value=_FAR, help_text="the `seq` of the first record")


class DiffQuery(PageQuery):
    node = Text(required=False, help_text="only in the world at this path; the root is `main`")
    table = Text(required=False, help_text="only in this table")
    op = serializers.ChoiceField(["insert", "update", "delete"], required=False, help_text="only of this kind")


class StateQuery(Query):
    format = Text(required=False, help_text="the format of `state`; that of the instance unless given")
    results = FlagInText(default=False, help_text="with what the tools answered, in a format that lists calls")


class TablesQuery(PageQuery):
    node = Text(required=False, help_text="only of the world at this path; the root is `main`")


class RowsQuery(PageQuery):
    node = Text(default=ROOT, help_text="the path of the world that has the table")
    filter = serializers.ListField(
        child=Text(),
        default=list,
        help_text="`column:comparison:value`, such as `status:eq:open`; all must hold. "
        f"The comparisons: {', '.join(COMPARISONS)}; the last two have no value.",
    )
    sort = Text(default="", allow_blank=True, help_text="columns with commas between them, `-created_at` to descend")

    def validate_filter(self, given: list[str]) -> list[Condition]:
        return [_condition(text) for text in given]

    def validate_sort(self, given: str) -> list[Order]:
        return [Order(part.removeprefix("-"), part.startswith("-")) for part in given.split(",") if part]


def _condition(text: str) -> Condition:
    column, _, rest = text.partition(":")
    comparison, separator, value = rest.partition(":")
    if comparison not in COMPARISONS:
        known = ", ".join(COMPARISONS)
        raise ValidationError(f"{text!r:.80} is no column:comparison:value; the comparisons are {known}", code="filter")
    if bool(separator) != ("?" in COMPARISONS[comparison]):
        raise ValidationError(
            f"{text!r:.80}: {comparison} takes {'no' if separator else 'a'} value after it", code="filter"
        )
    return Condition(column, comparison, value)


class NewInstance(Strict):
    """How an instance begins."""

    world = Text(required=False, help_text="the server's default world unless given")
    fixture = Text(required=False, allow_null=True, help_text="the starting state; null is the blank world")
    seed = Whole(required=False, allow_null=True, help_text="fixes every draw of chance")
    now = Text(required=False, allow_null=True, help_text="the clock's start, ISO 8601 with an offset")
    clock_mode = serializers.ChoiceField(
        get_args(ClockMode), required=False, allow_null=True, help_text="how the clock moves; `tick` unless given"
    )
    startup = Object(required=False, allow_null=True, help_text="keywords for the world's startup hooks")
    setup_sql = Text(required=False, allow_null=True, help_text="SQL to run on the starting state")
    state_format = Text(required=False, allow_null=True, help_text="the format of the state document")
    episode_id = Text(required=False, allow_null=True, max_length=255, help_text="made up unless given")
    task = Anything(required=False, help_text="what the episode is about; stands in the document")


class NewCall(Strict):
    """A call of a tool."""

    tool = Text(help_text="the name of the tool")
    arguments = Object(required=False, help_text="its arguments, by name")

    @classmethod
    def at_a_glance(cls, data: Any) -> dict[str, Any] | None:
        is_call = type(data) is dict and data.keys() <= {"tool", "arguments"} and type(data.get("tool")) is str
        return data if is_call and data["tool"] and type(data.get("arguments", {})) is dict else None


class NewFork(Strict):
    """Nothing has to be said."""


class NewCheckpoint(Strict):
    """A point to come back to."""

    name = Text(required=False, max_length=64, help_text="the next number unless given")


class Rewinding(Strict):
    """Where to go back to: one of the two."""

    checkpoint = Text(required=False, help_text="the name of a checkpoint")
    call = Whole(required=False, min_value=-1, help_text="the ordinal of a call, to just after it; -1 is the start")

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        return _one_of(given, "checkpoint", "call")


class NewReplay(Strict):
    """Which episode to replay, and where."""

    episode = Object(help_text="an episode document, as `export` answers it")
    against = Text(required=False, help_text="another world by name, or the version that is installed")
    thorough = Flag(default=False, help_text="go on after a divergence, and list every one")


class Advance(Strict):
    """How far to move the clock: to an instant, or by the sum of what is given."""

    to = Text(required=False, help_text="an instant, ISO 8601 with an offset")
    seconds = Number(required=False)
    minutes = Number(required=False)
    hours = Number(required=False)
    days = Number(required=False)
    weeks = Number(required=False)

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        if not given or ("to" in given and len(given) > 1):
            message = "say either `to`, or one or more of seconds, minutes, hours, days, weeks"
            raise ValidationError([ErrorDetail(message, code="one_of")])
        return given


class Freezing(Strict):
    """What the fixture is to be called, and what it is good for."""

    fixture = Text(max_length=128, help_text="the id of the new fixture")
    description = Text(help_text="for whoever chooses a starting state")


class Inspection(Strict):
    """One read-only statement."""

    query = Text(help_text="embedded worlds' tables stand under their paths: `SELECT * FROM shop__payments.charges`")
    params = Scalars(required=False, help_text="values for the `?` in it")
    limit = Whole(default=LIMIT, min_value=1, max_value=10 * MOST, help_text="how many rows at most")


def _one_of(given: dict[str, Any], *names: str) -> dict[str, Any]:
    if len(given) != 1:
        raise ValidationError([ErrorDetail(f"say one of {', '.join(names)}", code="one_of")])
    return given
