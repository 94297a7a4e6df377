"""Do tax rates and tax ids behave as published?"""

import pytest


def test_a_tax_rate_keeps_what_it_charges(api):
    rate = api.post("/v1/tax_rates", {"display_name": "VAT", "percentage": 19.5, "inclusive": False, "country": "DE"})

    assert (rate["percentage"], rate["inclusive"], rate["active"], rate["country"]) == (19.5, False, True, "DE")
    assert api.post(f"/v1/tax_rates/{rate['id']}", {"active": False})["active"] is False
    assert api.refused("POST", f"/v1/tax_rates/{rate['id']}", {"percentage": 7})["code"] == "parameter_unknown"
    assert [event["type"] for event in api.events()] == ["tax_rate.created", "tax_rate.updated"]
    assert api.get("/v1/tax_rates", {"active": True})["data"] == []
    assert api.refused("GET", "/v1/tax_rates/txr_x")["message"] == "No such tax rate: 'txr_x'"


@pytest.mark.parametrize("percentage", [-1, 101, 1.23456])
def test_a_percentage_that_cannot_be_is_refused(api, percentage):
    given = {"display_name": "VAT", "percentage": percentage, "inclusive": True}

    assert api.refused("POST", "/v1/tax_rates", given)["param"] == "percentage"


def test_whole_percentages_are_shown_whole(api):
    rate = api.post("/v1/tax_rates", {"display_name": "VAT", "percentage": 19, "inclusive": True})

    assert repr(rate["percentage"]) == "19"


@pytest.mark.parametrize(
    ("value", "status"),
    [("000000000", "verified"), ("111111111", "unverified"), ("222222222", "pending"), ("DE123456789", "verified")],
)
def test_an_authority_answers_after_a_while(api, account, value, status):
    customer = api.post("/v1/customers", {"name": "Jenny Rosen"})["id"]
    made = api.post(f"/v1/customers/{customer}/tax_ids", {"type": "eu_vat", "value": value})
    assert made["verification"]["status"] == "pending"

    account.advance(minutes=1)

    shown = api.get(f"/v1/customers/{customer}/tax_ids/{made['id']}")
    assert shown["verification"]["status"] == status
    assert shown["verification"]["verified_name"] == ("Jenny Rosen" if status == "verified" else None)
    updates = api.events("customer.tax_id.updated")
    assert len(updates) == (0 if status == "pending" else 1)


def test_a_number_that_nobody_checks_says_so(api):
    customer = api.post("/v1/customers")["id"]

    made = api.post(f"/v1/customers/{customer}/tax_ids", {"type": "us_ein", "value": "12-3456789"})

    assert (made["verification"]["status"], made["country"]) == ("unavailable", "US")
    assert (made["owner"]["type"], made["owner"]["customer"]) == ("customer", customer)


def test_a_number_that_is_none_is_refused(api):
    customer = api.post("/v1/customers")["id"]

    refused = api.refused("POST", f"/v1/customers/{customer}/tax_ids", {"type": "eu_vat", "value": "hello"})

    assert (refused["code"], refused["message"]) == ("tax_id_invalid", "Invalid value for eu_vat.")


def test_tax_ids_come_with_a_new_customer_and_are_shown_when_asked_for(api):
    given = {"tax_id_data": [{"type": "us_ein", "value": "123456789"}], "expand": ["tax_ids"]}

    customer = api.post("/v1/customers", given)

    assert [row["value"] for row in customer["tax_ids"]["data"]] == ["123456789"]
    assert [event["type"] for event in api.events()] == ["customer.created", "customer.tax_id.created"]
    assert "tax_ids" not in api.get(f"/v1/customers/{customer['id']}")


def test_a_customer_keeps_five_and_no_more(api):
    customer = api.post("/v1/customers")["id"]
    for number in range(5):
        made = api.post(f"/v1/customers/{customer}/tax_ids", {"type": "us_ein", "value": f"12345678{number}"})

    assert (
        api.refused("POST", f"/v1/customers/{customer}/tax_ids", {"type": "us_ein", "value": "1" * 9})["status"] == 400
    )
    gone = api.delete(f"/v1/customers/{customer}/tax_ids/{made['id']}")
    assert gone == {"id": made["id"], "object": "tax_id", "deleted": True}
    assert len(api.get(f"/v1/customers/{customer}/tax_ids")["data"]) == 4


def test_the_account_has_tax_ids_of_its_own(api):
    customer = api.post("/v1/customers")["id"]
    own = api.post("/v1/tax_ids", {"type": "us_ein", "value": "123456789"})
    of_customer = {"type": "us_ein", "value": "987654321", "owner": {"type": "customer", "customer": customer}}
    other = api.post("/v1/tax_ids", of_customer)

    assert (own["owner"]["type"], own["customer"]) == ("self", None)
    assert [row["id"] for row in api.get("/v1/tax_ids")["data"]] == [own["id"]]
    assert [row["id"] for row in api.get(f"/v1/customers/{customer}/tax_ids")["data"]] == [other["id"]]


def test_another_customers_tax_id_is_no_part_of_the_path(api):
    one, other = (api.post("/v1/customers")["id"] for _ in range(2))
    made = api.post(f"/v1/customers/{one}/tax_ids", {"type": "us_ein", "value": "123456789"})

    refused = api.refused("GET", f"/v1/customers/{other}/tax_ids/{made['id']}")

    assert (refused["status"], refused["message"], refused["param"]) == (404, "Invalid request", "customer")
