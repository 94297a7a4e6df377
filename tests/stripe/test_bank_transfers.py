"""Is a payment made from what its customer sends by bank transfer?"""

from __future__ import annotations

from typing import Any

import pytest

from tests.stripe.conftest import Api
from tests.stripe.paying import charge_of, conforms, of, types


def begin(api: Api, customer: str, **more: Any) -> dict[str, Any]:
    return conforms(api.post("/v1/payment_intents", {
        "amount": 2000, "currency": "usd", "customer": customer, "confirm": True,
        "payment_method_types": ["customer_balance"], "payment_method_data": {"type": "customer_balance"},
        "payment_method_options": {"customer_balance": {
            "funding_type": "bank_transfer", "bank_transfer": {"type": "us_bank_transfer"}}}, **more}))  # fmt: skip


def send(api: Api, customer: str, amount: int) -> None:
    path = f"/v1/test_helpers/customers/{customer}/fund_cash_balance"
    api.post(path, {"amount": amount, "currency": "usd"})


@pytest.fixture
def customer(api: Api) -> str:
    return str(api.post("/v1/customers")["id"])


def test_the_customer_is_told_where_to_send_it(api: Api, customer: str) -> None:
    intent = begin(api, customer)
    assert intent["status"] == "requires_action"
    told = intent["next_action"]["display_bank_transfer_instructions"]
    assert (told["amount_remaining"], told["type"], told["currency"]) == (2000, "us_bank_transfer", "usd")
    assert told["financial_addresses"][0]["aba"]["routing_number"] == "110000000"
    assert types(api)[-1] == "payment_intent.requires_action"


def test_what_arrives_pays_what_waits(api: Api, customer: str) -> None:
    intent = begin(api, customer)
    send(api, customer, 500)
    waiting = of(api, intent)
    assert waiting["next_action"]["display_bank_transfer_instructions"]["amount_remaining"] == 1500
    assert types(api)[-1] == "payment_intent.partially_funded"
    send(api, customer, 2000)
    paid = of(api, intent)
    assert (paid["status"], paid["amount_received"], paid["next_action"]) == ("succeeded", 2000, None)
    assert charge_of(api, paid)["payment_method_details"]["type"] == "customer_balance"
    assert api.get(f"/v1/customers/{customer}/cash_balance")["available"] == {"usd": 500}


def test_what_is_there_already_pays_at_once(api: Api, customer: str) -> None:
    send(api, customer, 2500)
    assert begin(api, customer)["status"] == "succeeded"
    moved = api.get(f"/v1/customers/{customer}/cash_balance_transactions")["data"][0]
    assert (moved["type"], moved["net_amount"], moved["ending_balance"]) == ("applied_to_payment", -2000, 500)


def test_who_matches_by_hand_applies_it_by_hand(api: Api, customer: str) -> None:
    api.post(f"/v1/customers/{customer}/cash_balance", {"settings": {"reconciliation_mode": "manual"}})
    intent = begin(api, customer)
    send(api, customer, 2500)
    path = f"/v1/payment_intents/{intent['id']}/apply_customer_balance"
    assert api.post(path, {"amount": 500})["status"] == "requires_action"
    assert api.refused("POST", path, {"amount": 1501})["param"] == "amount"
    assert api.post(path)["status"] == "succeeded"
    assert api.refused("POST", path)["code"] == "payment_intent_unexpected_state"


def test_canceling_gives_back_what_was_applied(api: Api, customer: str) -> None:
    intent = begin(api, customer)
    send(api, customer, 500)
    api.post(f"/v1/payment_intents/{intent['id']}/cancel")
    assert api.get(f"/v1/customers/{customer}/cash_balance")["available"] == {"usd": 500}


def test_a_transfer_is_somebodys(api: Api) -> None:
    error = api.refused("POST", "/v1/payment_intents", {
        "amount": 2000, "currency": "usd", "confirm": True, "payment_method_types": ["customer_balance"],
        "payment_method_data": {"type": "customer_balance"}})  # fmt: skip
    assert (error["code"], error["param"]) == ("parameter_missing", "customer")
