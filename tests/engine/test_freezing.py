import json

import pytest

from tests.engine import shelf
from tests.engine.shelf import NOW, lab
from worlds.engine import FixtureError, freezing, images, installed

moved = installed.get("moved")


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.SEAHAVEN_FIXTURES_DIR = tmp_path / "fixtures"
    settings.SEAHAVEN_VAR_DIR = tmp_path / "var"
    return tmp_path / "fixtures" / "lab"


def test_equal_states_are_equal_files(folder):
    texts = set()
    for fixture_id in ("one", "two"):
        with lab.instance(now=NOW, seed=1) as inst:
            shelf.awkward(inst)
            fixture = inst.freeze(fixture_id, "x")
            sidecar = (fixture.folder / "fixture.yaml").read_text().replace(f"id: {fixture_id}\n", "")
            texts.add((fixture.file("main").read_bytes(), sidecar))
    assert len(texts) == 1


def test_freezing_disturbs_nothing():
    with lab.instance(now=NOW, seed=1, episode_id="e") as inst:
        shelf.awkward(inst)
        with inst.fork() as twin:
            inst.freeze("small", "x")
            assert inst.state() == twin.state()
            assert inst.call("draw") == twin.call("draw")


@pytest.mark.parametrize("description", ["", "  \n "])
def test_a_description_is_asked_for(folder, description):
    with lab.instance() as inst, pytest.raises(FixtureError, match="'small' needs a description; say what state it is"):
        inst.freeze("small", description)
    assert not folder.exists()


def test_a_schema_changed_by_hand_is_refused_and_nothing_is_written(folder):
    with lab.instance() as inst:
        inst._at.root.store.raw.execute("CREATE INDEX by_hand ON items (label)").fetchall()
        with pytest.raises(FixtureError, match="schema of this instance was changed by hand; write a migration"):
            inst.freeze("small", "x")
    assert not folder.exists()


def test_rows_of_a_table_that_no_model_stands_for_are_refused(folder, monkeypatch):
    with lab.instance() as inst:
        inst.call("make_box", name="a")
        inst.call("tag_box", box="a", code="x")
        known = freezing.rows.models_of
        monkeypatch.setattr(
            freezing.rows, "models_of", lambda *a: [m for m in known(*a) if m._meta.db_table != "tags_boxes"]
        )
        with pytest.raises(FixtureError, match=r"table tags_boxes has rows and no model, .*give it a model"):
            inst.freeze("small", "x")
    assert not folder.exists()


def test_an_instance_in_use_cannot_be_frozen():
    with lab.instance() as inst, inst.inspecting(), pytest.raises(Exception, match="leave the block"):
        inst.freeze("small", "x")


def test_the_parent_is_where_the_instance_started_unless_another_is_given():
    with lab.instance(now=NOW) as inst:
        assert inst.freeze("a", "x").parent is None
    with lab.instance("a") as inst:
        assert inst.freeze("b", "x").parent == "a"
        assert inst.freeze("c", "x", parent="z").parent == "z"
        assert inst.freeze("a", "x", replace=True).parent is None


def test_an_advance_is_frozen_with_the_rest():
    with lab.instance(now=NOW, clock_mode="fixed") as inst:
        inst.advance(days=1)
        assert inst.freeze("later", "x").now == "2026-06-02T09:00:00.000Z"


def test_what_is_kept_outside_the_rows_is_not_frozen():
    with lab.instance(now=NOW) as inst:
        inst.call("remember", what="secret")
        fixture = inst.freeze("small", "x")
        assert b"secret" not in fixture.file("main").read_bytes()
    with lab.instance("small") as inst:
        assert inst.call("remember", what="new") == {"memory": ["new"]}


def test_writing_a_fixture_again_runs_no_hook_and_changes_no_word(tmp_path):
    fixture = moved.build_fixture("a_visitor")
    again = freezing.freeze_again(moved, images.starting_state(moved, "a_visitor"), folder=tmp_path / "again")
    assert (again.folder / "fixture.yaml").read_text() == (fixture.folder / "fixture.yaml").read_text()
    assert again.file("main").read_bytes() == fixture.file("main").read_bytes()


def test_a_row_says_its_model_its_key_and_its_fields(folder):
    line = next(line for line in shelf.freeze().read_rows("main") if '"lab.item"' in line)
    row = json.loads(line)
    assert list(row) == ["model", "pk", "fields"]
    assert row["pk"] == 1
    assert list(row["fields"]) == ["box", "label", "weight", "blob"]
