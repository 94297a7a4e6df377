import pytest


def test_arriving_mail_that_meets_all_conditions_gets_all_actions(mail, arrive, inbox):
    made = mail.call(
        "create_filter",
        from_contains="example.com",
        subject_contains="INVOICE",
        label="Money",
        archive=True,
        mark_read=True,
        star=True,
    )
    assert (made["label"], made["archive"], made["forward_to"]) == ("Money", True, None)
    assert arrive(subject="Your invoice")["folder"] == "archive"
    assert arrive(subject="Your order")["folder"] == "inbox"
    (found,) = inbox(query="label:money")
    assert (found["is_read"], found["is_starred"], found["labels"]) == (True, True, ["Money"])


@pytest.mark.parametrize(
    ("conditions", "meets"),
    [
        ({"from_contains": "ada"}, True),
        ({"from_contains": "Lovelace"}, True),
        ({"from_contains": "eve"}, False),
        ({"to_contains": "info@"}, True),
        ({"to_contains": "theo"}, False),
        ({"subject_contains": "summer off"}, True),
        ({"has_words": "terms cheap"}, True),
        ({"has_words": "term"}, False),
        ({"has_words": "cheap absent"}, False),
        ({"has_attachment": True}, True),
        ({"has_attachment": False}, False),
        ({"from_contains": "ada", "subject_contains": "winter"}, False),
    ],
)
def test_conditions_look_at_what_they_say(mail, arrive, conditions, meets):
    mail.call("create_filter", mailbox="hello@firstday.app", star=True, **conditions)
    got = arrive(
        to="info@firstday.app",
        from_name="Ada Lovelace",
        subject="Summer offer",
        body="Cheap, on good terms.",
        attachments=[{"name": "a.txt", "text": "a"}],
    )
    assert mail.call("get_message", message_id=got["message_id"])["is_starred"] is meets


def test_several_filters_add_up(mail, arrive):
    mail.call("create_filter", from_contains="ada", label="People")
    mail.call("create_filter", subject_contains="offer", label="Offers", star=True)
    got = mail.call("get_message", message_id=arrive(subject="Offer")["message_id"])
    assert (got["labels"], got["is_starred"], got["folder"]) == (["Offers", "People"], True, "inbox")


def test_a_filter_passes_mail_on_as_it_is(mail, arrive, inbox):
    mail.call("create_filter", from_contains="ada", forward_to="theo@firstday.app")
    got = arrive()
    assert mail.call("get_message", message_id=got["message_id"])["forwarded_to"] == ["theo@firstday.app"]
    (copy,) = inbox("theo@firstday.app")
    assert (copy["header_id"], copy["from"]["address"], copy["to"]) == (
        got["header_id"],
        "ada@example.com",
        ["robin@firstday.app"],
    )


def test_mail_is_passed_on_out_of_the_house_and_not_to_where_nobody_is(mail, arrive):
    mail.call("create_filter", from_contains="ada", forward_to="robin@private.example.com")
    mail.call("create_filter", from_contains="ada", forward_to="nobody@firstday.app")
    got = mail.call("get_message", message_id=arrive()["message_id"])
    assert got["forwarded_to"] == ["robin@private.example.com"]
    assert mail.inspect().one("SELECT count(*) AS n FROM messages") == {"n": 1}


def test_filters_that_forward_to_each_other_end(mail, arrive, inbox):
    people = ["robin@firstday.app", "theo@firstday.app", "ines@firstday.app"]
    for one, other in zip(people, [*people[1:], people[0]], strict=True):
        mail.call("create_filter", mailbox=one, from_contains="ada", forward_to=other)
    arrive()
    assert [len(inbox(address)) for address in people] == [1, 1, 1]


def test_a_deleted_filter_does_nothing_more(mail, arrive):
    made = mail.call("create_filter", from_contains="ada", archive=True)
    assert mail.call("list_filters")["filters"] == [made]
    assert mail.call("delete_filter", filter_id=made["id"]) == {**made, "is_deleted": True}
    assert mail.call("list_filters")["filters"] == []
    assert arrive()["folder"] == "inbox"


def test_a_filter_asks_for_something_and_does_something(mail, refused):
    assert refused("create_filter", archive=True).message.startswith("Give at least one of from_contains,")
    assert refused("create_filter", from_contains="  ", archive=True).code == "invalid_input"
    assert refused("create_filter", from_contains="ada").message.startswith("Give at least one of label,")
    assert refused("create_filter", from_contains="ada", label=" ").code == "invalid_input"
    assert refused("create_filter", from_contains="ada", forward_to="nobody").details["field"] == "forward_to"
    error = refused("create_filter", from_contains="ada", forward_to="robin@firstday.app")
    assert error.message == "robin@firstday.app is this mailbox itself. Forward to another address."


def test_the_same_filter_is_not_made_twice(mail, refused):
    given = {"from_contains": "ada", "label": "People", "archive": True}
    made = mail.call("create_filter", **given)
    assert refused("create_filter", **given).details == {"filter_id": made["id"]}
    assert mail.call("create_filter", **given, star=True)["id"] != made["id"]


def test_filters_of_another_mailbox_are_its_own(mail, arrive, refused):
    mail.call("create_filter", mailbox="theo@firstday.app", from_contains="ada", archive=True)
    assert mail.call("list_filters")["filters"] == []
    assert arrive()["folder"] == "inbox"
    assert arrive(to="theo@firstday.app")["folder"] == "archive"
    assert refused("delete_filter", filter_id="filter_x").details == {"resource": "filter", "ids": ["filter_x"]}
