import os

import pytest

from tests.engine import shelf
from tests.engine.shelf import edit_rows, edit_sidecar, lab
from worlds.engine import FixtureError, WorldBug, curating, fixtures, installed

moved = installed.get("moved")


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.SEAHAVEN_FIXTURES_DIR = tmp_path / "fixtures"
    settings.SEAHAVEN_VAR_DIR = tmp_path / "var"
    return tmp_path / "fixtures" / "moved"


def texts(folder):
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


# Building


def test_what_is_missing_is_built_parents_first_and_what_is_large_only_when_named(folder, settings):
    built = curating.build(moved, [], anew=False)
    assert [fixture.id for fixture in built] == ["a_visitor", "two_visitors"]
    assert moved.fixture_ids() == ["a_visitor", "two_visitors"]
    assert built[1].parent == "a_visitor"
    assert built[0].description == "One person has been here.\n\nShe is no member of any club."
    with moved.instance("two_visitors") as inst:
        assert inst.inspect().one("SELECT count(*) AS n FROM visits") == {"n": 2}
    (crowd,) = curating.build(moved, ["a_crowd"], anew=False)
    assert crowd.folder == settings.SEAHAVEN_VAR_DIR / "fixtures" / "moved" / "a_crowd"
    assert crowd.counts["moved.person"] == 1200


def test_a_child_brings_its_parent(folder):
    assert [fixture.id for fixture in curating.build(moved, ["two_visitors"], anew=False)] == [
        "a_visitor",
        "two_visitors",
    ]


def test_building_anew_gives_the_same_bytes_and_building_again_touches_nothing(folder):
    curating.build(moved, [], anew=False)
    first = texts(folder)
    times = {file: os.stat(folder / file).st_mtime_ns for file in first}
    curating.build(moved, [], anew=False)
    assert {file: os.stat(folder / file).st_mtime_ns for file in first} == times
    curating.build(moved, [], anew=True)
    assert texts(folder) == first
    assert {file: os.stat(folder / file).st_mtime_ns for file in first} != times


def test_building_a_child_anew_leaves_a_parent_that_is_there(folder):
    curating.build(moved, [], anew=False)
    edit_sidecar(fixtures.get("moved", "a_visitor"), description="Told otherwise.")
    curating.build(moved, ["two_visitors"], anew=True)
    assert fixtures.get("moved", "a_visitor").description == "Told otherwise."


def test_building_anew_mends_a_damaged_fixture(folder):
    curating.build(moved, ["a_visitor"], anew=False)
    first = texts(folder)
    (folder / "a_visitor" / "fixture.yaml").write_text("damaged: [")
    with pytest.raises(FixtureError, match="cannot be read as YAML"):
        curating.build(moved, ["a_visitor"], anew=False)
    curating.build(moved, ["a_visitor"], anew=True)
    assert texts(folder) == first


def test_what_is_neither_a_fixture_nor_a_recipe_is_refused_with_the_recipes():
    with pytest.raises(FixtureError, match="world moved has no recipe 'zzz'; its recipes are: two_visitors, a_visitor"):
        curating.build(moved, ["zzz"], anew=False)


# Verifying


def test_a_sound_fixture_has_nothing_wrong_even_where_a_startup_hook_writes():
    curating.build(moved, [], anew=False)
    for fixture_id in moved.fixture_ids():
        assert curating.verify(moved, fixture_id, rebuild=True) == []
    shelf.freeze()
    assert curating.verify(lab, "small", rebuild=True) == []


def test_rows_in_another_form_than_they_come_out_are_named_by_line():
    edit_rows(shelf.freeze(), lambda rows: [*rows[:3], rows[4], rows[3], *rows[5:]])
    (problem,) = curating.verify(lab, "small")
    assert "main.jsonl:4: loading it and freezing it again gives other rows; freeze it anew" in problem


def test_a_fixture_that_is_not_what_its_recipe_makes_is_named():
    fixture = moved.build_fixture("a_visitor")
    edit_sidecar(fixture, description="Something else.", now="2026-06-01T10:00:00.000Z")
    assert curating.verify(moved, "a_visitor") == []
    described, timed = sorted(curating.verify(moved, "a_visitor", rebuild=True))
    assert "fixture.yaml: description is 'Something else.', its recipe gives 'One person" in described
    assert "fixture.yaml: now is '2026-06-01T10:00:00.000Z', its recipe gives '2026-06-01T09:00:01.000Z'" in timed


def test_a_damaged_or_missing_fixture_is_a_problem_and_not_a_crash():
    fixture = shelf.freeze()
    fixture.file("main").write_text("")
    assert "its SHA-256 is" in curating.verify(lab, "small")[0]
    assert "has no fixture 'nope'" in curating.verify(lab, "nope")[0]
    assert "run `manage.py seahaven_fixture build moved a_crowd`" in curating.verify(moved, "a_crowd")[0]


# Making


def add_boxes(inst):
    inst.call("make_box", name=inst.fixture or "first")


HERE = "tests.engine.test_curating"


def test_a_fixture_is_made_by_a_function_from_nothing_or_from_another():
    first = curating.freeze_by(lab, "one", f"{HERE}:add_boxes", description="x", now="2026-06-01T09:00:00Z")
    assert (first.parent, first.now, first.counts) == (None, "2026-06-01T09:00:01.000Z", {"lab.box": 1})
    second = curating.freeze_by(lab, "two", f"{HERE}:add_boxes", description="x", parent="one", seed=1)
    assert (second.parent, second.now, second.counts) == ("one", "2026-06-01T09:00:02.000Z", {"lab.box": 2})


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("add_boxes", "'add_boxes' names no function; write module:function"),
        ("no.such:thing", "module 'no.such' cannot be imported"),
        (f"{HERE}:nothing", f"module '{HERE}' has no 'nothing'"),
        (f"{HERE}:HERE", "is no function"),
    ],
)
def test_a_function_that_is_not_there_is_named(function, message):
    with pytest.raises(WorldBug, match=message):
        curating.freeze_by(lab, "one", function, description="x", now="2026-06-01T09:00:00Z")


def test_a_fixture_from_nothing_needs_to_know_when_it_is():
    with pytest.raises(FixtureError, match="needs --now, or it would hold today's time"):
        curating.freeze_by(lab, "one", f"{HERE}:add_boxes", description="x")


def test_an_id_that_is_taken_is_refused_before_the_function_runs():
    shelf.freeze()
    with pytest.raises(FixtureError, match="world lab has a fixture 'small' already"):
        curating.freeze_by(lab, "small", f"{HERE}:explode", description="x", now="2026-06-01T09:00:00Z")


def explode(inst):
    raise AssertionError
