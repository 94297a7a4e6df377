import pytest

from tests.mail.conftest import scheduled

MONDAY = "2026-06-08T08:00:00Z"


@pytest.fixture
def thread(mail, arrive):
    """A conversation of Robin's with two received messages and one sent: its id."""
    got = arrive(subject="Offer")
    sent = mail.call("reply_to_message", message_id=got["message_id"], body="Thank you.")
    arrive(subject="Re: Offer", in_reply_to=sent["header_id"])
    return got["thread_id"]


def folders(mail, thread_id):
    return [message["folder"] for message in mail.call("get_thread", thread_id=thread_id)["messages"]]


def test_reading_does_not_mark_as_read(mail, thread):
    assert mail.call("get_thread", thread_id=thread)["unread_count"] == 2
    assert mail.call("get_thread", thread_id=thread)["unread_count"] == 2


def test_threads_and_messages_are_marked(mail, thread):
    assert mail.call("mark_messages", thread_ids=[thread], is_read=True) == {"changed_count": 2, "unchanged_count": 1}
    first = mail.call("get_thread", thread_id=thread)["messages"][0]["id"]
    mail.call("mark_messages", message_ids=[first], is_read=False, is_starred=True)
    (shown,) = mail.call("list_threads", is_unread=True, is_starred=True)["threads"]
    assert (shown["unread_count"], shown["is_starred"]) == (1, True)
    assert mail.call("list_threads", is_unread=False)["threads"] == []


def test_marking_what_is_marked_leaves_no_trace(mail, thread):
    mail.call("mark_messages", thread_ids=[thread], is_read=True)
    before = mail.change_log()
    assert mail.call("mark_messages", thread_ids=[thread], is_read=True, is_starred=False)["changed_count"] == 0
    assert mail.call("move_messages", thread_ids=[thread], to_folder="inbox")["changed_count"] == 0
    assert mail.change_log() == before


def test_an_archived_thread_is_out_of_the_inbox_until_somebody_answers(mail, thread, arrive):
    mail.call("move_messages", thread_ids=[thread], to_folder="archive")
    assert folders(mail, thread) == ["archive", "sent", "archive"]
    assert mail.call("list_threads")["threads"] == []
    assert [each["id"] for each in mail.call("list_threads", folder="archive")["threads"]] == [thread]
    arrive(subject="Re: Offer")
    (shown,) = mail.call("list_threads")["threads"]
    assert (shown["id"], shown["folders"]) == (thread, ["archive", "inbox", "sent"])


def test_a_thread_goes_to_the_trash_as_a_whole_and_comes_back(mail, thread):
    mail.call("move_messages", thread_ids=[thread], to_folder="trash")
    assert folders(mail, thread) == ["trash", "trash", "trash"]
    assert mail.call("list_threads", folder="all")["threads"] == []
    mail.call("move_messages", thread_ids=[thread], to_folder="archive")
    assert folders(mail, thread) == ["trash", "trash", "trash"]
    mail.call("move_messages", thread_ids=[thread], to_folder="inbox")
    assert folders(mail, thread) == ["inbox", "sent", "inbox"]


def test_one_message_goes_its_own_way(mail, thread):
    last = mail.call("get_thread", thread_id=thread)["messages"][2]
    mail.call("move_messages", message_ids=[last["header_id"]], to_folder="spam")
    assert folders(mail, thread) == ["inbox", "sent", "spam"]
    assert mail.call("list_threads")["threads"][0]["message_count"] == 2


def test_messages_are_named_one_way_and_are_there(mail, thread, refused, arrive):
    one = "Give exactly one of message_ids or thread_ids."
    assert refused("mark_messages", is_read=True).message == one
    assert refused("move_messages", to_folder="trash", message_ids=["x"], thread_ids=["y"]).message == one
    assert refused("mark_messages", thread_ids=[thread]).code == "invalid_input"
    error = refused("mark_messages", thread_ids=[thread, "thr_x", "thr_y"], is_read=True)
    assert error.details == {"resource": "thread", "ids": ["thr_x", "thr_y"]}
    theirs = arrive(to="theo@firstday.app")
    mine = mail.call("get_thread", thread_id=thread)["messages"][0]["id"]
    error = refused("mark_messages", message_ids=[mine, theirs["message_id"]], is_read=True)
    assert error.details["ids"] == [theirs["message_id"]]


def test_a_snoozed_thread_comes_back_when_its_time_has_come(mail, thread):
    mail.call("mark_messages", thread_ids=[thread], is_read=True)
    shown = mail.call("snooze_thread", thread_id=thread, until=MONDAY)
    assert (shown["snoozed_until"], shown["folders"]) == ("2026-06-08T08:00:00.000Z", ["sent", "snoozed"])
    assert mail.call("list_threads")["threads"] == []
    assert [each["id"] for each in mail.call("list_threads", folder="snoozed")["threads"]] == [thread]
    mail.advance(to="2026-06-08T07:59:00Z")
    assert mail.call("list_threads")["threads"] == []
    assert mail.advance(to="2026-06-08T09:00:00Z") == 1
    (back,) = mail.call("list_threads")["threads"]
    assert (back["snoozed_until"], back["unread_count"]) == (None, 1)
    assert folders(mail, thread) == ["inbox", "sent", "inbox"]


def test_a_new_message_ends_a_snooze(mail, thread, arrive):
    mail.call("snooze_thread", thread_id=thread, until=MONDAY)
    arrive(subject="Re: Offer")
    assert folders(mail, thread) == ["inbox", "sent", "inbox", "inbox"]
    assert scheduled(mail) == []
    assert mail.call("get_thread", thread_id=thread)["snoozed_until"] is None


@pytest.mark.parametrize("folder", ["inbox", "archive", "trash"])
def test_moving_a_snoozed_thread_ends_its_snooze(mail, thread, folder):
    mail.call("snooze_thread", thread_id=thread, until=MONDAY)
    mail.call("move_messages", thread_ids=[thread], to_folder=folder)
    assert mail.call("get_thread", thread_id=thread)["snoozed_until"] is None
    assert scheduled(mail) == []
    mail.advance(days=9)
    assert folders(mail, thread)[0] == folder


def test_a_snooze_can_be_moved_and_setting_it_again_leaves_no_trace(mail, thread):
    mail.call("snooze_thread", thread_id=thread, until=MONDAY)
    mail.call("snooze_thread", thread_id=thread, until="2026-06-09T08:00:00Z")
    assert scheduled(mail) == [("wake_thread", "2026-06-09T08:00:00.000Z")]
    before = mail.change_log()
    mail.call("snooze_thread", thread_id=thread, until="2026-06-09T08:00:00Z")
    assert mail.change_log() == before


def test_what_is_not_in_the_inbox_or_not_to_come_is_not_snoozed(mail, thread, refused):
    assert refused("snooze_thread", thread_id=thread, until="2026-06-01T08:00:00Z").details["field"] == "until"
    assert refused("snooze_thread", thread_id="thr_x", until=MONDAY).code == "not_found"
    mail.call("move_messages", thread_ids=[thread], to_folder="archive")
    assert refused("snooze_thread", thread_id=thread, until=MONDAY).code == "conflict"
