"""Is every row of a fixture read, and every difference of two found?"""

import pytest

from tests.engine import shelf
from tests.engine.shelf import lab
from tests.worlds.lab.models import Box, Item, Shelf, Tag
from worlds.engine import WorldBug, contrasting, images


@pytest.fixture(autouse=True)
def folder(settings, tmp_path, monkeypatch):
    """Shelves of its own, and no image built yet."""
    settings.SEAHAVEN_FIXTURES_DIR = tmp_path / "fixtures"
    settings.SEAHAVEN_VAR_DIR = tmp_path / "var"
    monkeypatch.setattr(images, "_built", {})
    monkeypatch.setattr(images, "_starting", {})


@pytest.fixture
def both():
    """A fixture, and one that was forked off it in which rows came, went and changed."""
    shelf.freeze()
    with lab.instance("small") as inst:
        with inst.bulk():
            Box.objects.filter(name="plain").update(price="1.00", facts={"a": None})
            Item.objects.filter(label="one").delete()
            Tag.objects.create(code="blue")
            Shelf.objects.create(room="hall", number=2, note="by the door")
        inst.freeze("moved", "Things were moved.")
    return images.starting_state(lab, "small"), images.starting_state(lab, "moved")


def of(found, table):
    return next(each for each in found if each.table == table)


def test_every_table_says_how_many_rows_are_new_gone_and_changed(both):
    found = contrasting.contrast(*both)
    assert [of(found, "boxes").count(op) for op in contrasting.OPS] == [0, 0, 1]
    assert [of(found, "items").count(op) for op in contrasting.OPS] == [0, 1, 0]
    assert [of(found, "tags").count(op) for op in contrasting.OPS] == [1, 0, 0]
    assert [of(found, "shelves").count(op) for op in contrasting.OPS] == [1, 0, 0]
    assert (of(found, "items").one_count, of(found, "items").other_count) == (2, 1)
    assert not of(found, "samples").differs


def test_a_fixture_does_not_differ_from_itself(both):
    small, _ = both
    assert not any(each.differs for each in contrasting.contrast(small, small))


def test_changed_rows_show_the_cells_that_differ_and_no_others(both):
    (change,) = contrasting.differing_rows(both[0], both[1], "main", "boxes", "update", slice(0, 10))
    assert change.op == "update"
    assert change.before is not None
    assert change.after is not None
    assert (change.before["price"], change.after["price"]) == (12345.67, 1)
    assert set(change.before) == set(change.after) == {"price", "facts"}


def test_rows_of_one_side_only_are_whole_and_come_in_pages(both):
    (gone,) = contrasting.differing_rows(both[0], both[1], "main", "items", "delete", slice(0, 10))
    assert gone.before is not None
    assert (gone.before["label"], gone.after) == ("one", None)
    (came,) = contrasting.differing_rows(both[0], both[1], "main", "shelves", "insert", slice(0, 10))
    assert came.key == {"room": "hall", "number": 2}
    assert contrasting.differing_rows(both[0], both[1], "main", "shelves", "insert", slice(1, 10)) == []


def test_the_other_way_round_before_and_after_change_places(both):
    small, moved = both
    (there,) = contrasting.differing_rows(small, moved, "main", "boxes", "update", slice(0, 10))
    (back,) = contrasting.differing_rows(moved, small, "main", "boxes", "update", slice(0, 10))
    assert (there.before, there.after) == (back.after, back.before)
    assert of(contrasting.contrast(moved, small), "tags").count("delete") == 1


def test_rows_are_read_in_pages_and_sorted(both):
    small, _ = both
    found, total = contrasting.rows(small, "main", "items", slice(0, 1), sort="label", descending=True)
    assert total == 2
    assert [row["label"] for row in found] == ["two"]
    assert ("main", "items", 2) in contrasting.tables(small)


def test_what_is_not_there_is_named_with_what_is(both):
    small, _ = both
    with pytest.raises(WorldBug, match="did you mean 'items'"):
        contrasting.rows(small, "main", "item", slice(0, 1))
    with pytest.raises(WorldBug, match="no store at 'shop'"):
        contrasting.rows(small, "shop", "items", slice(0, 1))
    with pytest.raises(WorldBug, match="has no column 'weigth'"):
        contrasting.rows(small, "main", "items", slice(0, 1), sort="weigth")
