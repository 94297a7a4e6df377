import pytest


def test_mail_from_outside_arrives_where_it_is_addressed(mail, inbox):
    answer = mail.call(
        "deliver_external",
        from_address="Ada <Ada@Example.com>",
        from_name="Ada Lovelace",
        to=["robin@firstday.app", "eve@example.com"],
        cc=["info@firstday.app"],
        bcc=["ines@firstday.app"],
        subject="Hello\n there",
        body="Good morning.",
    )
    assert [(each["mailbox"], each["folder"]) for each in answer["delivered"]] == [
        ("robin@firstday.app", "inbox"),
        ("hello@firstday.app", "inbox"),
        ("ines@firstday.app", "inbox"),
    ]
    (copy,) = inbox()
    assert copy["id"] == answer["delivered"][0]["message_id"]
    assert copy["header_id"] == answer["message_id_header"] == f"<{copy['id']}@example.com>"
    assert copy["from"] == {"name": "Ada Lovelace", "address": "ada@example.com"}
    assert (copy["to"], copy["cc"], copy["bcc"]) == (
        ["robin@firstday.app", "eve@example.com"],
        ["info@firstday.app"],
        [],
    )
    assert copy["subject"] == "Hello there"


def test_who_could_not_be_reached_is_named(mail):
    mail.call("close_mailbox", mailbox="theo@firstday.app")
    answer = mail.call(
        "deliver_external",
        from_address="ada@example.com",
        to=["nobody@firstday.app", "theo@firstday.app", "ines@firstday.app"],
        subject="x",
        body="x",
    )
    assert [(each["address"], each["reason"][:24]) for each in answer["rejected"]] == [
        ("nobody@firstday.app", "There is no mailbox with"),
        ("theo@firstday.app", "The mailbox of this addr"),
    ]
    assert len(answer["delivered"]) == 1


def test_when_nobody_could_be_reached_nothing_happens(refused):
    error = refused(
        "deliver_external", from_address="ada@example.com", to=["nobody@firstday.app"], subject="x", body="x"
    )
    assert (error.code, error.details["addresses"]) == ("not_found", ["nobody@firstday.app"])
    assert (
        refused("deliver_external", from_address="a@example.com", to=["b@c.com"], subject="", body="").code
        == "not_found"
    )
    assert refused("deliver_external", from_address="a@example.com", to=[], subject="", body="").code == "not_found"


def test_mail_from_here_does_not_come_from_outside(refused):
    error = refused(
        "deliver_external", from_address="boss@firstday.app", to=["robin@firstday.app"], subject="x", body="x"
    )
    assert (error.code, error.details) == ("invalid_input", {"field": "from_address"})


def test_the_same_message_arrives_once(mail, arrive, inbox):
    arrive(message_id_header="<one@example.com>")
    again = mail.call(
        "deliver_external",
        from_address="ada@example.com",
        to=["robin@firstday.app"],
        subject="Hello",
        body="Good morning.",
        message_id_header="<one@example.com>",
    )
    assert (again["delivered"], again["rejected"]) == ([], [])
    assert len(inbox()) == 1


def test_spam_lies_apart(mail, arrive, inbox):
    mail.call("create_filter", from_contains="ada", star=True)
    assert arrive(is_spam=True)["folder"] == "spam"
    assert inbox() == []
    (spam,) = inbox(query="in:spam")
    assert not spam["is_starred"]
    assert mail.call("list_threads", folder="spam")["threads"][0]["message_count"] == 1


@pytest.mark.parametrize("header", ["", "one@example.com", "<one two@example.com>", "<<a>>"])
def test_a_message_id_stands_in_angle_brackets(refused, header):
    error = refused(
        "deliver_external",
        from_address="a@example.com",
        to=["robin@firstday.app"],
        subject="x",
        body="x",
        message_id_header=header,
    )
    assert error.code == "invalid_arguments"
