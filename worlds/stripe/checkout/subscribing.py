"""What comes of a session by which a shopper subscribes?

The payment method is the customer's from then on, and the subscription is begun by the operation that begins any. What
that operation does not do yet is missing here too: until billing charges first invoices, nothing is paid.
"""

from __future__ import annotations

from typing import Any

from worlds.stripe import facts
from worlds.stripe.api import answering
from worlds.stripe.api.call import Call
from worlds.stripe.checkout import finishing, totals
from worlds.stripe.models import CheckoutSession, PaymentMethod
from worlds.stripe.resources import attaching

_SAID = (
    "application_fee_percent", "billing_cycle_anchor", "default_tax_rates", "description", "metadata", "on_behalf_of",
    "proration_behavior", "transfer_data", "trial_end", "trial_period_days", "trial_settings",
)  # fmt: skip
#: What a subscription's status says of its first payment.
_PAID = {"active": "paid", "trialing": "no_payment_required"}


def subscribe(call: Call, session: CheckoutSession, method: PaymentMethod) -> None:
    """Keep the payment method, begin the subscription, and complete the session.

    Raises: StripeError for a card whose issuer refuses it.
    """
    customer = session.customer or session.x_customer
    assert customer is not None
    attaching.attach(call, method, customer)
    operation = facts.operations()["PostSubscriptions"]
    params: dict[str, Any] = {
        **{name: value for name, value in session.x_subscription_data.items() if name in _SAID},
        "customer": customer.id,
        "default_payment_method": method.id,
        "items": _items(session),
    }
    if once := _once(session):
        params["add_invoice_items"] = once
    if discounts := _discounts(session):
        params["discounts"] = discounts
    begun = Call(call.ctx, operation, {}, params, account=session.x_account)
    subscription = answering.shown(begun, answering.run(begun))
    session.subscription = subscription["id"]
    latest = subscription.get("latest_invoice")
    session.invoice = latest["id"] if isinstance(latest, dict) else latest
    finishing.complete(call, session, _PAID.get(subscription.get("status", ""), "unpaid"))


def _items(session: CheckoutSession) -> list[dict[str, Any]]:
    found = []
    for item in totals.items_of(session):
        if item.price is not None and item.price.recurring:
            line: dict[str, Any] = {"price": item.price.id}
            if item.quantity is not None:
                line["quantity"] = item.quantity
            if item.x_tax_rates:
                line["tax_rates"] = item.x_tax_rates
            found.append(line)
    return found


def _once(session: CheckoutSession) -> list[dict[str, Any]]:
    """What is paid with the first invoice only."""
    return [
        {"price": item.price.id, "quantity": item.quantity or 1}
        for item in totals.items_of(session)
        if item.price is not None and not item.price.recurring
    ]


def _discounts(session: CheckoutSession) -> list[dict[str, str]]:
    if session.x_promotion_code is not None:
        return [{"promotion_code": session.x_promotion_code.id}]
    return [] if session.x_coupon is None else [{"coupon": session.x_coupon.id}]
