import pytest


@pytest.fixture
def deal(crm):
    company = crm.call("create_company", name="Engines")
    return crm.call("create_deal", name="Engine no. 1", company_id=company["id"], amount_cents=90_000)


def test_a_deal_begins_at_the_first_stage(deal):
    assert (deal["stage_id"], deal["probability"], deal["lost_reason"], deal["closed_at"]) == (
        "discovery",
        10,
        None,
        None,
    )


def test_a_deal_may_begin_further_on_but_not_at_the_end(crm, refused, deal):
    other = crm.call("create_deal", name="Two", company_id=deal["company_id"], stage_id="proposal")
    assert other["probability"] == 50
    error = refused("create_deal", name="Three", company_id=deal["company_id"], stage_id="closed_won")
    assert (error.code, "Closed won is a closed one" in error.message) == ("invalid_input", True)
    assert refused("create_deal", name="Three", company_id=deal["company_id"], stage_id="nowhere").code == "not_found"


def test_a_deal_is_for_somebody(crm, refused, deal):
    assert refused("create_deal", name="Two").message == "Give at least one of company_id or contact_id."
    assert refused("create_deal", name="Two", company_id="comp_x").code == "not_found"
    assert refused("create_deal", name="Two", contact_id="lead_x").code == "not_found"
    lead = crm.call("create_lead", email="ada@example.com", company_id=deal["company_id"])
    assert crm.call("create_deal", name="Two", contact_id=lead["id"])["company_id"] == deal["company_id"]


def test_a_move_takes_on_the_stages_probability_and_is_kept_in_the_history(crm, deal):
    crm.call("update_deal", deal_id=deal["id"], probability=33)
    moved = crm.call("move_deal", deal_id=deal["id"], stage_id="negotiation")
    assert (moved["stage_id"], moved["probability"], moved["updated_at"]) == ("negotiation", 75, crm.clock.iso())
    history = crm.call("get_deal", deal_id=deal["id"])["stage_history"]
    assert [(move["from_stage_id"], move["to_stage_id"]) for move in history] == [
        (None, "discovery"),
        ("discovery", "negotiation"),
    ]
    assert history[1]["changed_by_id"] == crm.call("list_users")["current_user_id"]


def test_a_move_to_where_it_is_leaves_no_trace(crm, deal):
    before = crm.change_log()
    assert crm.call("move_deal", deal_id=deal["id"], stage_id="discovery") == deal
    assert crm.change_log() == before


def test_winning_needs_an_amount(crm, refused, deal):
    crm.call("update_deal", deal_id=deal["id"], amount_cents=0)
    error = refused("move_deal", deal_id=deal["id"], stage_id="closed_won")
    assert error.details == {"field": "amount_cents"}
    crm.call("update_deal", deal_id=deal["id"], amount_cents=1)
    won = crm.call("move_deal", deal_id=deal["id"], stage_id="closed_won")
    assert (won["probability"], won["closed_at"]) == (100, crm.clock.iso())


def test_losing_needs_a_reason_and_nothing_else_takes_one(crm, refused, deal):
    assert refused("move_deal", deal_id=deal["id"], stage_id="closed_lost").details == {"field": "lost_reason"}
    error = refused("move_deal", deal_id=deal["id"], stage_id="proposal", lost_reason="price")
    assert "Proposal is not a lost stage" in error.message
    lost = crm.call("move_deal", deal_id=deal["id"], stage_id="closed_lost", lost_reason="price")
    assert (lost["lost_reason"], lost["probability"]) == ("price", 0)


@pytest.mark.parametrize("end", [{"stage_id": "closed_won"}, {"stage_id": "closed_lost", "lost_reason": "timing"}])
def test_a_closed_deal_is_reopened_on_purpose(crm, refused, deal, end):
    crm.call("move_deal", deal_id=deal["id"], **end)
    error = refused("move_deal", deal_id=deal["id"], stage_id="proposal")
    assert (error.code, "reopen=true" in error.message) == ("conflict", True)
    assert refused("update_deal", deal_id=deal["id"], amount_cents=1).code == "conflict"
    assert refused("update_deal", deal_id=deal["id"], clear=["expected_close_on"]).code == "conflict"
    reopened = crm.call("move_deal", deal_id=deal["id"], stage_id="proposal", reopen=True)
    assert (reopened["closed_at"], reopened["lost_reason"], reopened["probability"]) == (None, None, 50)


def test_a_closed_deal_does_not_go_from_one_end_to_the_other(crm, refused, deal):
    crm.call("move_deal", deal_id=deal["id"], stage_id="closed_won")
    again = {"deal_id": deal["id"], "stage_id": "closed_lost", "lost_reason": "price", "reopen": True}
    assert refused("move_deal", **again).code == "conflict"


def test_a_closed_deal_can_still_be_renamed(crm, deal):
    crm.call("move_deal", deal_id=deal["id"], stage_id="closed_won")
    assert crm.call("update_deal", deal_id=deal["id"], name="Engine")["name"] == "Engine"


def test_a_deal_is_changed_field_by_field(crm, refused, deal):
    changed = crm.call(
        "update_deal", deal_id=deal["id"], expected_close_on="2026-08-01", next_step="Call", amount_cents=0
    )
    assert (changed["expected_close_on"], changed["next_step"], changed["amount_cents"]) == ("2026-08-01", "Call", 0)
    before = crm.change_log()
    assert crm.call("update_deal", deal_id=deal["id"], expected_close_on="2026-08-01") == changed
    assert crm.change_log() == before
    assert crm.call("update_deal", deal_id=deal["id"], clear=["expected_close_on"])["expected_close_on"] is None
    assert refused("update_deal", deal_id=deal["id"], contact_id="lead_x").code == "not_found"
    assert refused("update_deal", deal_id=deal["id"], probability=101).code == "invalid_arguments"
    assert refused("update_deal", deal_id="deal_x").code == "not_found"


def test_deals_are_listed_and_filtered(crm, deal):
    company = crm.call("create_company", name="Looms")["id"]
    late = crm.call("create_deal", name="Late", company_id=company, expected_close_on="2026-05-01")["id"]
    won = crm.call("create_deal", name="Won", company_id=company, amount_cents=500)["id"]
    crm.call("move_deal", deal_id=won, stage_id="closed_won")

    def listed(**filters):
        return [found["id"] for found in crm.call("list_deals", **filters)["deals"]]

    assert listed() == [won, late, deal["id"]]
    assert listed(status="open") == [late, deal["id"]]
    assert listed(stage_id="closed_won") == [won]
    assert listed(company_id=company) == [won, late]
    assert listed(closes_before="2026-06-01", status="open") == [late]
    assert listed(min_amount_cents=500) == [won, deal["id"]]


def test_filters_on_deals_name_what_exists(refused):
    for filter in ("stage_id", "owner_id", "company_id"):
        assert refused("list_deals", **{filter: "nowhere"}).code == "not_found"
