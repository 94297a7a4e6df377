import pytest

from tests.company.conftest import one


def ticket_of(inst, email):
    return one(
        inst,
        "SELECT t.id, t.number FROM helpdesk.tickets t JOIN helpdesk.customers c ON c.id = t.requester_id "
        "WHERE c.email = ?",
        email,
    )


def test_an_escalated_ticket_reaches_the_owner_of_the_account(studio):
    ticket = ticket_of(studio, "mairead.ekstrom@ospreyinteriors.com.au")
    done = studio.call("escalate_ticket", ticket_id=ticket["id"], reason="The invoice is overdue through our fault.")
    assert (done["escalated_to"], done["priority"]) == ("callum@fieldnote.studio", "high")
    mail = one(
        studio,
        "SELECT m.subject, m.from_address FROM mail.messages m JOIN mail.mailboxes b ON b.id = m.mailbox_id "
        "WHERE b.address = 'callum@fieldnote.studio' AND m.folder = 'inbox' AND m.subject LIKE 'Escalated%'",
    )
    assert mail["from_address"] == "hello@fieldnote.studio"
    task = one(studio, "SELECT due_at, owner_id FROM crm.activities WHERE id = ?", done["task_id"])
    assert task["due_at"].startswith("2026-06-16T09:00:01")
    assert {record["world"] for record in studio.change_log()} == {"crm", "helpdesk", "mail"}


def test_without_an_owner_there_is_nobody_to_escalate_to(studio, refused):
    studio.call("crm_create_lead", email="ada@engines.com")
    with studio.bulk() as ctx:
        ctx.worlds.crm.db.execute("UPDATE leads SET owner_id = NULL WHERE email = 'ada@engines.com'")
    made = studio.call("helpdesk_create_ticket", subject="Help", body="Help", requester_email="ada@engines.com")
    error = refused(studio, "escalate_ticket", ticket_id=made["id"], reason="urgent")
    assert "Nobody in the CRM owns the account of ada@engines.com" in error.message
    done = studio.call("escalate_ticket", ticket_id=made["id"], reason="urgent", to_email="odette@fieldnote.studio")
    assert done["escalated_to"] == "odette@fieldnote.studio"


def test_who_has_left_is_told_nothing(studio, refused):
    ticket = ticket_of(studio, "finn.donnelly@flinthotels.ie")
    assert refused(
        studio, "escalate_ticket", ticket_id=ticket["id"], reason="x", to_email="sam@fieldnote.studio"
    ).message.startswith("Sam Fletcher has left")


def test_a_letter_becomes_a_ticket_once_it_is_from_outside(studio, refused):
    studio.call(
        "mail_deliver_external", from_address="raoki@fernhilloutfitters.co", from_name="Rohan Aoki",
        to=["hello@fieldnote.studio"], subject="Buttons", body="They are round now.",
    )  # fmt: skip
    letter = one(studio, "SELECT id FROM mail.messages WHERE subject = 'Buttons'")
    made = studio.call("open_ticket_from_message", message_id=letter["id"], priority="low")
    ticket = studio.call("helpdesk_get_ticket", ticket_id=made["ticket_id"])
    assert (ticket["subject"], ticket["requester"]["name"]) == ("Buttons", "Rohan Aoki")
    assert one(studio, "SELECT folder, is_read FROM mail.messages WHERE id = ?", letter["id"]) == {
        "folder": "archive", "is_read": 1,
    }  # fmt: skip
    ours = studio.inspect().rows("SELECT id FROM mail.messages WHERE from_address = 'odette@fieldnote.studio'")[0]["id"]
    assert refused(studio, "open_ticket_from_message", message_id=ours).code == "conflict"
    assert refused(studio, "open_ticket_from_message", message_id="msg_none").code == "not_found"
    assert refused(studio, "open_ticket_from_message", message_id=letter["id"], priority="soon")


def test_an_answer_stands_on_the_ticket_and_goes_out_as_mail(studio):
    ticket = ticket_of(studio, "finn.donnelly@flinthotels.ie")
    done = studio.call("answer_ticket_by_mail", ticket_id=ticket["id"], body="I take over.")
    reply = one(studio, "SELECT body, visibility FROM helpdesk.messages WHERE id = ?", done["reply_id"])
    sent = one(studio, "SELECT body, subject FROM mail.messages WHERE id = ?", done["message_id"])
    assert (reply["body"], reply["visibility"]) == ("I take over.", "public")
    assert sent["subject"] == f"[#{ticket['number']}] Who looks after us now?"
    assert sent["body"].startswith("I take over.")


def test_a_thread_is_logged_on_whoever_the_crm_knows(studio, refused):
    thread = one(studio, "SELECT thread_id FROM mail.messages WHERE subject = 'Icons for the app' AND folder = 'inbox'")
    done = studio.call("log_thread_in_crm", thread_id=thread["thread_id"], summary="Wants the package by the 15th.")
    logged = one(studio, "SELECT direction, subject FROM crm.activities WHERE id = ?", done["activity_ids"][0])
    assert logged["subject"].endswith("Icons for the app")
    assert refused(studio, "log_thread_in_crm", thread_id="thr_none", summary="x").code == "conflict"


@pytest.mark.parametrize("query", ["Kestrel", "posters"])
def test_one_search_reaches_every_system(studio, query):
    found = studio.call("search_everywhere", query=query)
    assert found["mail"] if query == "Kestrel" else found["helpdesk"]
    assert set(found) == {"crm", "helpdesk", "mail"}


def test_the_loose_ends_are_there(studio):
    see = studio.inspect().rows
    assert len(see("SELECT 1 FROM mail.messages WHERE body LIKE '%Friday 12 June%' AND folder = 'sent'")) == 1
    assert len(see("SELECT 1 FROM helpdesk.messages WHERE body LIKE '%Friday 26 June%'")) == 1
    assert see("SELECT comment FROM helpdesk.satisfaction_ratings WHERE status = 'bad'")[0]["comment"]
    away = see("SELECT b.address FROM mail.absences a JOIN mail.mailboxes b ON b.id = a.mailbox_id")
    assert away == [{"address": "farida@fieldnote.studio"}]
    task = "SELECT is_done FROM crm.activities WHERE subject LIKE 'Kick-off call%'"
    assert see(task) == [{"is_done": 0}]
