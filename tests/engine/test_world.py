import copy

import pytest

from tests.engine import shelf
from tests.engine.episodes import dump, play, scripted
from tests.engine.shelf import NOW, lab
from worlds.engine import FixtureError, Start, World, WorldBug, installed, world
from worlds.engine.world import require_world

moved = installed.get("moved")


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.SEAHAVEN_FIXTURES_DIR = tmp_path / "fixtures"
    settings.SEAHAVEN_VAR_DIR = tmp_path / "var"
    return tmp_path / "fixtures"


@pytest.mark.parametrize("seed", range(6))
def test_whatever_an_episode_did_the_next_one_begins_with_the_fixture_as_it_was(seed):
    shelf.freeze()
    with lab.instance("small", seed=1) as first:
        before = dump(first)
        for move in scripted(seed):
            play(first, move)
        assert dump(first) != before
    with lab.instance("small", seed=1) as second:
        assert dump(second) == before
        assert second.change_log() == []


def test_an_instance_of_a_fixture_begins_when_it_was_frozen_or_when_it_is_told():
    shelf.freeze()
    with lab.instance("small") as inst:
        assert inst.clock.iso() == lab.fixtures()[0].now
    with lab.instance("small", now="2027-01-01T00:00:00Z") as inst:
        assert inst.clock.iso() == "2027-01-01T00:00:00.000Z"


def test_the_doors_start_an_instance_with_one_value():
    with lab.start(Start(seed=4, now=NOW, episode_id="e")) as inst:
        assert (inst.caller_seed, inst.clock.iso(), inst.episode_id) == (4, NOW, "e")


def test_a_default_clock_mode_of_a_world_applies_where_none_is_chosen():
    slow = copy.copy(lab)
    slow.default_clock_mode = "fixed"
    with slow.instance() as inst:
        assert inst.clock.mode == "fixed"
    with slow.instance(clock_mode="running") as inst:
        assert inst.clock.mode == "running"


def test_a_copy_has_instances_and_fixtures_of_its_own_kind(tmp_path):
    twin = copy.copy(lab)
    twin.tool(lambda ctx: "here", name="here", description="Here.")
    with twin.instance(now=NOW) as inst:
        assert inst.call("here") == "here"
        fixture = inst.freeze("elsewhere", "x", folder=tmp_path / "aside")
    assert fixture.folder == tmp_path / "aside" / "elsewhere"
    assert (lab.fixture_ids(), "here" in lab.tools) == ([], False)


def test_recipes_build_fixtures_where_they_belong_or_elsewhere(folder, tmp_path):
    built = moved.build_fixture("a_visitor")
    assert built.folder == folder / "moved" / "a_visitor"
    elsewhere = moved.build_fixture("a_visitor", folder=tmp_path / "aside")
    assert elsewhere.file("main").read_bytes() == built.file("main").read_bytes()
    with pytest.raises(FixtureError, match="world moved has no recipe 'zzz'"):
        moved.build_fixture("zzz")


def test_a_recipe_whose_parent_is_not_there_says_how_to_build_it():
    with pytest.raises(FixtureError, match="'a_visitor' of world moved is not built yet; run `manage.py seahaven_fix"):
        moved.build_fixture("two_visitors")


def test_a_config_must_declare_a_world():
    assert require_world(lab, "x") is lab
    with pytest.raises(WorldBug, match=r"x declares no world; write `world = World"):
        require_world(None, "x")
    assert issubclass(World, world.Registrations)


def test_tables_a_world_names_are_not_in_its_change_log():
    quiet = copy.copy(lab)
    quiet.untracked_tables = frozenset({"tags", "tags_boxes"})
    with quiet.instance() as inst:
        inst.call("make_box", name="a")
        inst.call("tag_box", box="a", code="red")
        assert [record["table"] for record in inst.change_log()] == ["boxes"]
        assert inst.inspect().one("SELECT count(*) AS n FROM tags_boxes") == {"n": 1}
