import collections
import dataclasses
import datetime as dt
import decimal
import enum
import json
import types
import uuid

import orjson
import pytest
from django.db.models import QuerySet, TextChoices
from pydantic import BaseModel, ConfigDict, RootModel

from worlds.engine.errors import WorldBug
from worlds.engine.results import encode, plain_json


class Status(TextChoices):
    OPEN = "open", "Open"


class Priority(enum.IntEnum):
    HIGH = 1


class Colour(enum.Enum):
    RED = "red"


class Point(BaseModel):
    x: int
    at: dt.datetime | None = None


class Tags(RootModel[list[str]]):
    pass


class Loose(BaseModel):
    model_config = ConfigDict(arbitrary_types_allowed=True)
    thing: object


@dataclasses.dataclass
class Row:
    key: str
    owner: object = None


class Ticket:
    """As much of a Django model's instance as the check looks at."""

    _meta = object()


Pair = collections.namedtuple("Pair", "a b")


async def _soon():
    pass


def _coroutine():
    coroutine = _soon()
    coroutine.close()
    return coroutine


def _loop():
    items: list[object] = []
    items.append({"items": items})
    return items


def _deep(levels):
    value: list[object] = []
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        ("é", "é"),
        (True, True),
        (-(2**63), -(2**63)),
        (2**64 - 1, 2**64 - 1),
        (1.5, 1.5),
        ({"items": [{"a": None}, {"b": []}]}, {"items": [{"a": None}, {"b": []}]}),
        ((1, (2, 3)), [1, [2, 3]]),
        (Point(x=1), {"x": 1, "at": None}),
        ([Point(x=1, at=dt.datetime(2026, 6, 1, tzinfo=dt.UTC))], [{"x": 1, "at": "2026-06-01T00:00:00Z"}]),
        (Tags(["a"]), ["a"]),
        (Row("a", owner=Row("b", owner=(1,))), {"key": "a", "owner": {"key": "b", "owner": [1]}}),
        (collections.OrderedDict(a=1), {"a": 1}),
        (collections.Counter("aab"), {"a": 2, "b": 1}),
    ],
)
def test_what_json_has_is_carried(value, expected):
    assert orjson.loads(encode(value, "tool t")) == expected


def test_members_of_text_and_integer_choices_are_carried_as_the_text_and_the_number_they_are():
    value = {"status": Status.OPEN, "priority": Priority.HIGH, "by_status": {Status.OPEN: 1}}
    assert encode(value, "tool t") == b'{"status":"open","priority":1,"by_status":{"open":1}}'


@pytest.mark.parametrize(
    ("value", "found", "edit"),
    [
        (b"x", "a bytes", "base64"),
        (bytearray(b"x"), "a bytearray", "base64"),
        ({1}, "a set", "sorted"),
        (frozenset({1}), "a frozenset", "sorted"),
        ((n for n in [1]), "a generator", "list(...)"),
        (iter([1]), "a list_iterator", "list(...)"),
        (map(str, [1]), "a map", "list(...)"),
        ({}.values(), "a dict_values", "list(...)"),
        (range(3), "a range", "list(...)"),
        (dt.datetime(2026, 6, 1, tzinfo=dt.UTC), "a datetime", "ctx.clock.iso()"),
        (dt.date(2026, 6, 1), "a date", ".isoformat()"),
        (dt.time(9), "a time", ".isoformat()"),
        (dt.timedelta(1), "a timedelta", ".total_seconds()"),
        (uuid.UUID(int=1), "a UUID", "str(...)"),
        (decimal.Decimal("1.5"), "a Decimal", "cents"),
        (Colour.RED, "a Colour", ".value"),
        (Pair(1, 2), "a Pair", "._asdict()"),
        (types.MappingProxyType({}), "a mappingproxy", "dict(...)"),
        (_coroutine(), "a coroutine", "async"),
        (Point, "a ModelMetaclass", "an instance"),
        (object(), "an object", "return a dict, list, str"),
        (QuerySet(model=None), "a QuerySet", "as_dict()"),
        (Ticket(), "a Ticket (a model instance)", "as_dict()"),
        (float("nan"), "the float nan", "None"),
        (float("-inf"), "the float -inf", "None"),
        (2**64, "an int of more than 64 bits", "str(...)"),
        (-(2**63) - 1, "an int of more than 64 bits", "str(...)"),
        ("\ud800", "text with half a surrogate pair", "Unicode"),
        ({1: "x"}, "a dict with the int key 1", "str(...)"),
        (_deep(300), "a structure of more than 250 levels", "flat"),
        (Loose(thing=object()), "a Loose that pydantic cannot dump", "fields"),
    ],
)
def test_what_json_lacks_is_refused_with_its_place_and_the_edit_to_make(value, found, edit):
    with pytest.raises(WorldBug) as refused:
        encode({"items": [0, Row("a", owner=value)]}, "tool get_ticket")
    message = str(refused.value)
    place, _, advice = message.partition("; ")
    assert place.startswith(f"tool get_ticket returned {found} at $.items[1].owner")
    assert edit in advice
    assert len(message) < 600


@pytest.mark.parametrize("value", [uuid.UUID(int=1), Colour.RED, float("nan"), float("inf")])
def test_what_the_encoder_itself_would_write_is_refused_among_plain_rows_too(value):
    rows = [{"id": n, "owner": None, "note": "x"} for n in range(50)]
    rows[17]["note"] = value
    with pytest.raises(WorldBug, match=r"at \$\.items\[17\]\.note; "):
        encode({"items": rows}, "tool t")


def test_a_structure_that_contains_itself_is_refused_where_the_loop_closes():
    with pytest.raises(WorldBug, match=r"a list that contains itself at \$\[0\]\.items; return a copy"):
        encode(_loop(), "tool t")


def test_the_same_list_in_two_places_is_no_loop():
    shared = (1,)
    assert encode({"a": shared, "b": [shared, shared]}, "tool t") == b'{"a":[1],"b":[[1],[1]]}'


def test_a_refused_iterator_is_left_unread():
    rows = iter([1, 2])
    with pytest.raises(WorldBug):
        encode({"rows": rows}, "tool t")
    assert list(rows) == [1, 2]


def test_keys_that_are_no_identifiers_are_quoted_in_the_place():
    with pytest.raises(WorldBug, match=r"at \$\['a b'\]\.c; "):
        encode({"a b": {"c": b""}}, "tool t")


def test_a_place_deep_down_is_shortened_in_its_middle():
    value: object = b""
    for _ in range(100):
        value = {"branch": value}
    with pytest.raises(WorldBug, match=r"at \$\.branch\.branch.{178,184}\.branch; ") as refused:
        encode(value, "tool t")
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize("value", [{"a": [1, 1.5, "é", None, True]}, [], "x", 2**70])
def test_plain_json_is_the_json_of_plain_values(value):
    assert json.loads(plain_json(value) or b"") == value


@pytest.mark.parametrize(
    "value",
    [(1,), {1: 2}, Status.OPEN, uuid.UUID(int=1), float("nan"), "\ud800", {"a": [b""]}, _deep(120), Row("a"), _loop()],
)
def test_plain_json_is_none_for_everything_else(value):
    assert plain_json(value) is None
