"""Does the official client take payments as it does on Stripe?"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode, urlsplit
from urllib.request import Request, urlopen

import pytest

from tests.openenv.servers import Server

stripe = pytest.importorskip("stripe")


def pay(sdk: Any, card: str = "pm_card_visa", **more: Any) -> Any:
    given = {"amount": 2000, "currency": "usd", "payment_method": card, "confirm": True, **more}
    return sdk.v1.payment_intents.create(given)


def advance(sdk: Any, server: Server, **by: int) -> None:
    """Let time pass in the client's account."""
    base = sdk._requestor._options.base_addresses["api"]
    with urlopen(base) as answer:
        id = json.load(answer)["id"]
    status, _, _ = server.post(f"/api/v1/instances/{id}/advance", by)
    assert status == 200, urlsplit(base)


def visit(intent: Any, outcome: str) -> str:
    """Go where the intent sends the shopper, and answer the bank there; answers where that leads."""
    with urlopen(
        Request(intent.next_action.redirect_to_url.url, data=urlencode({"outcome": outcome}).encode())
    ) as page:
        return str(page.url)


def test_a_card_pays_and_is_refunded(sdk: Any) -> None:
    intent = pay(sdk, metadata={"order": "7"}, expand=["latest_charge.balance_transaction"])
    assert intent.status == "succeeded"
    assert intent.latest_charge.balance_transaction.fee == 88
    assert sdk.v1.charges.retrieve(intent.latest_charge.id).metadata.to_dict() == {"order": "7"}
    refund = sdk.v1.refunds.create({"payment_intent": intent.id, "amount": 500})
    assert (refund.status, refund.amount) == ("succeeded", 500)
    charge = sdk.v1.charges.retrieve(intent.latest_charge.id, {"expand": ["refunds"]})
    assert (charge.amount_refunded, charge.refunds.data[0].id) == (500, refund.id)
    with pytest.raises(stripe.InvalidRequestError, match="greater than unrefunded amount"):
        sdk.v1.refunds.create({"payment_intent": intent.id, "amount": 1501})


@pytest.mark.parametrize(
    ("card", "decline_code"),
    [
        ("pm_card_visa_chargeDeclined", "generic_decline"),
        ("pm_card_visa_chargeDeclinedInsufficientFunds", "insufficient_funds"),
    ],
)
def test_a_card_is_declined(card: str, decline_code: str, sdk: Any) -> None:
    with pytest.raises(stripe.CardError) as caught:
        pay(sdk, card)
    error = caught.value.error
    assert (caught.value.http_status, error.code, error.decline_code) == (402, "card_declined", decline_code)
    intent = sdk.v1.payment_intents.retrieve(error.payment_intent.id)
    assert (intent.status, intent.last_payment_error.decline_code) == ("requires_payment_method", decline_code)
    assert sdk.v1.payment_intents.confirm(intent.id, {"payment_method": "pm_card_visa"}).status == "succeeded"


def test_a_shopper_authenticates(sdk: Any, server: Server) -> None:
    back = f"{server.url}/health"
    intent = pay(sdk, "pm_card_threeDSecure2Required", return_url=back)
    assert intent.status == "requires_action"
    assert f"payment_intent={intent.id}" in visit(intent, "success")
    assert sdk.v1.payment_intents.retrieve(intent.id).status == "succeeded"
    intent = pay(sdk, "pm_card_threeDSecure2Required", return_url=back)
    assert "redirect_status=failed" in visit(intent, "fail")
    after = sdk.v1.payment_intents.retrieve(intent.id)
    assert after.status == "requires_payment_method"
    assert after.last_payment_error.code == "payment_intent_authentication_failure"


def test_a_part_of_what_is_held_is_captured(sdk: Any) -> None:
    intent = pay(sdk, capture_method="manual")
    assert (intent.status, intent.amount_capturable) == ("requires_capture", 2000)
    taken = sdk.v1.payment_intents.capture(intent.id, {"amount_to_capture": 1200})
    assert (taken.status, taken.amount_received) == ("succeeded", 1200)
    with pytest.raises(stripe.InvalidRequestError) as caught:
        sdk.v1.payment_intents.capture(intent.id)
    assert caught.value.code == "payment_intent_unexpected_state"
    assert caught.value.error.payment_intent.id == intent.id


@pytest.mark.parametrize(("text", "status"), [("winning_evidence", "won"), ("losing_evidence", "lost")])
def test_a_dispute_is_answered(text: str, status: str, sdk: Any) -> None:
    intent = pay(sdk, "pm_card_createDispute")
    (dispute,) = sdk.v1.disputes.list({"payment_intent": intent.id}).data
    assert dispute.status == "needs_response"
    after = sdk.v1.disputes.update(dispute.id, {"evidence": {"uncategorized_text": text}})
    assert after.status == status
    assert len(after.balance_transactions) == (2 if status == "won" else 1)


def test_a_bank_debit_settles_and_a_payout_arrives(sdk: Any, server: Server) -> None:
    intent = pay(
        sdk, "pm_usBankAccount_success", payment_method_types=["us_bank_account"],
        mandate_data={"customer_acceptance": {"type": "offline"}},
    )  # fmt: skip
    assert intent.status == "processing"
    advance(sdk, server, days=5)
    assert sdk.v1.payment_intents.retrieve(intent.id).status == "succeeded"
    with pytest.raises(stripe.InvalidRequestError) as caught:
        sdk.v1.payouts.create({"amount": 1000, "currency": "usd"})
    assert caught.value.code == "balance_insufficient"
    advance(sdk, server, days=2)
    assert sdk.v1.balance.retrieve().available[0].amount == 1984
    payout = sdk.v1.payouts.create({"amount": 1000, "currency": "usd"})
    assert payout.status == "pending"
    advance(sdk, server, days=3)
    assert sdk.v1.payouts.retrieve(payout.id).status == "paid"
    movements = sdk.v1.balance_transactions.list({"limit": 2})
    assert [row.type for row in movements.auto_paging_iter()] == ["payout", "payment"]


def test_a_token_is_charged_the_older_way(sdk: Any) -> None:
    charge = sdk.v1.charges.create({"amount": 1000, "currency": "usd", "source": "tok_visa"})
    assert (charge.status, charge.paid) == ("succeeded", True)
    assert sdk.v1.refunds.create({"charge": charge.id}).status == "succeeded"
