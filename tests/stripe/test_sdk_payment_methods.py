"""Does the official client keep cards as it does on Stripe?"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest

stripe = pytest.importorskip("stripe")


def test_cards_are_attached_listed_and_detached(sdk: Any) -> None:
    customer = sdk.v1.customers.create({"email": "ada@example.com"})
    for name in ("pm_card_visa", "pm_card_mastercard"):
        sdk.v1.payment_methods.attach(name, {"customer": customer.id})
    found = sdk.v1.payment_methods.list({"customer": customer.id, "type": "card"}).data
    assert [method.card.brand for method in found] == ["mastercard", "visa"]
    sdk.v1.customers.update(customer.id, {"invoice_settings": {"default_payment_method": found[0].id}})
    assert sdk.v1.payment_methods.detach(found[0].id).customer is None
    assert sdk.v1.customers.retrieve(customer.id).invoice_settings.default_payment_method is None


def test_a_card_that_is_refused_is_a_card_error(sdk: Any) -> None:
    customer = sdk.v1.customers.create()
    with pytest.raises(stripe.CardError) as caught:
        sdk.v1.payment_methods.attach("pm_card_visa_chargeDeclinedStolenCard", {"customer": customer.id})
    assert (caught.value.code, caught.value.error.decline_code) == ("card_declined", "stolen_card")
    assert sdk.v1.payment_methods.list({"customer": customer.id}).data == []


def test_a_token_is_made_and_used_once(sdk: Any) -> None:
    token = sdk.v1.tokens.create(
        {"card": {"number": "4242424242424242", "exp_month": "12", "exp_year": "2034", "cvc": "123"}}
    )
    method = sdk.v1.payment_methods.create({"type": "card", "card": {"token": token.id}})
    assert method.card.last4 == "4242"
    with pytest.raises(stripe.InvalidRequestError) as caught:
        sdk.v1.payment_methods.create({"type": "card", "card": {"token": token.id}})
    assert caught.value.code == "token_already_used"


def visit(intent: Any, outcome: str) -> str:
    """Go where the intent sends the shopper, and answer the bank there; answers where that leads."""
    url = intent.next_action.redirect_to_url.url
    with urlopen(url) as page:
        assert b"Complete authentication" in page.read()
    with urlopen(Request(url, data=urlencode({"outcome": outcome}).encode())) as answered:
        return str(answered.url)


def test_a_setup_is_authenticated_on_the_page_it_names(sdk: Any, server: Any) -> None:
    customer = sdk.v1.customers.create()

    def begin() -> Any:
        return sdk.v1.setup_intents.create(
            {
                "customer": customer.id, "payment_method": "pm_card_threeDSecure2Required", "confirm": True,
                "return_url": f"{server.url}/health",
            }
        )  # fmt: skip

    intent = begin()
    assert intent.status == "requires_action"
    assert f"setup_intent={intent.id}" in visit(intent, "success")
    after = sdk.v1.setup_intents.retrieve(intent.id, {"expand": ["payment_method"]})
    assert (after.status, after.payment_method.customer) == ("succeeded", customer.id)

    intent = begin()
    assert "redirect_status=failed" in visit(intent, "fail")
    after = sdk.v1.setup_intents.retrieve(intent.id)
    assert after.status == "requires_payment_method"
    assert after.last_setup_error.code == "setup_intent_authentication_failure"


def test_a_refused_setup_shows_the_intent_in_the_error(sdk: Any) -> None:
    with pytest.raises(stripe.CardError) as caught:
        sdk.v1.setup_intents.create({"payment_method": "pm_card_visa_chargeDeclined", "confirm": True})
    intent = caught.value.error.setup_intent
    assert (intent.status, intent.last_setup_error.decline_code) == ("requires_payment_method", "generic_decline")
    (attempt,) = sdk.v1.setup_attempts.list({"setup_intent": intent.id}).data
    assert attempt.status == "failed"
