import pytest


def send(mail, to, subject="Lunch", body="At noon?", **more):
    return mail.call("send_message", to=to if isinstance(to, list) else [to], subject=subject, body=body, **more)


def test_mail_to_a_colleague_arrives(mail, inbox):
    sent = send(mail, "theo@firstday.app", cc=["Ines <INES@firstday.app>"])
    assert (sent["folder"], sent["direction"], sent["is_read"]) == ("sent", "sent", True)
    assert sent["cc"] == ["ines@firstday.app"]
    for address in ("theo@firstday.app", "ines@firstday.app"):
        (copy,) = inbox(address)
        assert copy["id"] != sent["id"]
        assert copy["header_id"] == sent["header_id"] == f"<{sent['id']}@firstday.app>"
        assert (copy["folder"], copy["direction"], copy["is_read"]) == ("inbox", "received", False)
        assert copy["from"] == {"name": "Robin Achterberg", "address": "robin@firstday.app"}
        assert (
            copy["received_at"]
            == copy["sent_at"]
            == mail.inspect().one("SELECT max(sent_at) AS at FROM messages")["at"]
        )


def test_mail_to_somebody_elsewhere_is_simply_sent(mail, inbox):
    send(mail, "ada@example.com")
    assert inbox() == []
    assert {record["table"] for record in mail.change_log() if record["i"] == mail.call_count - 2} == {
        "messages",
        "threads",
    }
    assert mail.inspect().one("SELECT count(*) AS n FROM messages") == {"n": 1}


def test_an_address_nobody_has_bounces_and_the_others_get_it(mail, inbox):
    sent = send(mail, ["nobody@firstday.app", "theo@firstday.app", "x@example.com"])
    assert len(inbox("theo@firstday.app")) == 1
    (notice,) = inbox()
    assert notice["from"] == {"name": "Mail Delivery System", "address": "mailer-daemon@firstday.app"}
    assert notice["subject"] == "Undelivered: Lunch"
    assert "nobody@firstday.app: There is no mailbox with this address." in notice["body"]
    assert "theo@" not in notice["body"]
    assert notice["thread_id"] == sent["thread_id"]
    assert (notice["auto_submitted"], notice["in_reply_to"]) == ("auto-replied", sent["header_id"])
    assert notice["received_at"] > sent["received_at"]


def test_mail_to_a_closed_mailbox_bounces(mail, inbox):
    mail.call("close_mailbox", mailbox="theo@firstday.app")
    send(mail, "theo@firstday.app")
    (notice,) = inbox()
    assert "theo@firstday.app: The mailbox of this address has been closed." in notice["body"]
    assert inbox("theo@firstday.app") == []


def test_an_alias_is_as_good_as_the_address_and_two_of_one_mailbox_give_one_copy(mail, inbox):
    send(mail, ["info@firstday.app", "hello@firstday.app"])
    (copy,) = inbox("hello@firstday.app")
    assert copy["to"] == ["info@firstday.app", "hello@firstday.app"]
    assert [message["id"] for message in inbox("info@firstday.app")] == [copy["id"]]


def test_a_colleague_may_take_over_the_address_of_a_closed_mailbox(mail, inbox):
    mail.call("close_mailbox", mailbox="theo@firstday.app")
    mail.call("update_mailbox", mailbox="ines@firstday.app", aliases=["theo@firstday.app"])
    send(mail, "theo@firstday.app")
    assert inbox() == []
    assert len(inbox("ines@firstday.app")) == 1


def test_a_blind_copy_arrives_and_nobody_else_sees_it(mail, inbox):
    sent = send(mail, "theo@firstday.app", bcc=["ines@firstday.app"])
    assert sent["bcc"] == ["ines@firstday.app"]
    for address in ("theo@firstday.app", "ines@firstday.app"):
        (copy,) = inbox(address)
        assert copy["bcc"] == []
        assert copy["to"] == ["theo@firstday.app"]


def test_mail_to_oneself_is_sent_and_received(mail, inbox):
    sent = send(mail, "robin@firstday.app")
    (copy,) = inbox()
    assert copy["id"] != sent["id"]
    assert copy["thread_id"] == sent["thread_id"]
    assert copy["received_at"] > sent["received_at"]
    assert mail.call("get_message", message_id=sent["header_id"])["id"] == copy["id"]


def test_a_conversation_stays_together_on_both_sides(mail, inbox):
    sent = send(mail, "theo@firstday.app")
    (question,) = inbox("theo@firstday.app")
    answer = mail.call("reply_to_message", message_id=question["id"], body="Gladly.")
    assert (answer["subject"], answer["to"]) == ("Re: Lunch", ["robin@firstday.app"])
    assert answer["in_reply_to"] == sent["header_id"]
    assert answer["thread_id"] == question["thread_id"]
    (received,) = inbox()
    assert received["thread_id"] == sent["thread_id"]
    thread = mail.call("get_thread", thread_id=sent["thread_id"])
    assert [message["body"] for message in thread["messages"]] == ["At noon?", "Gladly."]
    assert (thread["message_count"], thread["unread_count"]) == (2, 1)
    assert [person["name"] for person in thread["participants"]] == ["Robin Achterberg", "Theo Marsh"]


