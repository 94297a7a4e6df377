def test_a_note_is_on_one_record(crm, refused):
    company = crm.call("create_company", name="Engines")["id"]
    lead = crm.call("create_lead", email="ada@example.com")["id"]
    note = crm.call("add_note", body=" Likes tea ", lead_id=lead)
    assert (note["body"], note["lead_id"], note["company_id"]) == ("Likes tea", lead, None)
    assert note["author_id"] == crm.call("list_users")["current_user_id"]
    one = "Give exactly one of lead_id, company_id or deal_id."
    assert refused("add_note", body="x").message == one
    assert refused("add_note", body="x", lead_id=lead, company_id=company).message == one
    assert refused("list_notes").message == one
    assert refused("add_note", body=" ", lead_id=lead).code == "invalid_input"
    assert refused("add_note", body="x", deal_id="deal_x").code == "not_found"
    assert refused("add_note", body="x", lead_id=lead, author_id="user_x").code == "not_found"
    assert refused("list_notes", deal_id="deal_x").code == "not_found"


def test_a_note_is_no_touch(crm):
    lead = crm.call("create_lead", email="ada@example.com")["id"]
    crm.call("add_note", body="x", lead_id=lead)
    assert crm.call("get_lead", lead_id=lead)["last_activity_at"] is None


def test_notes_are_listed_in_both_directions(crm):
    lead = crm.call("create_lead", email="ada@example.com")["id"]
    ids = [crm.call("add_note", body=str(n), lead_id=lead)["id"] for n in range(3)]
    assert [note["id"] for note in crm.call("list_notes", lead_id=lead)["notes"]] == ids[::-1]
    assert [note["id"] for note in crm.call("list_notes", lead_id=lead, order="oldest")["notes"]] == ids
