import sys

import pytest

from worlds.engine import unloadable


@pytest.fixture
def kept(monkeypatch):
    monkeypatch.setattr(unloadable, "failures", {})
    return unloadable.failures


def test_what_loading_raises_is_raised_unless_worlds_are_checked(monkeypatch, kept):
    monkeypatch.setattr(sys, "argv", ["manage.py", "seahaven_serve"])
    with pytest.raises(ValueError, match="broken"), unloadable.noted("shop"):
        raise ValueError("broken")
    assert kept == {}


@pytest.mark.parametrize("command", ["check", "seahaven_check"])
def test_while_worlds_are_checked_the_first_failure_of_each_is_kept(monkeypatch, kept, command):
    monkeypatch.setattr(sys, "argv", ["manage.py", command])
    for message in ("first", "second"):
        with unloadable.noted("shop"):
            raise ValueError(message)
    assert str(kept["shop"]) == "first"


def test_an_app_is_taken_for_a_world_by_what_its_module_says():
    assert unloadable.is_world("worlds.crm")
    assert unloadable.is_world("tests.worlds.lab")
    assert not unloadable.is_world("django.contrib.auth")
    assert not unloadable.is_world("no.such.app")


def test_the_folder_of_an_app_is_found_by_its_name_or_its_configs():
    assert unloadable.folder_of("tests.worlds.lab") == unloadable.folder_of("tests.worlds.lab.apps.LabConfig")
    assert unloadable.folder_of("no.such.app") is None
