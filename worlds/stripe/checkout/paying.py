"""What happens when a shopper pays?"""

from __future__ import annotations

from typing import Any

from worlds.stripe import discounting, facts, pages, rails
from worlds.stripe.api import answering
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.checkout import collecting, finishing, items, offering, subscribing, totals
from worlds.stripe.checkout.collecting import Shopper
from worlds.stripe.models import CheckoutSession, Customer, PaymentIntent, PaymentMethod
from worlds.stripe.payments import confirming
from worlds.stripe.resources import customers, payment_intents, payment_methods, setup_intents

_CONSENT = {"customer_acceptance": {"type": "online", "online": {"ip_address": "127.0.0.1", "user_agent": "Checkout"}}}
#: What an intent takes over from the session as it was said.
_SAID = (
    "application_fee_amount", "capture_method", "description", "metadata", "on_behalf_of", "receipt_email",
    "setup_future_usage", "statement_descriptor", "statement_descriptor_suffix", "transfer_data", "transfer_group",
)  # fmt: skip


def pay(call: Call, session: CheckoutSession, card: dict[str, Any] | None = None, **told: Any) -> CheckoutSession:
    """Pay a session, or set up what is to pay later, as a shopper does who enters a card.

    `told` is what a `Shopper` tells besides; `where_next` says where they are sent then.
    Raises: StripeError for what is missing, and for a decline, after which they may try again.
    """
    shopper = Shopper(card=card, **told)
    return answering.all_or_nothing(lambda: _pay(call, session, shopper))


def _pay(call: Call, session: CheckoutSession, shopper: Shopper) -> CheckoutSession:
    require_open(session)
    price(call, session, shopper)
    if session.x_coupon is not None:
        discounting.require_redeemable(call, session.x_coupon, param="promotion_code")
    collecting.take(session, shopper)
    totals.require_payable(session)
    session.save()
    if session.mode == "payment" and not session.amount_total:
        finishing.complete(call, session, "no_payment_required")
        return session
    method = _method(call, session, shopper)
    _know(call, session)
    if session.mode == "payment":
        _pay_intent(call, session, method)
    elif session.mode == "setup":
        _set_up(call, session, method)
    else:
        subscribing.subscribe(call, session, method)
    session.refresh_from_db()
    return session


def require_open(session: CheckoutSession) -> None:
    """Refuse a session that is over.

    Raises: StripeError.
    """
    if session.status == "complete":
        raise StripeError("This Checkout Session has already been completed.", code="status_transition_invalid")
    if session.status == "expired":
        raise StripeError("This Checkout Session has expired.", code="status_transition_invalid")


def price(call: Call, session: CheckoutSession, shopper: Shopper) -> None:
    """Reckon what is to be paid from what the shopper chooses: quantities, a code, a way to ship.

    Raises: StripeError.
    """
    if session.mode == "setup":
        return
    for item in totals.items_of(session):
        if item.id in shopper.quantities and item.adjustable_quantity:
            wanted = shopper.quantities[item.id]
            items.require_quantity(wanted, item.adjustable_quantity, f"quantities[{item.id}]")
            item.quantity = wanted
        if item.id in shopper.amounts and item.price is not None and item.price.custom_unit_amount:
            item.x_chosen_amount = _chosen(shopper.amounts[item.id], item.price.custom_unit_amount)
        item.save()
    if shopper.promotion_code:
        offering.enter_code(call, session, shopper.promotion_code)
    if shopper.shipping_rate or session.shipping_cost is None:
        totals.ship(call, session, shopper.shipping_rate)
    totals.recount(session)
    session.save()


def _chosen(amount: int, bounds: dict[str, Any]) -> int:
    least, most = bounds.get("minimum") or 0, bounds.get("maximum")
    if amount < least or (most is not None and amount > most):
        raise StripeError("Choose an amount within the bounds that are given.", param="amount")
    return amount


