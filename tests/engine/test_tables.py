"""Which tables and rows of an instance does a reader get?"""

import pytest

from tests.engine.town import PATHS, opened
from worlds.engine import tables
from worlds.engine.tables import Condition, NoColumn, NoTable, Order

ALL = slice(0, 100)


def named(found):
    shown, total = found
    assert len(shown) == total
    return [row["name"] for row in shown]


def test_the_tables_of_every_node_are_listed_under_its_path():
    with opened() as inst:
        inst.call("bank_deposit", amount=3)
        inst.call("north_make_box", name="in the north")
        listed = tables.listed(inst)
        assert {table["node"] for table in listed} == set(PATHS)
        counts = {(table["node"], table["name"]): table["row_count"] for table in listed}
        assert (counts["bank", "accounts"], counts["north", "boxes"], counts["main", "boxes"]) == (1, 1, 0)
        assert {table["world"] for table in tables.listed(inst, "bank")} == {"bank"}
        with pytest.raises(NoTable, match="did you mean 'north'"):
            tables.listed(inst, "nroth")


def test_rows_of_a_node_are_not_those_of_another():
    with opened() as inst:
        inst.call("north_make_box", name="in the north")
        inst.call("make_box", name="in town")
        assert named(tables.rows(inst, "north", "boxes", [], [], ALL)) == ["in the north"]
        assert named(tables.rows(inst, "main", "boxes", [], [], ALL)) == ["in town"]
        assert named(tables.rows(inst, "south", "boxes", [], [], ALL)) == []
        with pytest.raises(NoTable, match="world bank has no table 'boxes'"):
            tables.rows(inst, "bank", "boxes", [], [], ALL)


def test_reading_moves_nothing_and_is_of_the_present():
    with opened() as inst:
        for name in "abc":
            inst.call("make_box", name=name)
        before = inst.state_json()
        order = [Order("name", is_descending=True)]
        assert named(tables.rows(inst, "main", "boxes", [], order, ALL)) == ["c", "b", "a"]
        assert inst.state_json() == before
        inst.rewind(call=0)
        assert named(tables.rows(inst, "main", "boxes", [], order, ALL)) == ["a"]


def test_the_order_is_total_so_that_pages_hold_every_row_once():
    with opened() as inst:
        for number in range(7):
            inst.call("make_box", name=f"n{number}", price="1.00")
        orders = [Order("price")]
        pages = [tables.rows(inst, "main", "boxes", [], orders, slice(at, at + 2)) for at in range(0, 8, 2)]
        assert {total for _, total in pages} == {7}
        assert sorted(row["name"] for shown, _ in pages for row in shown) == [f"n{number}" for number in range(7)]


def test_names_are_quoted_and_must_be_there():
    with opened() as inst:
        inst.call("make_box", name='"; DROP TABLE boxes; --')
        odd = '"; DROP TABLE boxes; --'
        assert named(tables.rows(inst, "main", "boxes", [Condition("name", "eq", odd)], [], ALL)) == [odd]
        for condition, order in ((Condition(odd, "eq", "x"), None), (None, Order("rowid"))):
            with pytest.raises(NoColumn, match="table boxes has no column"):
                tables.rows(inst, "main", "boxes", [condition] if condition else [], [order] if order else [], ALL)
        with pytest.raises(NoTable):
            tables.rows(inst, "main", odd, [], [], ALL)
        for hidden in ("sqlite_master", "django_migrations", "seahaven_events"):
            with pytest.raises(NoTable):
                tables.rows(inst, "main", hidden, [], [], ALL)
