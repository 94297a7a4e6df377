"""Does every fixture stand in the tree once, whatever its files say of its parent?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from console.lineage import Entry, Look, checksum, entries, first_sentence, line_of, table_of, tree
from tests.engine import shelf
from tests.engine.shelf import edit_sidecar, lab
from worlds.engine import images


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Shelves of its own, and no image built yet."""
    settings.SEAHAVEN_FIXTURES_DIR = tmp_path / "fixtures"
    settings.SEAHAVEN_VAR_DIR = tmp_path / "var"
    monkeypatch.setattr(images, "_built", {})
    monkeypatch.setattr(images, "_starting", {})
    return tmp_path


def ids(found: list[Entry]) -> list[Any]:
    return [(each.id, ids(each.children)) if each.children else each.id for each in found]


def test_forks_stand_below_their_parents() -> None:
    shelf.freeze("old")
    for name in ("b", "a"):
        with lab.instance("old") as inst:
            inst.freeze(name, "A fork.")
    with lab.instance("a") as inst:
        inst.freeze("c", "A fork of a fork.")
    found = entries(lab)
    assert ids(tree(found)) == [("old", [("a", ["c"]), "b"])]
    assert [each.id for each in line_of(found, found["c"])] == ["c", "a", "old"]


def test_parents_that_are_gone_or_name_each_other_hide_nothing() -> None:
    for name, parent in (("one", "two"), ("two", "one"), ("three", "lost"), ("self", "self")):
        edit_sidecar(shelf.freeze(name), parent=parent)
    found = entries(lab)
    roots = tree(found)
    assert {each.id for each in roots} == {"one", "two", "three", "self"}
    assert found["three"].lost_parent == "lost"
    assert [each.id for each in line_of(found, found["one"])] == ["one", "two"]


def test_what_was_read_is_read_again_when_a_file_changes() -> None:
    fixture = shelf.freeze("small")
    assert entries(lab)["small"].can_be_opened
    rows = fixture.folder / "main.jsonl"
    whole = rows.read_bytes()
    rows.write_bytes(whole + b"\n")
    damaged = entries(lab)["small"]
    assert not damaged.can_be_opened
    assert "restore the file from" in damaged.problem
    rows.write_bytes(whole)
    assert entries(lab)["small"].can_be_opened
    rows.unlink()
    assert "lacks this file" in entries(lab)["small"].problem
    edit_sidecar(fixture, now="yesterday")
    assert "write it as" in entries(lab)["small"].problem


def test_an_older_schema_and_an_image_that_is_missing_are_known() -> None:
    fixture = shelf.freeze("small")
    assert (entries(lab)["small"].look.is_current, entries(lab)["small"].is_built) == (True, False)
    lab.prepare_fixture("small")
    assert entries(lab)["small"].is_built
    edit_sidecar(fixture, main__migrations={**fixture.sidecar.nodes["main"].migrations, "lab": "0000_before"})
    assert not entries(lab)["small"].look.is_current


def test_a_checksum_is_that_of_the_rows() -> None:
    fixture = shelf.freeze("small")
    assert checksum(fixture) == fixture.sidecar.nodes["main"].sha256


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("A shop.\n\nMore of it.", "A shop."),
        ("Opened at 9 a.m. in\nMay. It is new.", "Opened at 9 a.m. in May."),
        ("No full stop", "No full stop"),
        ("", ""),
    ],
)
def test_the_first_sentence_stands_for_a_description(text: str, sentence: str) -> None:
    assert first_sentence(text) == sentence


def test_tables_are_known_by_their_models() -> None:
    assert table_of("lab.box") == "boxes"
    assert table_of("lab.gone") is None
    assert table_of("nowhere") is None
    assert Entry("x", Look(None, "", True, 0)).counts == []
