import pytest

from tests.mail.conftest import scheduled

LATER = "2026-06-02T07:30:00Z"


@pytest.fixture
def draft(mail):
    """A message to Theo that is to go out tomorrow."""
    return mail.call(
        "send_message",
        to=["theo@firstday.app"],
        subject="Prices",
        body="They go up.",
        attachments=[{"name": "list.csv", "text": "a,1"}],
        send_at=LATER,
    )


def test_a_scheduled_message_goes_out_when_its_time_has_come_and_nobody_looks(mail, draft, inbox):
    assert (draft["send_at"], draft["id"][:6]) == ("2026-06-02T07:30:00.000Z", "draft_")
    assert mail.call("list_threads", folder="sent")["threads"] == []
    assert mail.call("get_mailbox")["scheduled_count"] == 1
    assert mail.advance(to="2026-06-02T07:29:50Z") == 0
    assert inbox("theo@firstday.app") == []
    assert mail.advance(to="2026-06-02T12:00:00Z") == 1
    (copy,) = inbox("theo@firstday.app")
    assert (copy["sent_at"], copy["received_at"]) == ("2026-06-02T07:30:00.000Z", "2026-06-02T07:30:00.000Z")
    assert [each["name"] for each in copy["attachments"]] == ["list.csv"]
    assert mail.call("list_drafts")["drafts"] == []
    assert {record["by"] for record in mail.change_log()[-4:]} == {"event:send_scheduled"}


def test_it_goes_out_between_two_calls_as_well(mail, inbox):
    mail.call("send_message", to=["theo@firstday.app"], subject="x", body="x", send_at="2026-06-01T09:00:07Z")
    for _ in range(3):
        mail.call("list_labels")
    assert len(inbox("theo@firstday.app")) == 1


def test_a_scheduled_message_can_be_stopped(mail, draft, inbox, refused):
    stopped = mail.call("cancel_scheduled_send", draft_id=draft["id"])
    assert (stopped["send_at"], stopped["body"]) == (None, "They go up.")
    assert scheduled(mail) == []
    mail.advance(days=3)
    assert inbox("theo@firstday.app") == []
    assert [each["id"] for each in mail.call("list_drafts", is_scheduled=False)["drafts"]] == [draft["id"]]
    assert refused("cancel_scheduled_send", draft_id=draft["id"]).code == "conflict"


def test_a_scheduled_message_can_be_moved(mail, draft, inbox):
    mail.call("send_draft", draft_id=draft["id"], send_at="2026-06-03T07:30:00Z")
    assert scheduled(mail) == [("send_scheduled", "2026-06-03T07:30:00.000Z")]
    mail.advance(to="2026-06-03T00:00:00Z")
    assert inbox("theo@firstday.app") == []
    mail.advance(to="2026-06-04T00:00:00Z")
    assert inbox("theo@firstday.app")[0]["sent_at"] == "2026-06-03T07:30:00.000Z"


def test_moving_it_to_where_it_is_leaves_no_trace(mail, draft):
    before, waiting = mail.change_log(), scheduled(mail)
    mail.call("send_draft", draft_id=draft["id"], send_at=LATER)
    assert (mail.change_log(), scheduled(mail)) == (before, waiting)


def test_sent_by_hand_or_deleted_it_does_not_go_out_again(mail, draft, inbox):
    mail.call("send_draft", draft_id=draft["id"])
    other = mail.call("send_message", to=["theo@firstday.app"], subject="x", body="x", send_at=LATER)
    mail.call("delete_draft", draft_id=other["id"])
    assert scheduled(mail) == []
    mail.advance(days=3)
    assert [message["subject"] for message in inbox("theo@firstday.app")] == ["Prices"]


def test_a_change_before_its_time_is_what_goes_out(mail, draft, inbox, refused):
    mail.call("update_draft", draft_id=draft["id"], body="They stay.", cc=["ines@firstday.app"])
    assert refused("update_draft", draft_id=draft["id"], to=[], cc=[]).code == "invalid_input"
    mail.advance(days=3)
    assert inbox("ines@firstday.app")[0]["body"] == "They stay."


def test_an_answer_can_be_scheduled_too(mail, arrive, inbox):
    got = arrive()
    draft = mail.call("reply_to_message", message_id=got["message_id"], body="Yes.", send_at=LATER)
    assert draft["thread_id"] == got["thread_id"]
    assert mail.call("get_thread", thread_id=got["thread_id"])["draft_ids"] == [draft["id"]]
    mail.advance(days=3)
    assert [message["body"] for message in mail.call("get_thread", thread_id=got["thread_id"])["messages"]] == [
        "Good morning.",
        "Yes.",
    ]


def test_what_is_scheduled_in_a_mailbox_that_closes_stays_a_draft(mail, inbox):
    mail.call(
        "send_message",
        to=["robin@firstday.app"],
        subject="x",
        body="x",
        send_at=LATER,
        mailbox="theo@firstday.app",
    )
    assert mail.call("close_mailbox", mailbox="theo@firstday.app")["draft_count"] == 1
    assert scheduled(mail) == []
    mail.advance(days=3)
    assert inbox() == []


def test_an_event_for_what_is_gone_does_nothing(mail, draft):
    with mail.bulk() as ctx:
        ctx.db.execute("DELETE FROM attachments WHERE draft_id IS NOT NULL")
        ctx.db.execute("DELETE FROM drafts")
    assert mail.advance(days=3) == 1


@pytest.mark.parametrize("send_at", ["2026-06-01T09:00:00Z", "2020-01-01T00:00:00Z", "2026-06-02T07:30:00"])
def test_a_time_to_send_is_to_come_and_has_a_zone(refused, send_at):
    error = refused("send_message", to=["theo@firstday.app"], subject="x", body="x", send_at=send_at)
    assert (error.code, error.details["field"]) == ("invalid_input", "send_at")


def test_an_undeliverable_scheduled_message_bounces_at_its_time(mail, inbox):
    mail.call("send_message", to=["nobody@firstday.app"], subject="x", body="x", send_at=LATER)
    mail.advance(days=3)
    (notice,) = inbox()
    assert notice["received_at"] == "2026-06-02T07:30:00.001Z"
