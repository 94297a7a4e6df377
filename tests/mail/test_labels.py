import pytest


@pytest.fixture
def thread(mail, arrive):
    got = arrive()
    mail.call("reply_to_message", message_id=got["message_id"], body="Thank you.")
    return got["thread_id"]


def test_labels_are_made_when_they_are_first_used(mail, thread):
    answer = mail.call("label_messages", thread_ids=[thread], add=["  Key   accounts", "Ada"])
    assert answer == {"added": ["Key accounts", "Ada"], "removed": [], "changed_count": 2, "unchanged_count": 0}
    (shown,) = mail.call("list_threads", label="key ACCOUNTS")["threads"]
    assert shown["labels"] == ["Ada", "Key accounts"]
    labels = mail.call("list_labels")["labels"]
    assert {(label["name"], label["message_count"], label["unread_count"]) for label in labels} == {
        ("Key accounts", 2, 1),
        ("Ada", 2, 1),
    }


def test_a_label_is_the_same_in_any_case(mail, thread):
    mail.call("label_messages", thread_ids=[thread], add=["Ada"])
    before = mail.change_log()
    assert mail.call("label_messages", thread_ids=[thread], add=["ADA", "ada"])["changed_count"] == 0
    assert mail.change_log() == before
    assert len(mail.call("list_labels")["labels"]) == 1


def test_labels_are_taken_off(mail, thread, refused):
    mail.call("label_messages", thread_ids=[thread], add=["Ada", "Old"])
    first = mail.call("get_thread", thread_id=thread)["messages"][0]["id"]
    mail.call("label_messages", message_ids=[first], remove=["old"], add=["New"])
    assert [message["labels"] for message in mail.call("get_thread", thread_id=thread)["messages"]] == [
        ["Ada", "New"],
        ["Ada", "Old"],
    ]
    assert mail.call("label_messages", message_ids=[first], remove=["Old"])["changed_count"] == 0
    assert refused("label_messages", message_ids=[first], remove=["Gone"]).details == {
        "resource": "label",
        "name": "Gone",
    }


def test_each_mailbox_has_labels_of_its_own(mail, thread, arrive, refused):
    mail.call("label_messages", thread_ids=[thread], add=["Ada"])
    theirs = arrive(to="theo@firstday.app")
    assert mail.call("list_labels", mailbox="theo@firstday.app")["labels"] == []
    assert refused("label_messages", thread_ids=[theirs["thread_id"]], remove=["Ada"]).code == "not_found"
    assert refused("list_threads", label="Ada", mailbox="theo@firstday.app").code == "not_found"


def test_labels_say_something(mail, thread, refused):
    assert refused("label_messages", thread_ids=[thread]).message == "Give at least one of add or remove."
    assert refused("label_messages", thread_ids=[thread], add=["Ada", " "]).details == {"field": "add"}
    mail.call("label_messages", thread_ids=[thread], add=["Ada"])
    assert refused("label_messages", thread_ids=[thread], add=["Ada"], remove=["ada"]).code == "invalid_input"
