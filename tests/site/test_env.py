import os
import stat
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from seahaven_site import env


@pytest.fixture
def given(monkeypatch):
    """Set the variable, or leave it unset."""

    def give(value):
        if value is None:
            monkeypatch.delenv("SEAHAVEN_X", raising=False)
        else:
            monkeypatch.setenv("SEAHAVEN_X", value)

    return give


@pytest.mark.parametrize(
    ("read", "value", "answer"),
    [
        (lambda: env.text("SEAHAVEN_X", "d"), None, "d"),
        (lambda: env.text("SEAHAVEN_X", "d"), "", "d"),
        (lambda: env.text("SEAHAVEN_X", "d"), " v ", " v "),
        (lambda: env.integer("SEAHAVEN_X", 3), None, 3),
        (lambda: env.integer("SEAHAVEN_X", 3), "7", 7),
        (lambda: env.integer("SEAHAVEN_X", 3), "0", 0),
        (lambda: env.integer("SEAHAVEN_X", 3, minimum=1), "1", 1),
        (lambda: env.number("SEAHAVEN_X", 3), "0.5", 0.5),
        (lambda: env.number("SEAHAVEN_X", 3), "", 3.0),
        (lambda: env.flag("SEAHAVEN_X", True), None, True),
        (lambda: env.flag("SEAHAVEN_X", False), None, False),
        (lambda: env.flag("SEAHAVEN_X", False), " ON ", True),
        (lambda: env.flag("SEAHAVEN_X", True), "no", False),
        (lambda: env.words("SEAHAVEN_X", "a, b"), None, ["a", "b"]),
        (lambda: env.words("SEAHAVEN_X", "a"), " x ,, y,", ["x", "y"]),
        (lambda: env.words("SEAHAVEN_X", ""), None, []),
    ],
)
def test_a_variable_is_read_or_its_default_stands(given, read, value, answer):
    given(value)
    assert read() == answer


@pytest.mark.parametrize(
    ("read", "value", "expected"),
    [
        (lambda: env.integer("SEAHAVEN_X", 3), "many", "a whole number, 0 or more"),
        (lambda: env.integer("SEAHAVEN_X", 3), "1.5", "a whole number, 0 or more"),
        (lambda: env.integer("SEAHAVEN_X", 3), "-1", "a whole number, 0 or more"),
        (lambda: env.integer("SEAHAVEN_X", 3, minimum=1), "0", "a whole number, 1 or more"),
        (lambda: env.number("SEAHAVEN_X", 3), "nan", "a number, 0 or more"),
        (lambda: env.number("SEAHAVEN_X", 3), "inf", "a number, 0 or more"),
        (lambda: env.number("SEAHAVEN_X", 0, maximum=1), "1.5", "a number from 0 to 1"),
        (lambda: env.flag("SEAHAVEN_X", True), "maybe", "one of 1, true, yes, on, 0, false, no, off"),
    ],
)
def test_a_value_that_cannot_be_used_is_refused_by_name(given, read, value, expected):
    given(value)
    with pytest.raises(ImproperlyConfigured, match=f"SEAHAVEN_X is '{value}'; expected {expected}"):
        read()


def test_a_folder_is_absolute_and_need_not_exist(given, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given("here/../there")
    assert env.folder("SEAHAVEN_X", Path("/d")) == tmp_path / "there"
    given("~/x")
    assert env.folder("SEAHAVEN_X", Path("/d")) == Path("~/x").expanduser().resolve()
    given(None)
    assert env.folder("SEAHAVEN_X", tmp_path) == tmp_path


def test_a_file_is_no_folder(given, tmp_path):
    (tmp_path / "f").write_text("")
    given(str(tmp_path / "f"))
    with pytest.raises(ImproperlyConfigured, match="expected a directory"):
        env.folder("SEAHAVEN_X", tmp_path)


def test_a_secret_is_made_once_and_read_by_its_owner_only(given, tmp_path):
    given(None)
    made = env.secret("SEAHAVEN_X", tmp_path / "key")
    assert len(made) >= 50
    assert env.secret("SEAHAVEN_X", tmp_path / "key") == made
    assert stat.S_IMODE(os.stat(tmp_path / "key").st_mode) == 0o600
    assert [file.name for file in tmp_path.iterdir()] == ["key"]
    given("mine")
    assert env.secret("SEAHAVEN_X", tmp_path / "key") == "mine"
