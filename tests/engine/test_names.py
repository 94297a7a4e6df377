"""Which names are refused, and does the refusal say which clause was broken?"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worlds.engine.errors import WorldBug
from worlds.engine.names import check_format, check_name, nearest


@pytest.mark.parametrize("name", ["crm", "My World-1.0", "a" * 128, "big_co", "0", "con1", "console", "a.b.c", "LPT10"])
def test_a_good_name_is_answered_as_it_is(name):
    assert check_name(name, "a world name") == name


@pytest.mark.parametrize(
    ("name", "clause"),
    [
        ("", "it must have 1 to 128 characters"),
        ("a" * 129, "it must have 1 to 128 characters"),
        ("a/b", "only ASCII letters"),
        ("..\\up", "only ASCII letters"),
        ("é", "only ASCII letters"),
        ("a\n", "only ASCII letters"),
        ("a\0b", "only ASCII letters"),
        ("٣", "only ASCII letters"),
        (" x", "must not begin or end with a space or a dot"),
        ("x ", "must not begin or end with a space or a dot"),
        (".", "must not begin or end with a space or a dot"),
        ("..", "must not begin or end with a space or a dot"),
        (".hidden", "must not begin or end with a space or a dot"),
        ("con", "Windows keeps that name for a device"),
        ("CON.txt", "Windows keeps that name for a device"),
        ("Com1", "Windows keeps that name for a device"),
        ("nul.a.b", "Windows keeps that name for a device"),
        (None, "it must be text"),
        (7, "it must be text"),
        (b"crm", "it must be text"),
    ],
    ids=repr,
)
def test_a_bad_name_is_refused_with_the_broken_clause(name, clause):
    with pytest.raises(WorldBug, match="is not a fixture id") as caught:
        check_name(name, "a fixture id")
    assert clause in str(caught.value)
    assert len(str(caught.value)) < 300


@given(st.text(max_size=140))
def test_a_name_that_passes_is_one_plain_part_of_a_path(name):
    import pathlib

    try:
        check_name(name, "a name")
    except WorldBug:
        return
    for kind in (pathlib.PurePosixPath, pathlib.PureWindowsPath):
        assert kind("root", name).parts == ("root", name)
    assert name.isascii()


@pytest.mark.parametrize("name", ["family/1", "my.grader+calls/12", "seahaven.state/1"])
def test_a_format_is_a_family_and_a_version(name):
    assert check_format(name) == name


@pytest.mark.parametrize(
    "name",
    ["family", "family/0", "family/01", "family/-1", "family/x", "/1", "a b/1", "a/1\n", "a/1/2", "", None, 5, "é/1"],
    ids=repr,
)
def test_a_format_that_is_none_is_refused(name):
    with pytest.raises(WorldBug, match="is no state format's name; write family/1, with a whole number from 1"):
        check_format(name)


def test_the_nearest_name_is_suggested_when_one_is_near():
    known = {"create_lead": 1, "list_leads": 2}
    assert nearest("creat_lead", known) == "create_lead"
    assert nearest("list_lead", known) == "list_leads"
    assert nearest("quite something else", known) is None
    assert nearest("x", []) is None
