"""Do tokens behave as Stripe's do?"""

from __future__ import annotations

from typing import Any

import pytest

from tests.stripe.conftest import Api
from worlds.stripe.facts.conforming import problems

VISA = {"number": "4242424242424242", "exp_month": "12", "exp_year": "34", "cvc": "123"}
BANK = {"country": "US", "currency": "usd", "account_number": "000123456789", "routing_number": "110000000"}


@pytest.mark.parametrize(
    ("params", "type", "prefix"),
    [
        ({"card": VISA}, "card", "tok_"),
        ({"bank_account": BANK}, "bank_account", "btok_"),
        ({"pii": {"id_number": "000000000"}}, "pii", "tok_"),
        ({"cvc_update": {"cvc": "123"}}, "cvc_update", "cvctok_"),
        ({"person": {"first_name": "Ada"}}, "person", "cpt_"),
        ({"account": {"business_type": "individual"}}, "account", "ct_"),
    ],
)
def test_a_token_of_each_kind_has_its_published_shape(api: Api, params: dict[str, Any], type: str, prefix: str) -> None:
    token = api.post("/v1/tokens", params)
    assert problems("token", token) == []
    assert (token["type"], token["used"]) == (type, False)
    assert token["id"].startswith(prefix)
    assert api.get(f"/v1/tokens/{token['id']}") == token


def test_a_token_of_nothing_is_refused(api: Api) -> None:
    assert api.refused("POST", "/v1/tokens")["code"] == "parameter_missing"
    assert api.refused("POST", "/v1/tokens", {"card": VISA, "pii": {"id_number": "1"}})["status"] == 400


def test_a_token_is_good_for_one_use(api: Api) -> None:
    token = api.post("/v1/tokens", {"card": {**VISA, "name": "Ada", "address_zip": "12345"}})
    given = {"type": "card", "card": {"token": token["id"]}}
    method = api.post("/v1/payment_methods", given)
    assert method["billing_details"]["name"] == "Ada"
    assert method["billing_details"]["address"]["postal_code"] == "12345"
    assert method["card"]["fingerprint"] == token["card"]["fingerprint"]
    assert api.get(f"/v1/tokens/{token['id']}")["used"] is True
    error = api.refused("POST", "/v1/payment_methods", given)
    assert (error["status"], error["code"]) == (400, "token_already_used")


def test_published_tokens_are_good_for_ever(api: Api) -> None:
    for _ in range(2):
        method = api.post("/v1/payment_methods", {"type": "card", "card": {"token": "tok_visa"}})
        assert method["card"]["last4"] == "4242"


def test_an_unknown_token_is_missing(api: Api) -> None:
    error = api.refused("POST", "/v1/payment_methods", {"type": "card", "card": {"token": "tok_none"}})
    assert error["message"] == "No such token: 'tok_none'"
    assert api.refused("GET", "/v1/tokens/tok_none")["status"] == 404


def test_a_token_of_a_card_that_cannot_be_is_refused(api: Api) -> None:
    error = api.refused("POST", "/v1/tokens", {"card": {**VISA, "number": "4242424242424241"}})
    assert (error["status"], error["code"]) == (402, "incorrect_number")


def test_a_publishable_key_makes_tokens_and_payment_methods_and_no_customers(api: Api) -> None:
    shopper = Api(api.inst, "pk_test_1")
    token = shopper.post("/v1/tokens", {"card": VISA})
    assert shopper.post("/v1/payment_methods", {"type": "card", "card": {"token": token["id"]}})["type"] == "card"
    assert shopper.refused("POST", "/v1/customers")["status"] == 403