def _method(call: Call, session: CheckoutSession, shopper: Shopper) -> PaymentMethod:
    """The payment method that the shopper enters, or one that they have."""
    details = session.customer_details or {}
    person: dict[str, Any] = {name: details[name] for name in ("email", "name", "phone") if details.get(name)}
    person["address"] = {part: value for part, value in (details.get("address") or {}).items() if value}
    if shopper.payment_method:
        method = payment_methods.resolve(call, shopper.payment_method)
    elif shopper.type not in (None, "card"):
        numbers = {name: value for name, value in shopper.bank_account.items() if value}
        data = {"type": shopper.type, str(shopper.type): numbers, "billing_details": person}
        method = payment_methods.make(call, data)
    elif shopper.card:
        method = payment_methods.make(call, {"type": "card", "card": shopper.card, "billing_details": person})
    else:
        raise StripeError("Enter a card.", code="parameter_missing", param="card")
    if method.type not in (session.payment_method_types or []):
        raise StripeError(
            f"This session does not take payment methods of the type `{method.type}`.", param="payment_method"
        )
    return method


def _know(call: Call, session: CheckoutSession) -> None:
    """Make a customer of the shopper where there must be one; on the session they are shown once it is complete."""
    if session.customer_id is not None or session.x_customer_id is not None:
        return
    keeps = session.mode == "subscription" or session.x_intent_data.get("setup_future_usage")
    if not keeps and session.customer_creation != "always":
        return
    session.x_customer = make_customer(call, session)
    session.save(update_fields=["x_customer"])


def make_customer(call: Call, session: CheckoutSession) -> Customer:
    """A customer from what the shopper told."""
    details = session.customer_details or {}
    told = {name: details[name] for name in ("address", "email", "name", "phone") if details.get(name)}
    shipping = (session.collected_information or {}).get("shipping_details")
    if shipping:
        told["shipping"] = shipping
    operation = facts.operations()["PostCustomers"]
    made = customers.create(Call(call.ctx, operation, {}, told, account=session.x_account))
    assert isinstance(made, Customer)
    return made


def buyer_of(session: CheckoutSession) -> str | None:
    """The id of the customer who pays."""
    return session.customer_id or session.x_customer_id


def _pay_intent(call: Call, session: CheckoutSession, method: PaymentMethod) -> None:
    intent = session.payment_intent or _intent(call, session)
    intent.amount = session.amount_total or 0
    intent.customer_id = buyer_of(session)
    shipping = (session.collected_information or {}).get("shipping_details")
    if shipping and not intent.shipping:
        intent.shipping = shipping
    intent.save()
    params: dict[str, Any] = {"payment_method": method.id, "return_url": _return_url(session)}
    if method.type in rails.WITH_MANDATE:
        params["mandate_data"] = _CONSENT
    confirming.confirm(call, intent, params)


def _intent(call: Call, session: CheckoutSession) -> PaymentIntent:
    told = {name: value for name, value in session.x_intent_data.items() if name in _SAID}
    if "shipping" in session.x_intent_data:
        told["shipping"] = session.x_intent_data["shipping"]
    options = {
        type: dict(given) for type, given in (session.payment_method_options or {}).items() if given and type != "link"
    }
    params = {
        **told, "amount": session.amount_total, "currency": session.currency,
        "payment_method_types": session.payment_method_types, "payment_method_options": options,
    }  # fmt: skip
    operation = facts.operations()["PostPaymentIntents"]
    intent = payment_intents.create(Call(call.ctx, operation, {}, params, account=session.x_account))
    assert isinstance(intent, PaymentIntent)
    session.payment_intent = intent
    session.save(update_fields=["payment_intent"])
    return intent


def _set_up(call: Call, session: CheckoutSession, method: PaymentMethod) -> None:
    intent = session.setup_intent
    assert intent is not None
    if buyer := buyer_of(session):
        intent.customer_id = buyer
        intent.save(update_fields=["customer"])
    params: dict[str, Any] = {"payment_method": method.id, "return_url": _return_url(session)}
    if method.type in rails.WITH_MANDATE:
        params["mandate_data"] = _CONSENT
    operation = facts.operations()["PostSetupIntentsIntentConfirm"]
    setup_intents.confirm(Call(call.ctx, operation, {"intent": intent.id}, params, account=session.x_account))


def _return_url(session: CheckoutSession) -> str:
    return pages.address("checkout", f"{session.id}/return")


def where_next(session: CheckoutSession) -> str | None:
    """Where the shopper goes now: to their bank, back to the shop; None where they stay."""
    for intent in (session.payment_intent, session.setup_intent):
        action = (intent.next_action if intent is not None else None) or {}
        if session.status == "open" and action.get("type") == "redirect_to_url":
            return str(action["redirect_to_url"]["url"])
    if session.status != "complete":
        return None
    template = session.success_url or session.return_url
    return template.replace("{CHECKOUT_SESSION_ID}", session.id) if template else None
