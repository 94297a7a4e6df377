import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from django.apps import apps

from worlds.engine import World, WorldBug, WorldConfig, installed

ROOT = Path(__file__).resolve().parents[2]


def test_a_worlds_app_gives_it_its_label_its_package_and_what_its_modules_declare():
    lab = installed.get("lab")
    assert (lab.label, lab.app_labels, lab.package) == ("lab", ("lab",), "tests.worlds.lab")
    assert vars(type(apps.get_app_config("lab")))["world"] is lab
    assert "make_box" in lab.tools
    assert set(lab.event_handlers) == {"close_box", "break_down"}
    assert [hook.fn.__name__ for hook in lab.startup_hooks] == ["open_shop"]
    assert list(installed.get("moved").recipes) == ["two_visitors", "a_visitor", "a_crowd"]


def make_app(tmp_path, name, **files):
    package = tmp_path / name
    package.mkdir()
    (package / "__init__.py").write_text("")
    for module, text in files.items():
        (package / f"{module}.py").write_text(textwrap.dedent(text))


def set_up(tmp_path, *worlds):
    """Django's start with these worlds, in a process of its own; answers what went wrong."""
    run = subprocess.run(
        [sys.executable, "-c", "import django; django.setup(); print('up')"],
        env={
            "PYTHONPATH": os.pathsep.join(map(str, (tmp_path, ROOT))),
            "DJANGO_SETTINGS_MODULE": "seahaven_site.settings",
            "SEAHAVEN_WORLDS": ",".join(worlds),
            "SEAHAVEN_VAR_DIR": str(tmp_path / "var"),
        },
        capture_output=True,
        text=True,
    )
    return run.stderr if run.returncode else run.stdout.strip()


APPS = """
    from worlds.engine import World, WorldConfig

    class Config(WorldConfig):
        name = "{name}"
        world = World("{world}", version="1")
    """
TOOLS = '''
    from worlds.engine import Ctx, tool

    @tool
    def look(ctx: Ctx) -> None:
        """Look."""
    '''


def test_a_world_is_an_app_with_a_config_and_tools(tmp_path):
    make_app(tmp_path, "shop", apps=APPS.format(name="shop", world="shop"), tools=TOOLS)
    assert set_up(tmp_path, "shop") == "up"


def test_a_world_without_tools_is_refused_with_the_file_to_write(tmp_path):
    make_app(tmp_path, "shop", apps=APPS.format(name="shop", world="shop"))
    assert "world shop has no tools; decorate a function in shop/tools.py with @tool" in set_up(tmp_path, "shop")


def test_two_apps_of_one_world_name_are_refused(tmp_path):
    for name in ("shop", "store"):
        make_app(tmp_path, name, apps=APPS.format(name=name, world="shop"), tools=TOOLS)
    assert "two worlds are named 'shop': shop and store; rename one of them" in set_up(tmp_path, "shop", "store")


def test_an_app_whose_config_declares_no_world_is_refused_with_the_line_to_write():
    class Forgetful(WorldConfig):
        name = "tests.worlds.lab"
        label = "forgetful"

    config = Forgetful("tests.worlds.lab", sys.modules["tests.worlds.lab"])
    with pytest.raises(
        WorldBug, match=r"Forgetful declares no world; write `world = World\(\"…\", version=\"1.0.0\"\)`"
    ):
        config.import_models()


def test_an_error_in_a_worlds_module_is_shown_and_not_taken_for_a_missing_module(tmp_path):
    make_app(tmp_path, "shop", apps=APPS.format(name="shop", world="shop"), tools="import no_such_module")
    assert "No module named 'no_such_module'" in set_up(tmp_path, "shop")


def test_the_public_face_has_what_it_lists():
    import worlds.engine

    assert worlds.engine.__all__ == sorted(worlds.engine.__all__)
    for name in worlds.engine.__all__:
        assert getattr(worlds.engine, name) is not None
    assert worlds.engine.World is World
