import pytest


@pytest.fixture
def pair(crm):
    """Two leads that are one person, each with a history."""
    keep = crm.call("create_lead", email="jon@example.com", first_name="Jon", title="CTO")
    duplicate = crm.call(
        "create_lead", email="john@example.com", first_name="John", last_name="Smith", title="Chief", do_not_email=True
    )
    crm.call("set_tags", record_type="lead", record_id=keep["id"], tags=["a", "b"])
    crm.call("set_tags", record_type="lead", record_id=duplicate["id"], tags=["b", "c"])
    crm.call("log_activity", kind="call", subject="Hi", lead_id=duplicate["id"])
    crm.call("create_task", subject="Call back", due_at="2026-06-09T09:00:00Z", lead_id=duplicate["id"])
    crm.call("add_note", body="Likes tea", lead_id=duplicate["id"])
    crm.call("create_deal", name="Big one", contact_id=duplicate["id"])
    return keep["id"], duplicate["id"]


def test_merging_moves_everything_to_the_lead_that_stays(crm, refused, pair):
    keep, duplicate = pair
    merged = crm.call("merge_leads", keep_id=keep, duplicate_id=duplicate)
    assert merged["moved"] == {"activities": 2, "notes": 1, "deals": 1}
    assert merged["tags"] == ["a", "b", "c"]
    assert (merged["first_name"], merged["last_name"], merged["title"]) == ("Jon", "Smith", "CTO")
    assert merged["do_not_email"]
    assert merged["last_activity_at"] is not None
    assert len(crm.call("list_activities", lead_id=keep)["activities"]) == 1
    assert len(crm.call("list_tasks", lead_id=keep)["tasks"]) == 1
    assert crm.call("list_deals")["deals"][0]["contact_id"] == keep
    assert refused("get_lead", lead_id=duplicate).code == "not_found"


def test_merging_keeps_the_other_address_in_a_note(crm, pair):
    keep, duplicate = pair
    crm.call("merge_leads", keep_id=keep, duplicate_id=duplicate)
    latest = crm.call("list_notes", lead_id=keep)["notes"][0]
    assert latest["body"] == f"Merged with John Smith (john@example.com), lead {duplicate}."


def test_a_merged_lead_is_no_longer_found(crm, pair):
    keep, duplicate = pair
    crm.call("merge_leads", keep_id=keep, duplicate_id=duplicate)
    found = crm.call("search_crm", query="Smith", types=["lead"])["results"]
    assert [hit["id"] for hit in found] == [keep]


def test_the_address_of_a_merged_lead_is_free_again(crm, pair):
    crm.call("merge_leads", keep_id=pair[0], duplicate_id=pair[1])
    assert crm.call("create_lead", email="john@example.com")["id"] not in pair


def test_a_lead_is_not_merged_with_itself_or_with_nobody(refused, pair):
    assert refused("merge_leads", keep_id=pair[0], duplicate_id=pair[0]).code == "invalid_input"
    assert refused("merge_leads", keep_id=pair[0], duplicate_id="lead_x").code == "not_found"
    assert refused("merge_leads", keep_id="lead_x", duplicate_id=pair[0]).code == "not_found"


def test_a_converted_lead_is_the_one_to_keep(crm, refused, pair):
    crm.call("convert_lead", lead_id=pair[1], company_name="Smith and Co")
    error = refused("merge_leads", keep_id=pair[0], duplicate_id=pair[1])
    assert (error.code, "Keep that one" in error.message) == ("conflict", True)
    assert crm.call("merge_leads", keep_id=pair[1], duplicate_id=pair[0])["status"] == "converted"


def test_converting_makes_a_company_and_a_deal(crm):
    lead = crm.call("create_lead", email="ada@engines.com", first_name="Ada", company_name="Analytical Engines")
    made = crm.call(
        "convert_lead", lead_id=lead["id"], amount_cents=500_000, expected_close_on="2026-07-01", deal_name="Engine"
    )
    assert (made["company"]["name"], made["company"]["domain"]) == ("Analytical Engines", "engines.com")
    assert (made["lead"]["status"], made["lead"]["company_id"]) == ("converted", made["company"]["id"])
    deal = made["deal"]
    assert (deal["name"], deal["stage_id"], deal["probability"]) == ("Engine", "discovery", 10)
    assert (deal["amount_cents"], deal["expected_close_on"]) == (500_000, "2026-07-01")
    assert (deal["contact_id"], deal["owner_id"]) == (lead["id"], lead["owner_id"])
    assert made["lead"]["converted_at"] == crm.clock.iso()


def test_converting_finds_the_company_by_the_domain_of_the_address(crm):
    company = crm.call("create_company", name="Engines Ltd", domain="engines.com")
    lead = crm.call("create_lead", email="ada@engines.com", company_name="Engines")
    made = crm.call("convert_lead", lead_id=lead["id"], create_deal=False)
    assert (made["company"]["id"], made["deal"]) == (company["id"], None)


def test_the_leads_own_company_comes_before_its_domain(crm):
    crm.call("create_company", name="By domain", domain="engines.com")
    own = crm.call("create_company", name="Own")
    lead = crm.call("create_lead", email="ada@engines.com", company_id=own["id"])
    assert crm.call("convert_lead", lead_id=lead["id"])["company"]["id"] == own["id"]


def test_a_personal_address_names_no_employer(crm, refused):
    lead = crm.call("create_lead", email="ada@gmail.com")
    assert refused("convert_lead", lead_id=lead["id"]).details == {"field": "company_id"}
    made = crm.call("convert_lead", lead_id=lead["id"], company_name="Engines")
    assert made["company"]["domain"] is None


def test_a_company_is_chosen_in_one_way(crm, refused):
    company = crm.call("create_company", name="Engines")
    lead = crm.call("create_lead", email="ada@example.com")
    error = refused("convert_lead", lead_id=lead["id"], company_id=company["id"], company_name="Other")
    assert error.message == "Give exactly one of company_id or company_name."
    assert refused("convert_lead", lead_id=lead["id"], company_id="comp_x").code == "not_found"


def test_a_lead_is_converted_once(crm, refused):
    lead = crm.call("create_lead", email="ada@engines.com", company_name="Engines")
    made = crm.call("convert_lead", lead_id=lead["id"])
    error = refused("convert_lead", lead_id=lead["id"])
    assert (error.code, error.details) == ("conflict", {"company_id": made["company"]["id"]})
    assert refused("update_lead", lead_id=lead["id"], status="new").code == "conflict"


def test_an_unqualified_lead_is_qualified_before_it_is_converted(crm, refused):
    lead = crm.call("create_lead", email="ada@engines.com", company_name="Engines", status="unqualified")
    assert refused("convert_lead", lead_id=lead["id"]).code == "conflict"
    crm.call("update_lead", lead_id=lead["id"], status="qualified")
    assert crm.call("convert_lead", lead_id=lead["id"])["lead"]["status"] == "converted"


def test_without_a_pipeline_nothing_is_half_converted(world, refused):
    with world.instance(seed=1) as blank:
        lead = blank.call("create_lead", email="ada@engines.com", company_name="Engines")
        assert refused("convert_lead", blank, lead_id=lead["id"]).code == "conflict"
        assert blank.call("get_lead", lead_id=lead["id"])["status"] == "new"
