import pytest

from worlds.engine import World, WorldBug, installed


def test_installed_worlds_are_listed_in_the_order_of_the_settings(settings):
    assert installed.names() == [world.rpartition(".")[2] for world in settings.WORLDS]


def test_a_world_that_is_not_installed_is_named_with_the_nearest_and_all_there_are():
    with pytest.raises(
        WorldBug, match=r"world 'labb' is not installed; did you mean 'lab'\? settings.WORLDS has: .*bank"
    ):
        installed.get("labb")
    with pytest.raises(WorldBug, match=r"world 'zzz' is not installed; settings.WORLDS has"):
        installed.get("zzz")
    with pytest.raises(WorldBug, match="world 5 is not installed"):
        installed.get(5)  # type: ignore[arg-type]


def test_a_module_belongs_to_the_world_whose_app_holds_it():
    lab = installed.get("lab")
    assert installed.owner_of("tests.worlds.lab.tools") is lab
    assert installed.owner_of("tests.worlds.lab") is lab
    assert installed.owner_of("tests.worlds.labour") is None
    assert installed.owner_of("tests.worlds") is None


def test_models_of_worlds_and_of_the_engine_live_in_stores_and_others_do_not():
    assert installed.is_world_label("lab")
    assert installed.is_world_label("engine")
    assert not installed.is_world_label("auth")


def test_two_worlds_cannot_share_a_name():
    other = World("lab", version="2")
    other.package = "elsewhere.lab"
    with pytest.raises(WorldBug, match="two worlds are named 'lab': tests.worlds.lab and elsewhere.lab; rename one"):
        installed.add(other)
    installed.add(installed.get("lab"))
