"""Does what the pages show in Python work, and come to what they show?"""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

import seahaven
from tests.documentation.blocks import PAGES, Block, blocks
from tests.documentation.running import run
from tests.documentation.shown import NOT_RUN, PYTHON_ELSEWHERE, WALKED
from tests.openenv.servers import Server
from worlds.engine import Instance, installed
from worlds.engine.instance import live_instances

IN_PROCESS = [
    page
    for page in PAGES
    if page not in PYTHON_ELSEWHERE and page not in WALKED and blocks(page, "python", "pycon", "sql")
]


@pytest.fixture(scope="module")
def crm_server():
    with Server(worlds="worlds.crm") as running:
        yield running


@pytest.fixture
def unchanged_worlds():
    """What a page registers with a world that is installed is taken back."""
    kept = {
        world: {name: value.copy() for name, value in vars(world).items() if isinstance(value, dict | list)}
        for world in map(installed.get, installed.names())
    }
    yield
    for world, declared in kept.items():
        vars(world).update(declared)
        world.composed = None


@pytest.mark.parametrize("page", IN_PROCESS)
@pytest.mark.usefixtures("unchanged_worlds")
def test_the_python_of_a_page_comes_to_what_it_shows(page, request):
    shown = [
        block
        for block in blocks(page, "python", "pycon")
        if not block.title and (page, block.first_line) not in NOT_RUN
    ]
    instead = {}
    if any("127.0.0.1:8000" in block.text for block in shown):
        instead["http://127.0.0.1:8000"] = request.getfixturevalue("crm_server").url
    before = set(live_instances())
    names: dict[str, Any] = {"__name__": "__main__"}
    try:
        run(shown, names, instead)
        assert set(live_instances()) == before, f"{page} destroys what it makes"
    finally:
        for instance in names.values():
            if isinstance(instance, Instance):
                instance.destroy()


@pytest.mark.parametrize("block", [block for page in PAGES for block in blocks(page, "json")], ids=str)
def test_json_that_is_shown_is_json(block: Block):
    assert json.loads(block.text)


@pytest.mark.parametrize("block", [block for page in PAGES for block in blocks(page, "yaml")], ids=str)
def test_yaml_that_is_shown_is_yaml(block: Block):
    assert yaml.safe_load(block.text)


@pytest.mark.parametrize("block", [block for page in PAGES for block in blocks(page, "sql")], ids=str)
def test_sql_that_is_shown_can_be_asked(block: Block):
    with seahaven.world("crm").instance("small_startup", seed=1) as inst:
        assert inst.inspect().rows(block.text)
