import pytest
from django.db.models import JSONField, Value

from tests.engine import shelf
from tests.engine.episodes import dump
from tests.engine.shelf import NOW, edit_rows, lab
from tests.worlds.lab.models import Box
from worlds.engine import FixtureError, installed

moved = installed.get("moved")


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.SEAHAVEN_FIXTURES_DIR = tmp_path / "fixtures"
    settings.SEAHAVEN_VAR_DIR = tmp_path / "var"


def refused(change, match):
    """The rows changed in one place, and what an instance says of them."""
    edit_rows(shelf.freeze(), change)
    with pytest.raises(FixtureError, match=match):
        lab.instance("small")


def row_of(model, number=0):
    """A change to one row of a model: the line it stands on, and how to make the change."""

    def changing(**fields):
        def change(rows):
            row = [row for row in rows if row["model"] == model][number]
            for name, value in fields.items():
                (row if name in ("model", "pk") else row["fields"])[name] = value
            return rows

        return change

    return changing


def test_rows_come_back_as_they_were():
    with lab.instance(now=NOW, seed=1) as inst:
        shelf.awkward(inst)
        inst.freeze("small", "A box with things in it.")
        with lab.instance("small") as again:
            before, after = dump(inst), dump(again)
            for table in ("boxes", "items", "tags", "tags_boxes", "seahaven_events"):
                # Without the rowid, which says in which order they came.
                one, other = (sorted(row.partition(", ")[2] for row in rows[table]) for rows in (before, after))
                assert one == other
                assert one
            assert again.change_log() == []


def test_jsons_null_is_told_from_no_value_where_the_field_must_have_one():
    with lab.instance(now=NOW) as inst:
        with inst.bulk():
            Box.objects.create(id="a", name="a", facts=Value(None, JSONField()))
        inst.freeze("null", "x")
    with lab.instance("null") as inst:
        assert inst.inspect().one("SELECT facts FROM boxes") == {"facts": "null"}


def test_a_key_of_several_columns_is_carried():
    with moved.instance(now=NOW) as inst:
        inst.call("visit", name="Ada")
        for club in ("chess", "bridge"):
            inst.call("join", name="Ada", club=club)
        inst.call("pay", name="Ada", club="chess")
        fixture = inst.freeze("clubs", "x")
    assert fixture.counts["moved.membership"] == 2
    lines = [line for line in fixture.read_rows("main") if "membership" in line]
    assert [line.split('"pk": ["')[1].split('"')[0] for line in lines] == ["bridge", "chess"]
    with moved.instance("clubs") as inst:
        rows = inst.inspect().rows("SELECT club, is_paid FROM memberships ORDER BY club")
        assert rows == [{"club": "bridge", "is_paid": 0}, {"club": "chess", "is_paid": 1}]
        assert inst.call("pay", name="Ada", club="bridge") is None
        (record,) = inst.change_log()
        assert record["key"].keys() == {"club", "person_id"}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", r'main.jsonl:1: no row: write \{"model"'),
        ("", r'main.jsonl:1: no row: write \{"model"'),
        ("[]", "main.jsonl:1: no row"),
        ('"x"', "main.jsonl:1: no row"),
        ("null", "main.jsonl:1: no row"),
        ('{"model": "lab.tag", "pk": "x"}', "main.jsonl:1: no row: .*fields"),
        ('{"model": "lab.tag", "pk": "x", "fields": []}', "main.jsonl:1: no row"),
        ('{"model": "lab.tag", "pk": "x", "fields": 5}', "main.jsonl:1: no row"),
        ('{"model": ["lab.tag"], "pk": "x", "fields": {}}', "main.jsonl:1: no row"),
        ("[" * 100_000, "main.jsonl:1: no row"),
    ],
)
def test_a_line_that_is_no_row_is_refused_with_the_shape_to_write(line, message):
    refused(lambda rows: [line, *rows], message)


