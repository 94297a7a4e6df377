import datetime as dt
import decimal
import math
import uuid
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from worlds.engine.spelling import lossy, only_shown, spell, unspell

_texts = st.text(st.characters()) | st.sampled_from(["$", "of", "\ud800", "a\udfff\\u0041"])  # halves of pairs too
_keys = _texts | st.integers() | st.none() | st.booleans() | st.binary(max_size=3)
_leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | _texts
    | st.binary()
    | st.datetimes(timezones=st.none() | st.just(dt.UTC)).map(lambda moment: moment.replace(fold=0))
    | st.dates()
    | st.times().map(lambda moment: moment.replace(fold=0))
    | st.timedeltas()
    | st.decimals(allow_nan=False)
    | st.uuids()
    | st.frozensets(st.integers() | _texts, max_size=3)
    | st.sets(st.binary(), max_size=3)
)
values = st.recursive(
    _leaves,
    lambda inner: (
        st.lists(inner, max_size=3) | st.lists(inner, max_size=3).map(tuple) | st.dictionaries(_keys, inner, max_size=3)
    ),
    max_leaves=12,
)


def through_json(value):
    return unspell(orjson.loads(orjson.dumps(spell(value))))


def exactly(value):
    """A value with its types, in which -0.0 is not 0.0 and True is not 1."""
    if isinstance(value, dict):
        return {"dict": [(exactly(key), exactly(item)) for key, item in value.items()]}
    if isinstance(value, list | tuple):
        return [type(value), *map(exactly, value)]
    return type(value), sorted(map(repr, value)) if isinstance(value, set | frozenset) else repr(value)


@given(values)
def test_whatever_is_spelled_is_read_back_as_it_was(value):
    assert exactly(through_json(value)) == exactly(value)


@pytest.mark.parametrize(
    ("value", "spelled"),
    [
        ({"a": [1, 2.5, None, True, "é"]}, {"a": [1, 2.5, None, True, "é"]}),
        (2**64 - 1, 2**64 - 1),
        (2**64, {"$": "int", "of": "0x10000000000000000"}),
        (-(2**63) - 1, {"$": "int", "of": "-0x8000000000000001"}),
        (math.nan, {"$": "float", "of": "nan"}),
        (-math.inf, {"$": "float", "of": "-inf"}),
        (b"\x00\xff", {"$": "bytes", "of": "AP8="}),
        ("a\ud800", {"$": "text", "of": "a\\ud800"}),
        ((1, (2,)), {"$": "tuple", "of": [1, {"$": "tuple", "of": [2]}]}),
        ({3, 1}, {"$": "set", "of": [1, 3]}),
        ({"$": 1}, {"$": "dict", "of": [["$", 1]]}),
        ({1: "x"}, {"$": "dict", "of": [[1, "x"]]}),
        ({(1, b"x"): None}, {"$": "dict", "of": [[{"$": "tuple", "of": [1, {"$": "bytes", "of": "eA=="}]}, None]]}),
        (decimal.Decimal("1.50"), {"$": "decimal", "of": "1.50"}),
        (dt.timedelta(days=-1, microseconds=5), {"$": "timedelta", "of": [-1, 0, 5]}),
        (dt.date(2026, 6, 1), {"$": "date", "of": "2026-06-01"}),
        (uuid.UUID(int=1), {"$": "uuid", "of": "00000000-0000-0000-0000-000000000001"}),
    ],
)
def test_json_is_spelled_as_it_is_and_the_rest_by_its_kind(value, spelled):
    assert orjson.loads(orjson.dumps(spell(value))) == spelled


def test_not_a_number_and_integers_of_any_length_come_back():
    assert math.isnan(through_json([math.nan])[0])
    assert through_json(10**6000) == 10**6000
    assert through_json(bytearray(b"x")) == through_json(memoryview(b"x")) == b"x"


class Address(BaseModel):
    street: str


def test_an_object_of_some_class_is_shown_and_said_to_be():
    spelled = orjson.loads(orjson.dumps(spell({"a": [Address(street="Main")], "b": object, "c": (1, Address)})))
    assert spelled["a"] == [{"$": "shown", "of": {"street": "Main"}, "type": f"{__name__}.Address"}]
    assert only_shown(spelled) == [
        f"{__name__}.Address",
        "builtins.type",
        "pydantic._internal._model_construction.ModelMetaclass",
    ]
    assert unspell(spelled)["a"] == [{"street": "Main"}]
    assert only_shown({"$": "bytes", "of": "AP8="}) == []


def test_structures_without_end_are_shown():
    loop: list[Any] = []
    loop.append((loop,))
    assert "shown" in orjson.dumps(spell(loop)).decode()
    deep: Any = 1
    for _ in range(200):
        deep = [deep]
    assert only_shown(orjson.loads(orjson.dumps(spell(deep)))) == ["builtins.list"]
    wide = {1: {2: {3: [{4: "x"}] * 50}}}
    for _ in range(50):
        wide = {5: wide}  # type: ignore[dict-item]
    assert through_json(wide) == wide


@pytest.mark.parametrize(
    "spelled",
    [
        {"$": "pickle", "of": "gASVAAAAAA=="},
        {"$": "int", "of": "ten"},
        {"$": "int"},
        {"$": "float", "of": []},
        {"$": "bytes", "of": "?"},
        {"$": "text", "of": '"'},
        {"$": "tuple", "of": {"a": 1}},
        {"$": "set", "of": [[1]]},
        {"$": "dict", "of": [[1]]},
        {"$": "dict", "of": [[[1], 1]]},
        {"$": "date", "of": "2026-13-01"},
        {"$": "timedelta", "of": ["x"]},
        {"$": "timedelta", "of": [10**12]},
        {"$": "decimal", "of": "1,5"},
        {"$": "uuid", "of": "x"},
        {"$": None, "of": 1},
        {"$": ["int"], "of": "0x1"},
        [{"a": {"$": "tuple", "of": [{"$": "??"}]}}],
    ],
)
def test_what_nobody_spelled_is_refused(spelled):
    with pytest.raises(ValueError, match="is nothing that was spelled"):
        unspell(spelled)


def test_a_reader_sees_text_where_json_has_no_value():
    shown = orjson.loads(lossy({"a": 2**70, "b": [1], "c": "\ud800", "\udfff": 10**6000, "d": [10**6000]}))
    assert (shown["a"], shown["b"], shown["c"]) == (str(2**70), [1], "\\ud800")
    assert shown["\\udfff"] == hex(10**6000)
    assert shown["d"] == "a list with a number of too many digits"
