"""Does `manage.py seahaven_docs` print what there is to read, from a checkout and from a wheel?"""

from __future__ import annotations

import subprocess
import sys
import zipfile
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.documentation.blocks import DOCS, PAGES, ROOT
from worlds.engine.management import documentation


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def docs(*arguments: str) -> str:
    out = StringIO()
    call_command("seahaven_docs", *arguments, stdout=out)
    return out.getvalue()


def test_a_page_is_printed_as_it_is_written():
    assert docs("concepts") == docs("docs/concepts.md") == (DOCS / "concepts.md").read_text()
    assert docs() == docs("index")


def test_a_page_is_made_readable_in_a_terminal(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    call_command("seahaven_docs", "agents", stdout=Terminal())
    shown = capsys.readouterr().out
    assert "Three must-reads" in shown
    assert "## Three must-reads" not in shown


def test_the_reference_is_filled_in_from_docstrings():
    page = docs("api/engine")
    assert ":::" not in page
    assert "instance(self, fixture: str | None = None, *, seed: int | None = None" in page
    assert "#### `World.recipe`" in page
    assert "#### `Clock.now`" in page
    assert "Clock.pin" not in page, "that is not for authors"
    assert "### `SeahavenClient`" in docs("api/openenv")


def test_the_pages_are_listed_and_found():
    listed = dict(line.split("\t") for line in docs("--list").splitlines())
    assert set(listed) == {page.removesuffix(".md") for page in PAGES if page != "README.md"}
    assert (next(iter(listed)), listed["clock"]) == ("index", "Clock and schedule")
    assert docs("--path") == f"{DOCS}\n"
    assert docs("clock", "--path") == f"{DOCS / 'clock.md'}\n"


def test_words_are_searched_for_in_every_page():
    found = docs("--search", "unschedule EVENT").splitlines()
    assert any(line.startswith("clock:") for line in found)
    assert any(line.startswith("api/engine:") for line in found)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["authring"],
            "there is no page 'authring'; did you mean 'authoring'? the pages are: index, agents, api/engine",
        ),
        (["--search", "zyzzyva quux"], "no line has 'zyzzyva' and 'quux'; try fewer words"),
        (["--search", ""], "no words to search for; write"),
    ],
)
def test_what_is_not_there_is_answered_with_what_is(arguments, said):
    with pytest.raises(CommandError) as refused:
        docs(*arguments)
    assert str(refused.value).startswith(said)


def test_a_wheel_carries_every_page_and_no_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    build = "from hatchling.build import build_wheel; import sys; print(build_wheel(sys.argv[1]))"
    done = subprocess.run(
        [sys.executable, "-c", build, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, timeout=120, check=True
    )
    with zipfile.ZipFile(tmp_path / done.stdout.split()[-1]) as wheel:
        carried = [name for name in wheel.namelist() if name.startswith("worlds/engine/docs/")]
        wheel.extractall(tmp_path, carried)
    pages = {name.removeprefix("worlds/engine/docs/") for name in carried}
    assert pages == {page for page in PAGES if page != "README.md"}
    monkeypatch.setattr(documentation, "_PLACES", (tmp_path / "nowhere", tmp_path / "worlds" / "engine" / "docs"))
    assert docs("concepts") == (DOCS / "concepts.md").read_text()
    monkeypatch.setattr(documentation, "_PLACES", (tmp_path / "nowhere",))
    with pytest.raises(CommandError, match="install the package again"):
        docs()
