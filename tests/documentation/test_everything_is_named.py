"""Does the documentation name everything there is, and does it lead nowhere that is not there?"""

from __future__ import annotations

import re
from importlib import import_module

import pytest
from django.core.management import get_commands

from tests.documentation.blocks import DOCS, PAGES, ROOT, path_of
from worlds.engine import installed
from worlds.engine.checking.findings import RULES
from worlds.engine.management import documentation

README = path_of("README.md").read_text()


def test_every_setting_is_documented():
    source = (ROOT / "seahaven_site" / "settings.py").read_text()
    named = set(re.findall(r'env\.\w+\(\s*"(SEAHAVEN_\w+)"', source))
    shown = set(re.findall(r"^\| `(SEAHAVEN_\w+)`", (DOCS / "settings.md").read_text(), re.MULTILINE))
    assert named == shown


def test_every_check_has_a_section():
    shown = set(re.findall(r"^## (worlds\.[EW]\d{3}): ", (DOCS / "checks.md").read_text(), re.MULTILINE))
    assert set(RULES) == shown


def test_every_fixture_the_readme_names_is_there():
    named = re.search(r"Frozen starting states \((.*?)\)", README)
    assert named
    assert set(re.findall(r"`(\w+)`", named[1])) <= set(installed.get("crm").fixture_ids())


def test_every_command_is_told_of():
    ours = {name for name in get_commands() if name.startswith("seahaven_")}
    text = "".join(path_of(page).read_text() for page in PAGES)
    assert {name for name in ours if f"manage.py {name}" not in text} == set()


def test_every_public_name_of_the_engine_is_in_the_reference():
    page = (DOCS / "api" / "engine.md").read_text()
    named = set(re.findall(r"^::: worlds\.engine\.(\w+)$", page, re.MULTILINE)) | set(re.findall(r"`(\w+)`", page))
    assert named >= set(import_module("worlds.engine").__all__)


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith("api/")])
def test_every_name_of_the_reference_is_explained(page):
    parts = re.split(r"^#{3,4} (.*)$", documentation.text(DOCS / page), flags=re.MULTILINE)
    prose = [re.sub(r"```.*?```", "", part, flags=re.DOTALL).split("\n## ")[0].strip() for part in parts[2::2]]
    assert [name for name, said in zip(parts[1::2], prose, strict=True) if not said] == []


@pytest.mark.parametrize("page", PAGES)
def test_every_link_to_a_file_leads_to_one(page):
    path = path_of(page)
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", path.read_text()):
        assert (path.parent / target).exists(), f"{page} links to {target}"


def test_every_page_begins_with_its_title_and_what_its_reader_can_do_after_it():
    told = [page for page in PAGES if page not in ("README.md", "index.md", "stripe-coverage.md")]
    for page in (page for page in told if not page.startswith("api/")):
        title, _, rest = path_of(page).read_text().partition("\n")
        assert title.startswith("# "), page
        assert "fter this page" in " ".join(rest.strip().partition("\n\n")[0].split()), page
