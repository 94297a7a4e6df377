"""Which tables and rows of an instance does a reader get?"""

from contextlib import contextmanager

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


# A page at a time.


def browsed(inst, node, table, conditions=(), orders=(), cut=ALL, longest=100):
    inspector = inst.inspect()
    found = tables.described(inspector, list(inst.composition()), node, table)
    total = tables.counted(inspector, found, conditions)
    return tables.window(inspector, found, conditions, orders, cut, total=total, longest=longest), total


@contextmanager
def filled(count):
    with opened() as inst:
        for number in range(count):
            inst.call("make_box", name=f"n{number}", price=f"{number % 3}.00")
        yield inst


def test_every_page_from_either_end_is_the_one_of_the_whole_order():
    with filled(9) as inst:
        for orders in ([], [Order("price")], [Order("price", is_descending=True), Order("name")]):
            whole, total = browsed(inst, "main", "boxes", orders=orders)
            assert (len(whole), total) == (9, 9)
            for start in range(0, 10, 2):
                page, _ = browsed(inst, "main", "boxes", orders=orders, cut=slice(start, start + 2))
                assert page == whole[start : start + 2]
        expected = [row["name"] for row in tables.rows(inst, "main", "boxes", [], [Order("price")], ALL)[0]]
        assert [
            row.cells["name"].value for row in browsed(inst, "main", "boxes", orders=[Order("price")])[0]
        ] == expected


def test_all_rowids_are_in_the_order_of_the_pages():
    with filled(7) as inst:
        inspector, orders = inst.inspect(), [Order("price", is_descending=True)]
        table = tables.described(inspector, list(inst.composition()), "main", "boxes")
        rowids = tables.ordered_rowids(inspector, table, [], orders)
        assert [row.rowid for row in browsed(inst, "main", "boxes", orders=orders)[0]] == rowids
        assert [row.rowid for row in tables.by_rowid(inspector, table, rowids[:3], longest=9)] == rowids[:3]
        names = [row.cells["name"].value for row in browsed(inst, "main", "boxes", orders=orders)[0]]
        assert tables.values_of(inspector, table, ["name"], rowids) == [(name,) for name in names]


def test_what_is_long_is_cut_where_it_is_read():
    with opened() as inst:
        inst.call("make_box", name="x" * 50)
        [row], _ = browsed(inst, "main", "boxes", longest=10)
        assert row.cells["name"] == ("x" * 10, 50)
        assert row.cells["is_open"] == (1, None)


def test_a_table_says_what_it_points_to_and_whether_it_has_rowids():
    with opened() as inst:
        inspector, nodes = inst.inspect(), list(inst.composition())
        items = tables.described(inspector, nodes, "main", "items")
        assert items.foreign_keys == ((("box_id",), "boxes", ("id",)),)
        assert items.key == ("id",)
        assert items.has_rowid
        assert {table.name for table in tables.all_described(inspector, "bank")} >= {"accounts"}
        with pytest.raises(NoTable, match="no table 'boxs'; did you mean 'boxes'"):
            tables.described(inspector, nodes, "main", "boxs")
        with pytest.raises(NoTable):
            tables.described(inspector, nodes, "nowhere", "boxes")


def test_a_page_is_asked_for_by_columns_that_are_there():
    with filled(2) as inst:
        by_rowid, total = browsed(inst, "main", "boxes", [Condition("rowid", "eq", "1")])
        assert (len(by_rowid), total) == (1, 1)
        for bad in ({"conditions": [Condition("x", "eq", "1")]}, {"orders": [Order('"; --')]}):
            with pytest.raises(NoColumn):
                browsed(inst, "main", "boxes", **bad)
