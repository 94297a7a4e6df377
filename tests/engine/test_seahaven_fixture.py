import io

import pytest
from django.core.management import CommandError, call_command

from tests.engine import shelf
from tests.engine.shelf import edit_sidecar, lab
from worlds.engine import fixtures, installed

moved = installed.get("moved")


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.SEAHAVEN_FIXTURES_DIR = tmp_path / "fixtures"
    settings.SEAHAVEN_VAR_DIR = tmp_path / "var"
    return tmp_path / "fixtures"


def run(*arguments):
    out = io.StringIO()
    call_command("seahaven_fixture", *arguments, stdout=out)
    return out.getvalue()


def test_list_prints_a_line_for_each_fixture():
    run("build", "moved")
    shelf.freeze()
    lines = [line.split("\t") for line in run("list").splitlines()]
    assert ["moved", "a_visitor", "-", "2026-06-01T09:00:01.000Z", "4"] in [line[:5] for line in lines]
    (small,) = run("list", "lab").splitlines()
    assert small == "lab\tsmall\t-\t2026-06-01T09:00:07.000Z\t8\tA box with things in it."
    assert run("list", "moved", "two_visitors").split("\t")[:3] == ["moved", "two_visitors", "a_visitor"]
    assert "One person has been here. She is no member of any club." in run("list", "moved")


def test_build_makes_what_is_missing(folder):
    assert run("build", "moved", "a_visitor") == "1 fixtures are ready: a_visitor\n"
    assert run("build", "moved") == "2 fixtures are ready: a_visitor, two_visitors\n"
    before = (folder / "moved" / "a_visitor" / "main.jsonl").read_bytes()
    assert run("build", "moved", "a_visitor", "--anew") == "1 fixtures are ready: a_visitor\n"
    assert (folder / "moved" / "a_visitor" / "main.jsonl").read_bytes() == before


def test_freeze_and_fork_make_new_ones(folder):
    start = ("--run", "tests.engine.test_curating:add_boxes", "--description", "A box.")
    said = run("freeze", "lab", "one", *start, "--now", "2026-06-01T09:00:00.000Z", "--seed", "3")
    assert said == f"{folder}/lab/one: 1 rows\n"
    assert run("fork", "lab", "one", "two", *start) == f"{folder}/lab/two: 2 rows\n"
    assert fixtures.get("lab", "two").parent == "one"
    assert fixtures.get("lab", "two").description == "A box."
    with pytest.raises(CommandError, match="has a fixture 'two' already"):
        run("fork", "lab", "one", "two", *start)
    with pytest.raises(CommandError, match="needs --now"):
        run("freeze", "lab", "three", *start)
    with pytest.raises(CommandError, match="has no fixture 'nope'"):
        run("fork", "lab", "nope", "three", *start)


def test_verify_names_every_problem():
    run("build", "moved")
    shelf.freeze()
    assert run("verify", "--rebuild") == "every fixture loads and comes out as the same text\n"
    edit_sidecar(fixtures.get("lab", "small"), now="soon")
    edit_sidecar(fixtures.get("moved", "a_visitor"), description="Other.")
    assert run("verify", "moved") == "every fixture loads and comes out as the same text\n"
    with pytest.raises(CommandError) as refused:
        run("verify", "--rebuild")
    first, second = str(refused.value).splitlines()
    assert "now is 'soon'" in first
    assert "its recipe gives" in second
    with pytest.raises(CommandError, match="has no fixture 'zzz'"):
        run("verify", "moved", "zzz")


def test_migrate_writes_fixtures_of_an_older_schema_anew(folder):
    run("build", "moved")
    assert run("migrate") == "0 fixtures were migrated\n"
    edit_sidecar(fixtures.get("moved", "a_visitor"), main__migrations={"moved": "0003_clubs"})
    with pytest.raises(CommandError, match="of an older schema; run `manage.py seahaven_fixture migrate moved a_vis"):
        run("verify", "moved", "a_visitor")
    assert run("migrate") == "1 fixtures were migrated: moved/a_visitor\n"
    assert run("verify", "moved") == "every fixture loads and comes out as the same text\n"
    with pytest.raises(CommandError, match="has no fixture 'zzz'"):
        run("migrate", "moved", "zzz")


def test_a_world_that_is_not_installed_is_one_line():
    with pytest.raises(CommandError, match="world 'labb' is not installed; did you mean 'lab'"):
        run("list", "labb")


def test_a_recipe_that_fails_shows_what_went_wrong():
    with pytest.raises(AssertionError):
        run(
            "freeze",
            "lab",
            "one",
            "--run",
            "tests.engine.test_curating:explode",
            "--description",
            "x",
            "--now",
            "2026-06-01T09:00:00Z",
        )
    assert lab.fixture_ids() == []
