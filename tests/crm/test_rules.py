from datetime import datetime, timedelta, timezone

import pytest

from worlds.crm import errors, rules


def test_addresses_are_compared_in_lower_case_without_blanks():
    assert rules.clean_email(" Ada.O'Neil+crm@Mail.Example.CO.uk ") == "ada.o'neil+crm@mail.example.co.uk"


def test_a_work_address_names_the_employer_and_a_personal_one_nobody():
    assert rules.work_domain("ada@engines.com") == "engines.com"
    assert rules.work_domain("ada@gmail.com") is None


def test_tags_are_squeezed_sorted_and_told_apart():
    assert rules.clean_tags(["B  b", "a", "b B"]) == ["a", "b b"]
    with pytest.raises(errors.EmptyText):
        rules.clean_tags([""])


def test_instants_are_kept_in_utc_and_milliseconds():
    noon = datetime(2026, 6, 1, 12, 0, 0, 1999, tzinfo=timezone(timedelta(hours=2)))
    assert rules.in_utc(noon, "due_at").isoformat() == "2026-06-01T10:00:00.001000+00:00"
    with pytest.raises(errors.WithoutTimeZone, match="due_at has no time zone"):
        rules.in_utc(noon.replace(tzinfo=None), "due_at")


def test_instants_beyond_the_calendar_are_refused():
    east = timezone(timedelta(hours=14))
    with pytest.raises(errors.OutOfRange, match="due_at is beyond the calendar"):
        rules.in_utc(datetime(1, 1, 1, tzinfo=east), "due_at")


def test_the_later_of_two_instants_may_be_the_only_one():
    noon = datetime(2026, 6, 1, 12)
    assert rules.later(None, noon) == rules.later(noon, None) == rules.later(noon, noon - timedelta(1)) == noon
    assert rules.later(None, None) is None
