import pytest

from tests.mail.conftest import scheduled

TEXT = "I am away until Friday."


@pytest.fixture
def away(mail):
    """Robin is away from now on."""
    return mail.call("set_out_of_office", is_on=True, text=TEXT)["out_of_office"]


@pytest.fixture
def answers(mail):
    """The automatic replies that a mailbox has sent, the latest first."""

    def found(address="robin@firstday.app"):
        hits = mail.call("search_messages", query='in:sent subject:"Automatic reply"', mailbox=address)["messages"]
        return [mail.call("get_message", message_id=hit["id"]) for hit in hits]

    return found


def test_who_writes_to_somebody_absent_is_answered_once(mail, away, arrive, answers):
    got = arrive(subject="Offer")
    (answer,) = answers()
    assert (answer["to"], answer["subject"], answer["body"]) == (["ada@example.com"], "Automatic reply: Offer", TEXT)
    assert (answer["auto_submitted"], answer["in_reply_to"]) == ("auto-replied", got["header_id"])
    assert answer["thread_id"] == got["thread_id"]
    arrive(subject="Another offer")
    assert len(answers()) == 1
    arrive(from_address="eve@example.com")
    assert [answer["to"] for answer in answers()] == [["eve@example.com"], ["ada@example.com"]]


def test_the_answer_comes_of_the_schedule_within_the_call_that_brought_the_message(mail, away, arrive):
    arrive()
    by = {record.get("by") for record in mail.change_log() if record["i"] == mail.call_count - 1}
    assert by == {None, "event:answer_absent"}
    assert scheduled(mail) == []


def test_a_colleague_is_answered_in_the_inbox(mail, away, inbox):
    mail.call("send_message", to=["robin@firstday.app"], subject="Hi", body="x", mailbox="theo@firstday.app")
    (answer,) = inbox("theo@firstday.app")
    assert (answer["subject"], answer["from"]["name"]) == ("Automatic reply: Hi", "Robin Achterberg")


def test_two_absent_colleagues_do_not_write_to_each_other_for_ever(mail, away, answers):
    mail.call("set_out_of_office", is_on=True, text="So am I.", mailbox="theo@firstday.app")
    mail.call("send_message", to=["robin@firstday.app"], subject="Hi", body="x", mailbox="theo@firstday.app")
    mail.advance(days=1)
    assert len(answers()) == 1
    assert answers("theo@firstday.app") == []
    assert mail.inspect().one("SELECT count(*) AS n FROM messages") == {"n": 4}


@pytest.mark.parametrize(
    "given",
    [
        {"auto_submitted": "auto-generated"},
        {"auto_submitted": "auto-replied"},
        {"list_id": "news.example.com"},
        {"from_address": "no-reply@example.com"},
        {"from_address": "mailer-daemon@example.com"},
        {"is_spam": True},
    ],
)
def test_nobody_is_answered_who_is_nobody(away, arrive, answers, given):
    arrive(**given)
    assert answers() == []


def test_mail_that_names_somebody_else_is_not_answered(mail, away, answers, arrive):
    arrive(to="theo@firstday.app", bcc=["robin@firstday.app"])
    mail.call("create_filter", mailbox="theo@firstday.app", from_contains="eve", forward_to="robin@firstday.app")
    arrive(to="theo@firstday.app", from_address="eve@example.com")
    assert answers() == []


def test_a_bounce_is_not_answered(mail, away, answers):
    mail.call("send_message", to=["nobody@firstday.app"], subject="x", body="x")
    assert answers() == []


def test_an_absence_ends_by_itself(mail, arrive, answers):
    mail.call("set_out_of_office", is_on=True, text=TEXT, ends_at="2026-06-05T18:00:00Z")
    assert scheduled(mail) == [("end_absence", "2026-06-05T18:00:00.000Z")]
    mail.advance(to="2026-06-05T17:59:00Z")
    assert mail.call("get_mailbox")["out_of_office"]["status"] == "active"
    mail.advance(to="2026-06-05T18:00:00Z")
    assert mail.call("get_mailbox")["out_of_office"] is None
    arrive()
    assert answers() == []
    assert mail.change_log()[-1].get("by") is None