def test_the_same_subject_alone_makes_no_conversation(mail):
    first, second = send(mail, "theo@firstday.app"), send(mail, "theo@firstday.app")
    assert first["thread_id"] != second["thread_id"]


def test_an_answer_from_outside_is_known_by_what_it_refers_to(mail, arrive):
    sent = send(mail, "ada@example.com", subject="Offer")
    answered = arrive(subject="Re: Offer", in_reply_to=sent["header_id"])
    assert answered["thread_id"] == sent["thread_id"]
    later = arrive(
        subject="RE: offer", in_reply_to="<lost@example.com>", references=[sent["header_id"], "<lost@example.com>"]
    )
    assert later["thread_id"] == sent["thread_id"]


def test_an_answer_without_references_joins_the_latest_about_the_same_with_its_sender(mail, arrive):
    sent = send(mail, "ada@example.com", subject="Offer")
    assert arrive(subject="AW: Re: Offer")["thread_id"] == sent["thread_id"]
    assert arrive(subject="Re: Offer", from_address="eve@example.com")["thread_id"] != sent["thread_id"]
    assert arrive(subject="Offer")["thread_id"] != sent["thread_id"]
    mail.advance(days=70)
    assert (
        arrive(subject="Re: Offer", from_address="ada@example.com", to="theo@firstday.app")["thread_id"]
        != sent["thread_id"]
    )


def test_a_new_subject_begins_a_new_conversation(mail, arrive):
    sent = send(mail, "ada@example.com", subject="Offer")
    assert arrive(subject="Something else", in_reply_to=sent["header_id"])["thread_id"] != sent["thread_id"]


def test_replying_to_all_leaves_oneself_out(mail, arrive):
    got = arrive(cc=["theo@firstday.app", "info@firstday.app", "eve@example.com"], bcc=[])
    answer = mail.call("reply_to_message", message_id=got["message_id"], body="Yes", reply_all=True)
    assert (answer["to"], answer["cc"]) == (
        ["ada@example.com"],
        ["theo@firstday.app", "info@firstday.app", "eve@example.com"],
    )
    (theirs,) = mail.call("search_messages", query="in:inbox subject:hello -from:robin", mailbox="hello@firstday.app")[
        "messages"
    ]
    answer = mail.call("reply_to_message", message_id=theirs["id"], body="Yes", reply_all=True)
    assert answer["from"]["address"] == "hello@firstday.app"
    assert (answer["to"], answer["cc"]) == (
        ["ada@example.com", "robin@firstday.app"],
        ["theo@firstday.app", "eve@example.com"],
    )


def test_an_answer_to_ones_own_message_goes_where_that_went(mail):
    sent = send(mail, ["theo@firstday.app", "ada@example.com"])
    reminder = mail.call("reply_to_message", message_id=sent["id"], body="Any news?", cc=["ines@firstday.app"])
    assert (reminder["to"], reminder["cc"]) == (["theo@firstday.app", "ada@example.com"], ["ines@firstday.app"])
    assert reminder["subject"] == "Re: Lunch"


def test_a_message_is_forwarded_with_its_text_and_its_files(mail, arrive, inbox):
    got = arrive(attachments=[{"name": "menu.txt", "text": "Soup"}])
    forwarded = mail.call("forward_message", message_id=got["message_id"], to=["theo@firstday.app"], body="For you")
    assert forwarded["subject"] == "Fwd: Hello"
    assert forwarded["body"].startswith(
        "For you\n\n---------- Forwarded message ----------\nFrom: Ada <ada@example.com>"
    )
    assert forwarded["body"].endswith("Good morning.")
    assert forwarded["thread_id"] == got["thread_id"]
    (copy,) = inbox("theo@firstday.app")
    (menu,) = copy["attachments"]
    assert mail.call("get_attachment", attachment_id=menu["id"])["content"] == "Soup"
    bare = mail.call("forward_message", message_id=got["message_id"], to=["theo@firstday.app"], with_attachments=False)
    assert bare["attachments"] == []


def test_a_signature_stands_below_what_is_written(mail):
    sent = send(mail, "theo@firstday.app", mailbox="ines@firstday.app")
    assert sent["body"] == "At noon?\n\n-- \nInes | Firstday"


@pytest.mark.parametrize(
    "address", ["", "ada", "ada@", "@example.com", "ada@example", "a b@example.com", "ü@example.com"]
)
def test_what_is_no_address_is_refused(refused, address):
    error = refused("send_message", to=["theo@firstday.app", address], subject="x", body="x")
    assert (error.code, error.details["field"]) == ("invalid_input", "to")


def test_a_message_has_a_recipient(refused):
    assert refused("send_message", to=[], subject="x", body="x").message.startswith("There is nobody to send it to.")
    later = "2026-06-02T09:00:00Z"
    assert refused("send_message", to=[], subject="x", body="x", send_at=later).code == "invalid_input"


def test_answering_what_is_not_there_is_refused(refused):
    assert refused("reply_to_message", message_id="msg_x", body="x").details == {
        "resource": "message",
        "ids": ["msg_x"],
    }
    assert refused("forward_message", message_id="<x@y>", to=["ada@example.com"]).code == "not_found"
    assert refused("get_thread", thread_id="thr_x").code == "not_found"
