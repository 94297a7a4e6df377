from tests.company.conftest import one


def test_a_new_employee_has_what_they_need_and_no_more(studio):
    made = studio.call(
        "hire_employee", email="Ben@fieldnote.studio", name="Ben Ostrander", title="Designer", helpdesk_role="agent"
    )
    assert (made["email"], made["crm_user_id"]) == ("ben@fieldnote.studio", None)
    assert (
        one(studio, "SELECT name FROM helpdesk.agents WHERE id = ?", made["helpdesk_agent_id"])["name"] == made["name"]
    )
    assert one(studio, "SELECT is_active FROM mail.mailboxes WHERE address = 'ben@fieldnote.studio'")["is_active"] == 1
    assert {change.world for change in studio.diff()} == {"main", "helpdesk", "mail"}


def test_hiring_is_refused_as_a_whole(studio, refused):
    assert refused(studio, "hire_employee", email="grace@fieldnote.studio", name="G").code == "conflict"
    elsewhere = refused(studio, "hire_employee", email="ben@elsewhere.com", name="Ben", crm_role="rep")
    assert "elsewhere.com" in elsewhere.message


def test_work_is_handed_over_in_every_system(studio):
    before = studio.call("get_employee", email="sam@fieldnote.studio")["in_hand"]
    assert min(before["leads"], before["deals"], before["tasks"]) > 0
    done = studio.call("hand_over_work", from_email="sam@fieldnote.studio", to_email="grace@fieldnote.studio")
    assert {name: done["moved"][name] for name in before} == before
    assert set(studio.call("get_employee", email="sam@fieldnote.studio")["in_hand"].values()) == {0}


def test_who_leaves_loses_every_account_and_their_mail_goes_on(studio):
    studio.call(
        "hand_over_work", from_email="marek@fieldnote.studio", to_email="grace@fieldnote.studio", is_leaving=True
    )
    assert one(studio, "SELECT is_active FROM crm.users WHERE email = 'marek@fieldnote.studio'")["is_active"] == 0
    assert one(studio, "SELECT is_active FROM helpdesk.agents WHERE email = 'marek@fieldnote.studio'")["is_active"] == 0
    studio.call(
        "mail_deliver_external", from_address="a@client.com", to=["marek@fieldnote.studio"], subject="Hi", body="Hi"
    )
    arrived = one(
        studio,
        "SELECT b.address FROM mail.messages m JOIN mail.mailboxes b ON b.id = m.mailbox_id "
        "WHERE m.from_address = 'a@client.com'",
    )
    assert arrived["address"] == "grace@fieldnote.studio"
    names = {row["name"]: row["left_at"] for row in studio.call("list_employees", works_here=False)["employees"]}
    assert names["Marek Nowicki"] == "2026-06-15T09:00:01.000Z"


def test_nothing_is_handed_over_to_nobody(studio, refused):
    grace = "grace@fieldnote.studio"
    assert refused(studio, "hand_over_work", from_email=grace, to_email=grace).code == "invalid_input"
    assert refused(studio, "hand_over_work", from_email=grace, to_email="sam@fieldnote.studio").code == "conflict"
    assert refused(studio, "hand_over_work", from_email="x@y.z", to_email=grace).code == "not_found"


def test_a_handover_that_one_system_refuses_leaves_all_as_it_was(world, refused):
    # Marek may not reassign in bulk, which the CRM says; nothing is done anywhere.
    with world.instance("agency", seed=1, startup={"acting_employee": "marek@fieldnote.studio"}) as inst:
        error = refused(inst, "hand_over_work", from_email="sam@fieldnote.studio", to_email="grace@fieldnote.studio")
        assert error.code == "permission_denied"
