"""Does a marketplace work with the official client: onboarding, a shared payment, a refund, a payout?"""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit
from urllib.request import Request, urlopen

import pytest

from tests.openenv.servers import Server
from tests.stripe.test_sdk_payments import advance

stripe = pytest.importorskip("stripe")


def onboard(sdk: Any, server: Server, account: str) -> None:
    """Go through the pages that an account's owner is sent to."""
    link = sdk.v1.account_links.create(
        {
            "account": account, "type": "account_onboarding", "refresh_url": f"{server.url}/health?again",
            "return_url": f"{server.url}/health?done",
        }
    )  # fmt: skip
    with urlopen(Request(link.url, data=urlencode({"individual.first_name": "Ada"}).encode())) as page:
        assert page.url == f"{server.url}/health?done"


def test_a_marketplace_pays_its_sellers(sdk: Any, server: Server) -> None:
    seller = sdk.v1.accounts.create({"type": "express", "country": "US", "email": "ada@example.com"})
    assert (seller.charges_enabled, seller.payouts_enabled) == (False, False)
    with pytest.raises(stripe.InvalidRequestError) as caught:
        sdk.v1.payment_intents.create({"amount": 5000, "currency": "usd", "transfer_data": {"destination": seller.id}})
    assert caught.value.code == "insufficient_capabilities_for_transfer"
    onboard(sdk, server, seller.id)
    assert sdk.v1.accounts.retrieve(seller.id).capabilities.transfers == "active"

    intent = sdk.v1.payment_intents.create(
        {
            "amount": 10000, "currency": "usd", "payment_method": "pm_card_visa", "confirm": True,
            "transfer_data": {"destination": seller.id}, "application_fee_amount": 1000,
            "expand": ["latest_charge.transfer", "latest_charge.application_fee"],
        }
    )  # fmt: skip
    assert intent.latest_charge.transfer.amount == 10000
    assert intent.latest_charge.application_fee.amount == 1000
    for_seller = {"stripe_account": seller.id}
    assert sdk.v1.balance.retrieve(options=for_seller).pending[0].amount == 9000

    refund = sdk.v1.refunds.create(
        {"payment_intent": intent.id, "amount": 5000, "reverse_transfer": True, "refund_application_fee": True}
    )
    assert refund.transfer_reversal.startswith("trr_")
    advance(sdk, server, days=3)
    assert sdk.v1.balance.retrieve(options=for_seller).available[0].amount == 4500

    payout = sdk.v1.payouts.create({"amount": 4500, "currency": "usd"}, for_seller)
    advance(sdk, server, days=3)
    assert sdk.v1.payouts.retrieve(payout.id, options=for_seller).status == "paid"
    assert sdk.v1.balance.retrieve(options=for_seller).available[0].amount == 0
    assert sdk.v1.balance.retrieve().available[0].amount == 10000 - 320 - 5000 - 5000 + 500
    happened = [event.type for event in sdk.v1.events.list({"limit": 30}, for_seller).auto_paging_iter()]
    assert {"account.updated", "capability.updated", "payment.created", "payout.paid"} < set(happened)


def test_a_seller_lets_a_platform_act_for_them(sdk: Any, server: Server) -> None:
    base = sdk._requestor._options.base_addresses["api"]
    seller = sdk.v1.accounts.create({"type": "express"})
    onboard(sdk, server, seller.id)
    given = {"amount": 500, "currency": "usd", "payment_method": "pm_card_visa", "confirm": True}
    sdk.v1.payment_intents.create({**given, "application_fee_amount": 10}, {"stripe_account": seller.id})
    application = sdk.v1.application_fees.list().data[0].application
    form = urlencode({"redirect_uri": f"{server.url}/health", "answer": "yes"}).encode()
    asked = urlencode({"client_id": application, "response_type": "code"})
    with urlopen(f"{base}/oauth/authorize?redirect_uri=https://p.example.com&{asked}") as page:
        assert b"asks to act for you" in page.read()
    with urlopen(Request(f"{base}/oauth/authorize", data=form)) as page:
        code = parse_qs(urlsplit(page.url).query)["code"][0]
    granted = sdk.oauth.token({"grant_type": "authorization_code", "code": code})
    own = stripe.StripeClient(granted.access_token, base_addresses={"api": base}, max_network_retries=0)
    assert own.v1.accounts.retrieve_current().id == granted.stripe_user_id
    with pytest.raises(stripe.oauth_error.InvalidGrantError):
        sdk.oauth.token({"grant_type": "authorization_code", "code": code})
    gone = sdk.oauth.deauthorize({"client_id": application, "stripe_user_id": granted.stripe_user_id})
    assert gone.stripe_user_id == granted.stripe_user_id
