"""Do charges behave, those of intents and the older ones?"""

from __future__ import annotations

import pytest

from tests.stripe.conftest import Api
from tests.stripe.paying import charge_of, conforms, pay, types

CHARGE = {"amount": 1000, "currency": "usd", "source": "tok_visa"}


def test_a_token_is_charged_at_once(api: Api) -> None:
    charge = conforms(api.post("/v1/charges", {**CHARGE, "description": "Tea", "metadata": {"a": "1"}}))
    assert (charge["status"], charge["captured"], charge["payment_intent"]) == ("succeeded", True, None)
    assert charge["payment_method"].startswith("card_")
    assert types(api) == ["charge.succeeded"]
    moved = api.get(f"/v1/balance_transactions/{charge['balance_transaction']}")
    assert (moved["amount"], moved["fee"], moved["description"]) == (1000, 59, "Tea")


def test_a_token_that_is_declined_leaves_a_failed_charge(api: Api) -> None:
    error = api.refused("POST", "/v1/charges", {**CHARGE, "source": "tok_chargeDeclined"})
    assert (error["status"], error["code"], error["decline_code"]) == (402, "card_declined", "generic_decline")
    assert api.get(f"/v1/charges/{error['charge']}")["status"] == "failed"
    assert types(api) == ["charge.failed"]


def test_a_customers_default_source_is_charged(api: Api) -> None:
    customer = api.post("/v1/customers")["id"]
    path = f"/v1/customers/{customer}/sources"
    error = api.refused("POST", "/v1/charges", {"amount": 500, "currency": "usd", "customer": customer})
    assert (error["status"], error["code"]) == (402, "missing")
    card = api.post(path, {"source": "tok_visa"})["id"]
    charge = api.post("/v1/charges", {"amount": 500, "currency": "usd", "customer": customer})
    assert (charge["payment_method"], charge["customer"]) == (card, customer)
    given = {"amount": 500, "currency": "usd", "customer": customer, "source": card}
    assert api.post("/v1/charges", given)["payment_method"] == card
    error = api.refused("POST", "/v1/charges", {**given, "source": "card_x"})
    assert (error["status"], error["param"]) == (404, "source")


@pytest.mark.parametrize("missing", ["amount", "currency", "source"])
def test_a_charge_needs_to_know_what_of_whom(missing: str, api: Api) -> None:
    given = {name: value for name, value in CHARGE.items() if name != missing}
    assert api.refused("POST", "/v1/charges", given)["code"] == "parameter_missing"


def test_a_charge_is_held_and_captured(api: Api) -> None:
    charge = api.post("/v1/charges", {**CHARGE, "capture": False})
    assert (charge["captured"], charge["balance_transaction"]) == (False, None)
    path = f"/v1/charges/{charge['id']}/capture"
    assert api.refused("POST", path, {"amount": 1001})["code"] == "amount_too_large"
    taken = conforms(api.post(path, {"amount": 600}))
    assert (taken["captured"], taken["amount_captured"]) == (True, 600)
    assert api.refused("POST", path)["code"] == "charge_already_captured"
    assert types(api) == ["charge.succeeded", "charge.captured"]


def test_a_held_charge_expires(api: Api) -> None:
    charge = api.post("/v1/charges", {**CHARGE, "capture": False})
    api.inst.advance(days=7, seconds=1)
    after = api.get(f"/v1/charges/{charge['id']}")
    assert (after["refunded"], after["captured"]) == (True, False)
    assert types(api)[-1] == "charge.expired"
    assert api.refused("POST", f"/v1/charges/{charge['id']}/capture")["code"] == "charge_expired_for_capture"


def test_capturing_an_intents_charge_captures_the_intent(api: Api) -> None:
    intent = pay(api, capture_method="manual")
    assert api.post(f"/v1/charges/{intent['latest_charge']}/capture")["captured"] is True
    assert api.get(f"/v1/payment_intents/{intent['id']}")["status"] == "succeeded"


def test_a_charge_takes_a_description_and_tells_of_it(api: Api) -> None:
    charge = charge_of(api, pay(api))
    path = f"/v1/charges/{charge['id']}"
    assert api.post(path, {"description": "Tea"})["description"] == "Tea"
    (event,) = api.events("charge.updated")
    assert event["previous_attributes"] == {"description": None}
    fraud = api.post(path, {"fraud_details": {"user_report": "fraudulent"}})["fraud_details"]
    assert fraud == {"user_report": "fraudulent"}
    assert api.refused("POST", path, {"amount": 5})["code"] == "parameter_unknown"


def test_charges_are_listed_by_what_they_belong_to(api: Api) -> None:
    customer = api.post("/v1/customers")["id"]
    mine, other = pay(api, customer=customer), pay(api, transfer_group="g1")
    for params, intent in (
        ({"customer": customer}, mine), ({"payment_intent": other["id"]}, other), ({"transfer_group": "g1"}, other),
    ):  # fmt: skip
        assert [row["id"] for row in api.get("/v1/charges", params)["data"]] == [intent["latest_charge"]]


def test_refunds_are_shown_only_when_they_are_asked_for(api: Api) -> None:
    intent = pay(api)
    assert "refunds" not in charge_of(api, intent)
    assert charge_of(api, intent, "refunds")["refunds"]["data"] == []
    expanded = api.get(f"/v1/payment_intents/{intent['id']}", {"expand": ["latest_charge.balance_transaction"]})
    assert expanded["latest_charge"]["balance_transaction"]["net"] == 1912


@pytest.mark.parametrize(
    ("card", "field", "value"),
    [
        ("pm_card_cvcCheckFail", "cvc_check", "fail"),
        ("pm_card_riskLevelElevated", "risk_level", "elevated"),
        ("pm_card_riskLevelHighest", "risk_level", "highest"),
    ],
)
def test_cards_are_checked_and_weighed(card: str, field: str, value: str, api: Api) -> None:
    charge = charge_of(api, pay(api, card))
    assert {**charge["payment_method_details"]["card"]["checks"], **charge["outcome"]}[field] == value
