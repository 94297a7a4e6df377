import pytest


def test_a_company_is_created_and_read_back_with_its_numbers(crm):
    company = crm.call("create_company", name=" Engines ", domain="WWW.Engines.com", industry="Machines")
    assert (company["name"], company["domain"], company["employee_count"]) == ("Engines", "engines.com", None)
    crm.call("create_lead", email="ada@engines.com", company_id=company["id"])
    crm.call("create_deal", name="One", company_id=company["id"], amount_cents=100)
    won = crm.call("create_deal", name="Two", company_id=company["id"], amount_cents=250)
    crm.call("move_deal", deal_id=won["id"], stage_id="closed_won")
    shown = crm.call("get_company", company_id=company["id"])
    assert shown == {
        **company,
        "lead_count": 1,
        "open_deal_count": 1,
        "open_amount_cents": 100,
        "won_amount_cents": 250,
    }


@pytest.mark.parametrize("domain", ["engines", "https://engines.com", "engines .com", ""])
def test_what_is_no_domain_is_refused(refused, domain):
    assert refused("create_company", name="Engines", domain=domain).details == {"field": "domain"}


def test_a_company_has_a_name(crm, refused):
    assert refused("create_company", name="  ").message == "name is empty. Give it some text."
    company = crm.call("create_company", name="Engines")
    assert refused("update_company", company_id=company["id"], name="").code == "invalid_input"


def test_a_domain_belongs_to_one_company(crm, refused):
    first = crm.call("create_company", name="Engines", domain="engines.com")
    assert refused("create_company", name="Other", domain="engines.com").details == {"company_id": first["id"]}
    other = crm.call("create_company", name="Other")
    assert refused("update_company", company_id=other["id"], domain="engines.com").code == "conflict"
    assert crm.call("update_company", company_id=first["id"], domain="engines.com") == first


def test_companies_are_changed_and_emptied(crm):
    company = crm.call("create_company", name="Engines", domain="engines.com", employee_count=3, city="London")
    changed = crm.call(
        "update_company", company_id=company["id"], city="", country="UK", clear=["domain", "employee_count"]
    )
    assert changed == {
        **company,
        "city": "",
        "country": "UK",
        "domain": None,
        "employee_count": None,
        "updated_at": crm.clock.iso(),
    }


def test_companies_are_listed_and_filtered(crm):
    one, two = (crm.call("create_company", name=name, industry=name)["id"] for name in ("One", "Two"))
    crm.call("create_lead", email="a@example.com", company_id=one)
    crm.call("create_lead", email="b@example.com", company_id=one)

    def listed(**filters):
        return [company["id"] for company in crm.call("list_companies", **filters)["companies"]]

    assert listed() == [two, one]
    assert listed(has_leads=True) == [one]
    assert listed(has_leads=False) == [two]
    assert listed(industry="Two") == [two]


def test_unknown_companies_and_owners_are_not_found(refused):
    assert refused("get_company", company_id="comp_x").code == "not_found"
    assert refused("update_company", company_id="comp_x").code == "not_found"
    assert refused("list_companies", owner_id="user_x").code == "not_found"
    assert refused("create_company", name="Engines", owner_id="user_x").code == "not_found"
