"""Does what the pages show in Python work, and come to what they show?"""

from __future__ import annotations

import json
import subprocess
import tomllib
from collections.abc import Callable
from typing import Any

import pytest
import yaml

import seahaven
from tests.documentation.blocks import PAGES, ROOT, Block, blocks
from tests.documentation.running import run
from tests.documentation.shown import ELSEWHERE, NOT_RUN, WALKED
from tests.openenv.servers import Server
from worlds.engine import Instance, installed
from worlds.engine.instance import live_instances


def _here(page: str) -> list[Block]:
    """The blocks of a page that are run in this process."""
    return [
        block
        for block in blocks(page, "python", "pycon")
        if not block.title and (page, "python") not in ELSEWHERE and (page, block.first_line) not in NOT_RUN
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


@pytest.mark.parametrize("page", [page for page in PAGES if _here(page)])
@pytest.mark.usefixtures("unchanged_worlds")
def test_the_python_of_a_page_comes_to_what_it_shows(page, request):
    shown = _here(page)
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


READERS: dict[str, Callable[[str], Any]] = {"json": json.loads, "toml": tomllib.loads, "yaml": yaml.safe_load}


def test_what_is_shown_in_a_format_is_of_that_format():
    for block in (block for page in PAGES for block in blocks(page, *READERS)):
        try:
            assert READERS[block.language](block.text)
        except ValueError as error:
            raise AssertionError(f"{block}: {error}") from error


def test_sql_that_is_shown_can_be_asked():
    with seahaven.world("crm").instance("small_startup", seed=1) as inst:
        for block in (block for page in PAGES for block in blocks(page, "sql")):
            assert inst.inspect().rows(block.text), block


STRIPE = [block for block in blocks("stripe.md", "sh") if (block.page, block.first_line) not in NOT_RUN]


def test_the_commands_of_the_page_on_stripe_work():
    with Server(worlds="worlds.stripe") as server:
        for block in STRIPE:
            opened = f"curl -X PUT {server.url}/stripe/shop -H 'Content-Type: application/json' -d '{{}}'\n"
            commands = opened + block.text.replace("http://127.0.0.1:8000", server.url)
            commands = commands.replace("curl ", "curl --fail -sS ")
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", commands], capture_output=True, text=True, timeout=60, check=False
            )
            assert done.returncode == 0, f"{block}: {done.stdout}{done.stderr}"


def test_every_block_is_run_by_a_test_or_says_why_not():
    for block in (block for page in PAGES for block in blocks(page)):
        page, language = block.page, block.language
        claimed = [
            (page, language) in ELSEWHERE,
            (page, block.first_line) in NOT_RUN,
            page in WALKED and (bool(block.title) or language == "console"),
            not block.title and language in ("python", "pycon") and block in _here(page),
            block in STRIPE,
            language in READERS or language == "sql",
            language in ("", "text"),
        ]
        assert any(claimed), f"{block} is run by no test: {block.first_line}"


def test_what_is_said_of_blocks_is_still_so():
    shown = {(block.page, block.first_line) for page in PAGES for block in blocks(page)}
    assert set(NOT_RUN) <= shown
    for (page, language), test in ELSEWHERE.items():
        assert blocks(page, language), f"{page} has no {language}"
        assert page in (ROOT / test).read_text(), f"{test} does not name {page}"
