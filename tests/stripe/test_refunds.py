"""Does money go back as it does on Stripe?"""

from __future__ import annotations

import pytest

from tests.stripe.conftest import Api
from tests.stripe.paying import charge_of, conforms, debit, declined, pay, types


def test_a_payment_is_refunded_in_parts_and_then_whole(api: Api) -> None:
    intent = pay(api, description="Order 7")
    first = conforms(api.post("/v1/refunds", {"payment_intent": intent["id"], "amount": 500}))
    assert (first["status"], first["charge"], first["currency"]) == ("succeeded", intent["latest_charge"], "usd")
    assert first["destination_details"]["card"]["reference_status"] == "pending"
    assert types(api)[-2:] == ["refund.created", "charge.refunded"]
    charge = charge_of(api, intent)
    assert (charge["amount_refunded"], charge["refunded"]) == (500, False)
    rest = api.post("/v1/refunds", {"charge": intent["latest_charge"], "reason": "requested_by_customer"})
    assert (rest["amount"], rest["reason"]) == (1500, "requested_by_customer")
    charge = charge_of(api, intent, "refunds")
    assert (charge["amount_refunded"], charge["refunded"]) == (2000, True)
    assert [row["id"] for row in charge["refunds"]["data"]] == [rest["id"], first["id"]]
    moved = api.get(f"/v1/balance_transactions/{first['balance_transaction']}")
    assert (moved["type"], moved["amount"], moved["fee"]) == ("refund", -500, 0)
    assert moved["description"] == "REFUND FOR CHARGE (Order 7)"


def test_no_more_is_refunded_than_was_paid(api: Api) -> None:
    intent = pay(api)
    error = api.refused("POST", "/v1/refunds", {"payment_intent": intent["id"], "amount": 2001})
    assert (error["status"], error["param"]) == (400, "amount")
    assert error["message"] == "Refund amount ($20.01) is greater than charge amount ($20.00)"
    api.post("/v1/refunds", {"payment_intent": intent["id"], "amount": 1500})
    error = api.refused("POST", "/v1/refunds", {"payment_intent": intent["id"], "amount": 501})
    assert error["message"] == "Refund amount ($5.01) is greater than unrefunded amount on charge ($5.00)"
    api.post("/v1/refunds", {"payment_intent": intent["id"]})
    error = api.refused("POST", "/v1/refunds", {"payment_intent": intent["id"]})
    assert error["code"] == "charge_already_refunded"


@pytest.mark.parametrize("amount", [0, -1])
def test_a_refund_is_of_something(amount: int, api: Api) -> None:
    error = api.refused("POST", "/v1/refunds", {"payment_intent": pay(api)["id"], "amount": amount})
    assert error["code"] == "parameter_invalid_integer"


def test_a_refund_names_what_it_refunds(api: Api) -> None:
    assert api.refused("POST", "/v1/refunds")["code"] == "parameter_missing"
    error = api.refused("POST", "/v1/refunds", {"charge": "ch_x"})
    assert (error["status"], error["code"], error["param"]) == (404, "resource_missing", "id")
    error = api.refused("POST", "/v1/refunds", {"payment_intent": "pi_x"})
    assert (error["code"], error["param"]) == ("resource_missing", "payment_intent")


def test_what_was_not_captured_is_canceled_instead(api: Api) -> None:
    held = pay(api, capture_method="manual")
    error = api.refused("POST", "/v1/refunds", {"payment_intent": held["id"]})
    assert f"cancel the PaymentIntent {held['id']}" in error["message"]
    failed = declined(api, "pm_card_visa_chargeDeclined")["payment_intent"]
    assert api.refused("POST", "/v1/refunds", {"payment_intent": failed["id"]})["status"] == 400


def test_a_disputed_charge_is_not_refunded(api: Api) -> None:
    error = api.refused("POST", "/v1/refunds", {"payment_intent": pay(api, "pm_card_createDispute")["id"]})
    assert error["code"] == "charge_disputed"
    inquired = pay(api, "pm_card_createDisputeInquiry")
    assert api.post("/v1/refunds", {"payment_intent": inquired["id"]})["status"] == "succeeded"


