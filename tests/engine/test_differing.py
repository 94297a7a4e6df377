import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worlds.engine.differing import MISSING, Place, is_same, json_differences

json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "c d"]), inner, max_size=3),
)


@given(json, json)
def test_two_values_differ_where_their_json_does(one, other):
    assert (next(json_differences(one, other), None) is None) == (orjson.dumps(one) == orjson.dumps(other))


@given(json)
def test_a_value_differs_nowhere_from_its_copy(value):
    assert list(json_differences(value, orjson.loads(orjson.dumps(value)))) == []


@pytest.mark.parametrize(
    ("one", "other", "differences"),
    [
        (
            {"items": [{"owner": 1}, {"owner": 2}]},
            {"items": [{"owner": 1}, {"owner": 3}]},
            [("$.items[1].owner", 2, 3)],
        ),
        ([1, 2], [1], [("$[1]", 2, MISSING)]),
        ({"a b": 1}, {}, [("$['a b']", 1, MISSING)]),
        ({}, {"x": None}, [("$.x", MISSING, None)]),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, [("$ (order of keys)", ["a", "b"], ["b", "a"])]),
        (1, 1.0, [("$", 1, 1.0)]),
        (1, True, [("$", 1, True)]),
        (0.0, -0.0, [("$", 0.0, -0.0)]),
        ([], {}, [("$", [], {})]),
        ({"a": [1, {"b": "x"}], "c": 1}, {"a": [2, {"b": "y"}], "c": 1}, [("$.a[0]", 1, 2), ("$.a[1].b", "x", "y")]),
    ],
)
def test_every_difference_has_its_path_and_both_values(one, other, differences):
    assert list(json_differences(one, other)) == differences


@pytest.mark.parametrize(("one", "other"), [(1, "1"), (None, 0), (None, MISSING), ("a", "A")])
def test_values_of_two_texts_are_not_the_same(one, other):
    assert not is_same(one, other)
    assert is_same(one, one)


def test_a_divergence_reads_as_a_line_and_lists_as_an_object():
    place = Place("call 3 (change_box)", {"move": 5, "call": 3}).within("main.boxes id=1", table="boxes")
    found = place.divergence("cell", "price", "2.50", MISSING, note="a note", column="price")
    assert str(found) == 'call 3 (change_box): main.boxes id=1: price: expected "2.50", got nothing (a note)'
    assert found.as_dict() == {
        "kind": "cell", "move": 5, "call": 3, "table": "boxes", "column": "price", "expected": "2.50",
        "text": str(found),
    }  # fmt: skip


def test_of_long_values_the_part_is_shown_that_differs():
    expected, got = "x" * 5000 + "one" + "y" * 5000, "x" * 5000 + "two" + "y" * 5000
    text = str(Place("here", {}).divergence("cell", "", expected, got))
    assert "xone" in text
    assert "xtwo" in text
    assert text.count("…") == 4
    assert len(text) < 300
    shorter = str(Place("here", {}).divergence("cell", "", "x" * 500, "x" * 499))
    assert shorter.endswith('xx"')