def test_an_absence_begins_by_itself(mail, arrive, answers):
    planned = mail.call(
        "set_out_of_office", is_on=True, text=TEXT, starts_at="2026-06-03T00:00:00Z", ends_at="2026-06-05T00:00:00Z"
    )["out_of_office"]
    assert planned["status"] == "planned"
    arrive()
    assert answers() == []
    mail.advance(to="2026-06-04T00:00:00Z")
    assert mail.call("get_mailbox")["out_of_office"]["status"] == "active"
    arrive()
    assert len(answers()) == 1
    assert mail.advance(to="2026-06-06T00:00:00Z") == 1
    assert mail.inspect().rows("SELECT status, starts_at, ends_at FROM absences") == [
        {"status": "ended", "starts_at": "2026-06-03T00:00:00.000Z", "ends_at": "2026-06-05T00:00:00.000Z"}
    ]


def test_the_next_absence_answers_anew(mail, away, arrive, answers):
    arrive()
    mail.call("set_out_of_office", is_on=False)
    arrive()
    mail.call("set_out_of_office", is_on=True, text="Away again.")
    arrive()
    assert [answer["body"] for answer in answers()] == ["Away again.", TEXT]


def test_an_absence_can_be_changed_while_it_lasts(mail, away, arrive, answers):
    arrive()
    changed = mail.call("set_out_of_office", is_on=True, text="Back on Monday.", ends_at="2026-06-08T08:00:00Z")
    assert changed["out_of_office"] == {**away, "text": "Back on Monday.", "ends_at": "2026-06-08T08:00:00.000Z"}
    mail.call("set_out_of_office", is_on=True, ends_at="2026-06-09T08:00:00Z")
    assert scheduled(mail) == [("end_absence", "2026-06-09T08:00:00.000Z")]
    mail.call("set_out_of_office", is_on=True, clear=["ends_at"])
    assert scheduled(mail) == []
    arrive()
    assert len(answers()) == 1


def test_a_planned_absence_can_be_moved_and_called_off(mail):
    mail.call("set_out_of_office", is_on=True, text=TEXT, starts_at="2026-06-03T00:00:00Z")
    mail.call("set_out_of_office", is_on=True, starts_at="2026-06-04T00:00:00Z")
    assert scheduled(mail) == [("begin_absence", "2026-06-04T00:00:00.000Z")]
    assert mail.call("set_out_of_office", is_on=False)["out_of_office"] is None
    assert scheduled(mail) == []
    assert mail.inspect().one("SELECT count(*) AS n FROM absences") == {"n": 0}


def test_setting_what_is_set_and_ending_what_is_not_on_leave_no_trace(mail, away):
    before = mail.change_log()
    mail.call("set_out_of_office", is_on=True, text=TEXT)
    mail.call("set_out_of_office", is_on=False, mailbox="theo@firstday.app")
    assert mail.change_log() == before


def test_an_absence_makes_sense(mail, refused):
    def wrong(**given):
        return refused("set_out_of_office", **given).details["field"]

    assert wrong(is_on=True) == "text"
    assert wrong(is_on=True, text="  ") == "text"
    assert wrong(is_on=False, text="x") == "text"
    assert wrong(is_on=True, text="x", ends_at="2026-06-01T08:00:00Z") == "ends_at"
    assert wrong(is_on=True, text="x", starts_at="2026-06-09T08:00:00Z", ends_at="2026-06-08T08:00:00Z") == "ends_at"
    assert wrong(is_on=True, text="x", starts_at="2026-06-09T08:00:00") == "starts_at"
    assert wrong(is_on=True, text="x", ends_at="2026-06-09T08:00:00Z", clear=["ends_at"]) == "ends_at"
    mail.call("set_out_of_office", is_on=True, text="x")
    assert wrong(is_on=True, starts_at="2026-06-09T08:00:00Z") == "starts_at"


def test_closing_a_mailbox_ends_its_absence(mail):
    mail.call("set_out_of_office", is_on=True, text=TEXT, ends_at="2026-06-09T08:00:00Z", mailbox="theo@firstday.app")
    assert mail.call("close_mailbox", mailbox="theo@firstday.app")["out_of_office"] is None
    assert scheduled(mail) == []