def test_a_pending_refund_succeeds_by_the_clock(api: Api) -> None:
    intent = pay(api, "pm_card_pendingRefund")
    refund = conforms(api.post("/v1/refunds", {"payment_intent": intent["id"]}))
    assert (refund["status"], refund["pending_reason"]) == ("pending", "processing")
    api.inst.advance(minutes=2)
    assert api.get(f"/v1/refunds/{refund['id']}")["status"] == "succeeded"
    assert types(api)[-2:] == ["refund.updated", "charge.refund.updated"]


def test_a_pending_refund_can_be_canceled(api: Api) -> None:
    intent = pay(api, "pm_card_pendingRefund")
    refund = api.post("/v1/refunds", {"payment_intent": intent["id"]})
    assert api.post(f"/v1/refunds/{refund['id']}/cancel")["status"] == "canceled"
    assert charge_of(api, intent)["amount_refunded"] == 0
    api.inst.advance(minutes=2)
    assert api.get(f"/v1/refunds/{refund['id']}")["status"] == "canceled"
    settled = api.post("/v1/refunds", {"payment_intent": pay(api)["id"]})
    assert api.refused("POST", f"/v1/refunds/{settled['id']}/cancel")["status"] == 400


def test_a_refund_that_fails_comes_back(api: Api) -> None:
    intent = pay(api, "pm_card_refundFail")
    before = api.get("/v1/balance")["pending"][0]["amount"]
    refund = api.post("/v1/refunds", {"payment_intent": intent["id"]})
    assert refund["status"] == "succeeded"
    assert api.get("/v1/balance")["pending"][0]["amount"] == before - 2000
    api.inst.advance(minutes=2)
    failed = conforms(api.get(f"/v1/refunds/{refund['id']}"))
    assert (failed["status"], failed["failure_reason"]) == ("failed", "expired_or_canceled_card")
    back = api.get(f"/v1/balance_transactions/{failed['failure_balance_transaction']}")
    assert (back["type"], back["amount"]) == ("refund_failure", 2000)
    assert (charge_of(api, intent)["refunded"], charge_of(api, intent)["amount_refunded"]) == (False, 0)
    assert api.get("/v1/balance")["pending"][0]["amount"] == before
    assert types(api)[-3:] == ["refund.updated", "charge.refund.updated", "refund.failed"]


def test_a_banks_refund_takes_days(api: Api) -> None:
    intent = debit(api)
    assert api.refused("POST", "/v1/refunds", {"payment_intent": intent["id"]})["code"] == "charge_not_refundable"
    api.inst.advance(days=5)
    refund = conforms(api.post("/v1/refunds", {"payment_intent": intent["id"]}))
    assert (refund["status"], refund["id"][:4]) == ("pending", "pyr_")
    api.inst.advance(days=4)
    assert api.get(f"/v1/refunds/{refund['id']}")["status"] == "succeeded"


def test_refunds_are_read_and_changed_under_their_charge_too(api: Api) -> None:
    intent = pay(api)
    charge = f"/v1/charges/{intent['latest_charge']}"
    refund = api.post(f"{charge}/refunds", {"amount": 500})
    assert api.post(f"{charge}/refund", {"amount": 300})["object"] == "charge"
    assert api.get(f"{charge}/refunds/{refund['id']}")["id"] == refund["id"]
    assert api.post(f"{charge}/refunds/{refund['id']}", {"metadata": {"a": "1"}})["metadata"] == {"a": "1"}
    assert types(api)[-2:] == ["refund.updated", "charge.refund.updated"]
    assert (
        len(api.get(f"{charge}/refunds")["data"]) == len(api.get("/v1/refunds", {"charge": charge[12:]})["data"]) == 2
    )
    assert api.refused("POST", f"/v1/refunds/{refund['id']}", {"amount": 5})["code"] == "parameter_unknown"
    assert api.refused("GET", "/v1/refunds/re_x")["message"] == "No such refund: 're_x'"
