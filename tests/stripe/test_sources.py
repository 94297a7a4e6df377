"""Do a customer's sources behave as Stripe's do?"""

from __future__ import annotations

import pytest

from tests.stripe.conftest import Api
from worlds.stripe.facts.conforming import problems

BANK = {
    "object": "bank_account", "country": "US", "currency": "usd", "account_number": "000123456789",
    "routing_number": "110000000",
}  # fmt: skip


@pytest.fixture
def customer(api: Api) -> str:
    return str(api.post("/v1/customers")["id"])


def test_a_card_becomes_the_default_when_it_is_the_first(api: Api, customer: str) -> None:
    card = api.post(f"/v1/customers/{customer}/sources", {"source": "tok_visa"})
    assert problems("card", card) == []
    assert (card["brand"], card["customer"], card["cvc_check"]) == ("Visa", customer, "pass")
    assert api.get(f"/v1/customers/{customer}")["default_source"] == card["id"]
    api.post(f"/v1/customers/{customer}/sources", {"source": "tok_mastercard"})
    assert api.get(f"/v1/customers/{customer}")["default_source"] == card["id"]
    assert len(api.events("customer.source.created")) == 2


def test_a_card_keeps_the_id_it_had_in_its_token(api: Api, customer: str) -> None:
    card = {"number": "5555555555554444", "exp_month": "12", "exp_year": "2034"}
    token = api.post("/v1/tokens", {"card": card})
    kept = api.post(f"/v1/customers/{customer}/sources", {"source": token["id"]})
    assert kept["id"] == token["card"]["id"]
    error = api.refused("POST", f"/v1/customers/{customer}/sources", {"source": token["id"]})
    assert error["code"] == "token_already_used"


def test_a_card_that_is_refused_is_not_kept(api: Api, customer: str) -> None:
    error = api.refused("POST", f"/v1/customers/{customer}/sources", {"source": "tok_chargeDeclined"})
    assert (error["status"], error["code"]) == (402, "card_declined")
    assert api.get(f"/v1/customers/{customer}/sources")["data"] == []


def test_a_customer_can_begin_with_a_source_and_show_it(api: Api) -> None:
    customer = api.post("/v1/customers", {"source": "tok_visa", "expand": ["sources", "default_source"]})
    assert customer["default_source"]["last4"] == "4242"
    assert customer["sources"]["data"] == [customer["default_source"]]
    assert "sources" not in api.get(f"/v1/customers/{customer['id']}")


def test_a_new_source_of_the_customer_replaces_the_default(api: Api) -> None:
    customer = api.post("/v1/customers", {"source": "tok_visa"})
    after = api.post(f"/v1/customers/{customer['id']}", {"source": "tok_amex"})
    (only,) = api.get(f"/v1/customers/{customer['id']}/sources")["data"]
    assert (after["default_source"], only["brand"]) == (only["id"], "American Express")


def test_sources_of_one_kind_can_be_listed(api: Api, customer: str) -> None:
    card = api.post(f"/v1/customers/{customer}/sources", {"source": "tok_visa"})
    bank = api.post(f"/v1/customers/{customer}/sources", {"bank_account": BANK})
    assert problems("bank_account", bank) == []
    assert api.get(f"/v1/customers/{customer}/sources")["data"] == [bank, card]
    assert api.get(f"/v1/customers/{customer}/sources", {"object": "bank_account"})["data"] == [bank]
    assert api.get(f"/v1/customers/{customer}/cards")["data"] == [card]
    assert api.get(f"/v1/customers/{customer}/bank_accounts")["data"] == [bank]
    assert api.get(f"/v1/customers/{customer}/sources/{card['id']}") == card


def test_a_bank_account_is_verified_by_its_two_amounts(api: Api, customer: str) -> None:
    bank = api.post(f"/v1/customers/{customer}/sources", {"bank_account": BANK})
    path = f"/v1/customers/{customer}/sources/{bank['id']}/verify"
    assert api.refused("POST", path, {"amounts": [1, 2]})["code"] == "bank_account_verification_failed"
    assert api.post(path, {"amounts": [32, 45]})["status"] == "verified"
    assert api.refused("POST", path, {"amounts": [32, 45]})["status"] == 400


def test_a_source_is_changed_and_deleted(api: Api, customer: str) -> None:
    card = api.post(f"/v1/customers/{customer}/sources", {"source": "tok_visa"})
    path = f"/v1/customers/{customer}/sources/{card['id']}"
    changed = api.post(path, {"name": "Ada", "address_zip": "12345", "exp_year": 2040, "metadata": {"a": 1}})
    assert (changed["name"], changed["address_zip"], changed["exp_year"]) == ("Ada", "12345", 2040)
    (event,) = api.events("customer.source.updated")
    assert event["previous_attributes"]["exp_year"] == 2027
    assert api.delete(path) == {"id": card["id"], "object": "card", "deleted": True}
    assert api.get(f"/v1/customers/{customer}")["default_source"] is None
    assert api.refused("GET", path)["message"] == f"No such source: '{card['id']}'"
    assert len(api.events("customer.source.deleted")) == 1


def test_a_card_among_the_sources_is_a_payment_method_too(api: Api, customer: str) -> None:
    card = api.post(f"/v1/customers/{customer}/sources", {"source": "tok_visa"})
    (method,) = api.get("/v1/payment_methods", {"customer": customer, "type": "card"})["data"]
    assert (method["id"], method["card"]["last4"]) == (card["id"], "4242")
