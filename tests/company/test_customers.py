from tests.company.conftest import one

HANNES = "hannes.drummond@magnoliadairy.se"


def test_a_customer_is_seen_whole(studio):
    seen = studio.call("customer_overview", email=HANNES.upper())
    assert seen["crm"]["company"]["name"] == "Magnolia Dairy"
    assert seen["account_owner"]["email"] == "marek@fieldnote.studio"
    assert [ticket["status"] for ticket in seen["helpdesk"]["tickets"]] == ["closed"]
    assert seen["threads"][0]["subject"] == "Logo on the milk cartons is off"


def test_a_stranger_is_nobody_anywhere(studio):
    seen = studio.call("customer_overview", email="nobody@nowhere.com")
    assert (seen["crm"], seen["account_owner"], seen["helpdesk"], seen["threads"]) == (None, None, None, [])


def test_a_lead_is_taken_in_everywhere_at_once(studio):
    studio.call(
        "crm_create_lead", email="ada@engines.com", first_name="Ada", last_name="King", company_name="Engines",
        status="qualified",
    )  # fmt: skip
    done = studio.call(
        "onboard_customer", email="ada@engines.com", welcome_subject="Welcome", welcome_body="Good to have you.",
        kickoff_due_at="2026-06-17T09:00:00Z",
    )  # fmt: skip
    lead = one(studio, "SELECT status, company_id FROM crm.leads WHERE id = ?", done["lead_id"])
    assert lead == {"status": "converted", "company_id": done["company_id"]}
    assert one(studio, "SELECT company_name FROM helpdesk.customers WHERE id = ?", done["customer_id"])["company_name"]
    sent = one(studio, "SELECT from_address, to_addresses FROM mail.messages WHERE id = ?", done["message_id"])
    assert sent == {"from_address": done["account_owner"], "to_addresses": '["ada@engines.com"]'}
    assert one(studio, "SELECT subject FROM crm.activities WHERE id = ?", done["task_id"])["subject"].endswith(
        "Ada King"
    )
    last = studio.change_log()
    assert {record["i"] for record in last[1:]} == {1}


def test_onboarding_is_all_or_nothing(studio, refused):
    studio.call("crm_create_lead", email="ada@engines.com", company_name="Engines", do_not_email=True)
    error = refused(
        studio, "onboard_customer", email="ada@engines.com", welcome_subject="Welcome", welcome_body="Hello",
        kickoff_due_at="2026-06-17T09:00:00Z",
    )  # fmt: skip
    assert "not to be emailed" in error.message or "email" in error.message
    assert one(studio, "SELECT status FROM crm.leads WHERE email = 'ada@engines.com'")["status"] == "new"


def test_who_is_not_in_the_crm_cannot_be_onboarded(studio, refused):
    error = refused(
        studio, "onboard_customer", email="x@y.com", welcome_subject="a", welcome_body="b",
        kickoff_due_at="2026-06-17T09:00:00Z",
    )  # fmt: skip
    assert (error.code, error.details) == ("not_found", {"email": "x@y.com"})
