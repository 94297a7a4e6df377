import pytest


def test_a_draft_is_written_changed_and_sent(mail, inbox):
    draft = mail.call("create_draft", to=["theo@firstday.app"], subject="Lunch", body="At noon?")
    assert (draft["send_at"], draft["attachments"]) == (None, [])
    changed = mail.call("update_draft", draft_id=draft["id"], body="At one?", cc=["ines@firstday.app"])
    assert (changed["to"], changed["cc"], changed["subject"], changed["body"]) == (
        ["theo@firstday.app"],
        ["ines@firstday.app"],
        "Lunch",
        "At one?",
    )
    assert changed["updated_at"] > draft["updated_at"]
    sent = mail.call("send_draft", draft_id=draft["id"])
    assert (sent["folder"], sent["body"]) == ("sent", "At one?")
    assert [message["body"] for message in inbox("ines@firstday.app")] == ["At one?"]
    assert mail.call("list_drafts")["drafts"] == []


def test_a_draft_answers_a_message(mail, arrive):
    got = arrive(subject="Offer")
    draft = mail.call("create_draft", reply_to_id=got["message_id"], body="Yes.")
    assert (draft["to"], draft["subject"], draft["thread_id"]) == (["ada@example.com"], "Re: Offer", got["thread_id"])
    sent = mail.call("send_draft", draft_id=draft["id"])
    assert (sent["thread_id"], sent["in_reply_to"]) == (got["thread_id"], got["header_id"])


def test_a_draft_may_say_nothing_yet_but_cannot_be_sent_to_nobody(mail, refused):
    draft = mail.call("create_draft")
    assert (draft["to"], draft["subject"], draft["body"]) == ([], "", "")
    assert refused("send_draft", draft_id=draft["id"]).details["field"] == "to"
    assert refused("send_draft", draft_id=draft["id"], send_at="2026-06-02T09:00:00Z").code == "invalid_input"
    mail.call("update_draft", draft_id=draft["id"], bcc=["ada@example.com"])
    assert mail.call("send_draft", draft_id=draft["id"])["bcc"] == ["ada@example.com"]


def test_a_change_to_nothing_leaves_no_trace(mail):
    files = [{"name": "a.txt", "text": "a"}]
    draft = mail.call("create_draft", to=["ada@example.com"], subject="x", body="y", attachments=files)
    before = mail.change_log()
    again = mail.call(
        "update_draft", draft_id=draft["id"], to=["Ada <ADA@example.com>"], subject=" x ", body="y", attachments=files
    )
    assert again == draft
    assert mail.change_log() == before


def test_files_of_a_draft_are_replaced_and_go_out_with_it(mail, inbox):
    draft = mail.call("create_draft", to=["theo@firstday.app"], attachments=[{"name": "a.txt", "text": "a"}])
    changed = mail.call("update_draft", draft_id=draft["id"], attachments=[{"name": "b.txt", "text": "b"}])
    assert [each["name"] for each in changed["attachments"]] == ["b.txt"]
    assert changed["updated_at"] > draft["updated_at"]
    mail.call("send_draft", draft_id=draft["id"])
    assert [each["name"] for each in inbox("theo@firstday.app")[0]["attachments"]] == ["b.txt"]
    assert mail.inspect().one("SELECT count(*) AS n FROM attachments WHERE draft_id IS NOT NULL") == {"n": 0}


def test_drafts_are_listed_by_their_last_change(mail):
    first, second = (mail.call("create_draft", subject=name)["id"] for name in "ab")
    mail.call("update_draft", draft_id=first, body="x")
    assert [draft["id"] for draft in mail.call("list_drafts")["drafts"]] == [first, second]
    mail.call("send_message", to=["ada@example.com"], subject="c", body="", send_at="2026-06-02T09:00:00Z")
    assert [draft["subject"] for draft in mail.call("list_drafts", is_scheduled=True)["drafts"]] == ["c"]
    assert [draft["subject"] for draft in mail.call("list_drafts", is_scheduled=False)["drafts"]] == ["a", "b"]
    assert mail.call("list_drafts", mailbox="theo@firstday.app")["drafts"] == []


def test_a_deleted_draft_is_gone(mail, refused):
    draft = mail.call("create_draft", attachments=[{"name": "a.txt", "text": "a"}])
    mail.call("delete_draft", draft_id=draft["id"])
    for tool in ("delete_draft", "send_draft", "update_draft", "cancel_scheduled_send"):
        assert refused(tool, draft_id=draft["id"]).details == {"resource": "draft", "ids": [draft["id"]]}


@pytest.mark.parametrize("field", ["to", "cc", "bcc"])
def test_what_is_no_address_is_refused(mail, refused, field):
    draft = mail.call("create_draft")["id"]
    assert refused("update_draft", draft_id=draft, **{field: ["x"]}).details == {"field": field}
    assert refused("create_draft", **{field: ["x"]}).details == {"field": field}
