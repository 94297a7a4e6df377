from datetime import datetime, timedelta, timezone

import pytest

from worlds.helpdesk import errors, rules


def test_addresses_are_compared_in_lower_case_without_blanks():
    assert rules.clean_email(" Ada.O'Neil+desk@Mail.Example.CO.uk ") == "ada.o'neil+desk@mail.example.co.uk"


def test_tags_are_squeezed_sorted_and_told_apart():
    assert rules.clean_tags(["B  b", "a", "b B"]) == ["a", "b b"]
    with pytest.raises(errors.EmptyText):
        rules.clean_tags([""])


def test_instants_are_kept_in_utc_and_milliseconds():
    noon = datetime(2026, 6, 1, 12, 0, 0, 1999, tzinfo=timezone(timedelta(hours=2)))
    assert rules.in_utc(noon, "since").isoformat() == "2026-06-01T10:00:00.001000+00:00"
    with pytest.raises(errors.WithoutTimeZone, match="since has no time zone"):
        rules.in_utc(noon.replace(tzinfo=None), "since")
    with pytest.raises(errors.OutOfRange, match="since is beyond the calendar"):
        rules.in_utc(datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14))), "since")


def test_placeholders_are_filled_and_braces_left_alone():
    values = dict.fromkeys(rules.PLACEHOLDERS, "x")
    assert rules.filled("{{customer.name}} {{ agent.name }} {y} }}", values) == "x x {y} }}"
    rules.check_placeholders("{{customer.name}} { {{ticket.number}} }")
    with pytest.raises(errors.UnknownPlaceholder, match="{{customer}} is no placeholder"):
        rules.check_placeholders("{{ customer }}")


def test_people_are_addressed_by_their_first_name_if_they_have_one():
    assert rules.first_name("Ada King Lovelace", "there") == "Ada"
    assert rules.first_name("  ", "there") == "there"


def test_the_earlier_of_two_instants_may_be_the_only_one():
    noon = datetime(2026, 6, 1, 12)
    assert rules.earlier(None, noon) == rules.earlier(noon, None) == rules.earlier(noon, noon + timedelta(1)) == noon
    assert rules.earlier(None, None) is None


def test_a_resolution_is_not_due_before_the_first_reply():
    rules.check_targets(60, 60)
    with pytest.raises(errors.TargetsOutOfOrder):
        rules.check_targets(61, 60)