def test_the_line_is_counted_where_text_holds_what_ends_a_line_elsewhere():
    refused(lambda rows: [*rows, "{"], r"main.jsonl:9: no row")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (row_of("lab.box")(model="lab.boxx"), "main.jsonl:2: model 'lab.boxx' is not in this world; did you mean 'lab"),
        (row_of("lab.box")(model="zzz"), "main.jsonl:2: model 'zzz' is not in this world; the world has engine.sched"),
        (row_of("lab.item")(labl="x"), "main.jsonl:4: lab.item has no field 'labl'; did you mean 'label'"),
        (row_of("lab.item")(zzz="x"), "main.jsonl:4: lab.item has no field 'zzz'; remove it, or migrate the fixture"),
        (row_of("lab.item")(id=1), "main.jsonl:4: lab.item has no field 'id'"),
        (row_of("lab.item")(box_id="x"), "main.jsonl:4: lab.item has no field 'box_id'"),
        (row_of("lab.item")(label=None), "main.jsonl:4: lab.item.label is null, which the field does not allow; give"),
        (row_of("lab.item")(pk="x"), "main.jsonl:4: lab.item.id: 'x' does not fit a BigAutoField: “x” value must be"),
        (row_of("lab.item")(weight=[1]), r"main.jsonl:4: lab.item.weight: \[1\] does not fit a IntegerField"),
        (row_of("lab.item")(blob="é"), "main.jsonl:4: lab.item.blob: 'é' does not fit a BinaryField"),
        (row_of("lab.box", 1)(made_at="soon"), "main.jsonl:3: lab.box.made_at: 'soon' does not fit a DateTimeField"),
        (row_of("lab.box", 1)(price="much"), "main.jsonl:3: lab.box.price: 'much' does not fit a DecimalField"),
        (row_of("lab.box", 1)(is_open="perhaps"), "main.jsonl:3: lab.box.is_open: 'perhaps' does not fit a BooleanFi"),
        (row_of("lab.item", 1)(pk=1), "main.jsonl:5: lab.item: UNIQUE constraint failed: items.id; correct the row"),
        (row_of("lab.item", 1)(weight=2**70), "main.jsonl:5: lab.item: .*; correct the row"),
        (row_of("lab.item", 1)(box="nobody"), "main.jsonl:5: lab.item.box is 'nobody', and boxes has no such row; add"),
        (row_of("lab.tag_boxes")(tag="green"), "main.jsonl:8: lab.tag_boxes.tag is 'green', and tags has no such row"),
    ],
)  # fmt: skip
def test_a_row_that_does_not_fit_is_refused_by_line_and_field_with_the_fix(change, message):
    refused(change, message)


def test_a_field_that_is_left_out_is_named():
    def change(rows):
        del rows[1]["fields"]["price"], rows[1]["fields"]["name"]
        return rows

    refused(change, "main.jsonl:2: lab.box lacks name, price; add it, or migrate the fixture")


def test_counts_that_do_not_agree_are_refused():
    fixture = shelf.freeze()
    shelf.edit_sidecar(fixture, main__counts={"lab.box": 3})
    with pytest.raises(
        FixtureError, match=r"main.jsonl: it holds .*'lab.box': 2.* rows, fixture.yaml says .*freeze it"
    ):
        lab.instance("small")


def test_of_many_rows_the_one_that_does_not_fit_is_found():
    def change(rows):
        tags = [{"model": "lab.tag", "pk": f"t{n}", "fields": {}} for n in range(1300)]
        tags[1105]["pk"] = "t17"
        return tags

    refused(change, "main.jsonl:1106: lab.tag: UNIQUE constraint failed: tags.code")


def test_rows_may_stand_in_any_order_as_long_as_references_hold_in_the_end():
    edit_rows(shelf.freeze(), lambda rows: rows[::-1])
    with lab.instance("small") as inst:
        assert len(inst.call("list_boxes")) == 2


def test_no_clock_and_no_default_touches_a_value_that_is_loaded():
    def change(rows):
        for row in rows:
            if row["model"] == "lab.box":
                row["fields"] |= dict.fromkeys(("made_at", "changed_at", "db_made_at"), "2001-01-01T00:00:00Z")
        return rows

    edit_rows(shelf.freeze(), change)
    with lab.instance("small") as inst:
        for row in inst.inspect().rows("SELECT made_at, changed_at, db_made_at FROM boxes"):
            assert set(row.values()) == {"2001-01-01T00:00:00.000Z"}
