import re
import uuid
from pathlib import Path

import pytest
from django.apps import apps
from django.core.checks import run_checks

from tests.engine import shelf, test_checks_table
from tests.engine.shelf import edit_sidecar
from worlds.engine import checks, fixtures, installed
from worlds.engine.checking.findings import RULES


def test_worlds_that_are_in_order_give_no_finding():
    # The committed fixtures among them.
    assert [str(each) for each in run_checks(tags=[checks.TAG])] == []


@pytest.fixture
def small(settings, tmp_path):
    settings.SEAHAVEN_FIXTURES_DIR = tmp_path / "fixtures"
    settings.SEAHAVEN_VAR_DIR = tmp_path / "var"
    return shelf.freeze()


def findings():
    return [(found.id, found.msg, found.hint) for found in checks.check_worlds(None)]


def test_a_sound_fixture_gives_no_finding(small):
    assert findings() == []


def test_a_damaged_sidecar_is_found_and_the_other_fixtures_are_still_looked_at(small):
    edit_sidecar(small, now="soon")
    other = shelf.freeze("other")
    other.file("main").write_text("changed")
    (first, second) = findings()
    assert first[0] == "worlds.E402"
    assert f"{other.file('main')}: its SHA-256 is" in first[1]
    assert second == (
        "worlds.E401",
        f"{small.folder}/fixture.yaml: now is 'soon'; write it as 2026-06-01T09:00:00.000Z",
        "restore fixture.yaml, or freeze the fixture again",
    )


def test_rows_of_an_older_schema_are_a_warning_with_the_command(settings, tmp_path):
    settings.SEAHAVEN_FIXTURES_DIR = tmp_path / "fixtures"
    settings.SEAHAVEN_VAR_DIR = tmp_path / "var"
    installed.get("moved").build_fixture("a_visitor")
    edit_sidecar(fixtures.get("moved", "a_visitor"), main__migrations={"moved": "0002_one_name"})
    ((check_id, message, hint),) = findings()
    assert check_id == "worlds.W403"
    assert "its rows are of moved.0002_one_name; each image of it is migrated anew" in message
    assert hint == "run `manage.py seahaven_fixture migrate moved a_visitor`"


def test_only_the_apps_asked_about_are_checked(small):
    edit_sidecar(small, now="soon")
    assert checks.check_worlds([apps.get_app_config("bank")]) == []
    assert len(checks.check_worlds([apps.get_app_config("lab")])) == 1


def test_every_rule_is_documented_with_a_bad_and_a_good_example():
    text = (Path(__file__).resolve().parents[2] / "docs" / "checks.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^## (worlds\.[EW]\d{3})[^\n]*\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE))
    assert sections.keys() == RULES.keys()
    for check_id, section in sections.items():
        assert "Bad" in section, check_id
        assert "Good" in section, check_id


def test_every_rule_has_a_way_to_break_it_or_a_test_of_its_own():
    tried = {each.id for each in test_checks_table.BREAKS}
    assert RULES.keys() - tried == {"worlds.W106"}  # of a whole app of somebody else, below


def test_a_default_of_another_apps_model_that_no_seed_replays_is_a_warning(monkeypatch):
    lab = installed.get("lab")
    monkeypatch.setattr(lab, "app_labels", (*lab.app_labels, "bank"))
    monkeypatch.setattr(apps.get_model("bank", "Account")._meta.get_field("id"), "default", uuid.uuid4)
    ((check_id, message, hint),) = [each for each in findings() if each[0] == "worlds.W106"]
    assert message == "bank.Account.id defaults to uuid.uuid4, which no seed replays"
    assert hint == "pass id=ctx.ids.uuid() wherever a row of it is made"
