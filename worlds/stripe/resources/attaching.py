"""How does a customer come to keep a payment method, and lose it again?"""

from __future__ import annotations

from typing import Any

from worlds.stripe import entered_cards, rails
from worlds.stripe.api import changing
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.card_numbers import PARAMS, message_of
from worlds.stripe.models import Customer, PaymentMethod

_SPENT = (
    "The provided PaymentMethod was previously used with a PaymentIntent without Customer attachment, shared with a "
    "connected account without Customer attachment, or was detached from a Customer. It may not be used again. To use "
    "a PaymentMethod multiple times, you must attach it to a Customer first."
)


def require_unspent(method: PaymentMethod) -> None:
    """Refuse a payment method whose one use is over.

    Raises: StripeError.
    """
    if method.x_is_spent and method.customer_id is None:
        raise StripeError(_SPENT, code="payment_method_unexpected_state", param="payment_method")


def spend(method: PaymentMethod) -> None:
    """Note that a payment method was used: nobody's is good for one time."""
    if method.customer_id is None and not method.x_is_spent:
        method.x_is_spent = True
        method.save(update_fields=["x_is_spent"])


def attach(call: Call, method: PaymentMethod, customer: Customer) -> PaymentMethod:
    """Keep a payment method for a customer, once its issuer agrees to nothing being charged.

    Raises: StripeError for one that is another's or spent, and the issuer's refusal.
    """
    if method.customer_id == customer.id:
        return method
    if method.customer_id is not None:
        raise StripeError("The payment method you provided has already been attached to a customer.")
    require_unspent(method)
    if method.type not in rails.REUSABLE:
        raise StripeError(
            f"Payment methods of the type `{method.type}` are used once and cannot be attached to a customer.",
            param="payment_method",
        )
    require_accepted(method)
    keep(call, method, customer)
    return method


def require_accepted(method: PaymentMethod) -> None:
    """Refuse a card whose issuer refuses it already when it is kept.

    Raises: StripeError, a decline.
    """
    card = method.test_card
    if card is not None and card.decline is not None and card.declines_on_attach:
        raise declined(*card.decline)


def declined(code: str, decline_code: str | None, **more: Any) -> StripeError:
    """An issuer's refusal."""
    return StripeError(
        message_of(code, decline_code),
        status=402,
        kind="card_error",
        code=code,
        param=PARAMS.get(code),
        **{"decline_code": decline_code, **more},
    )


def keep(call: Call, method: PaymentMethod, customer: Customer) -> None:
    """Write down whose a payment method is, and tell of it."""
    if method.customer_id == customer.id:
        return
    method.customer = customer
    if method.type == "card":
        method.rail = entered_cards.checked(method.rail, method.test_card, method.billing_details)
    method.save(update_fields=["customer", "rail"])
    call.emit("payment_method.attached", method)


def detach(call: Call, method: PaymentMethod) -> PaymentMethod:
    """Take a payment method from its customer, for good.

    Raises: StripeError for one that is nobody's.
    """
    owner = method.customer
    if owner is None:
        raise StripeError(
            "The payment method you provided is not attached to a customer so detachment is impossible.",
            param="payment_method",
        )
    forget(call, method, owner)
    previous = changing.change(method, {"customer_id": None, "x_is_spent": True})
    call.emit("payment_method.detached", method, previous)
    return method


def forget(call: Call, method: PaymentMethod, owner: Customer) -> None:
    """No longer use a payment method as its customer's default."""
    values: dict[str, Any] = {}
    if owner.invoice_settings.get("default_payment_method") == method.id:
        values["invoice_settings"] = {**owner.invoice_settings, "default_payment_method": None}
    if owner.default_source_id == method.id:
        following = call.rows(PaymentMethod).filter(customer=owner).exclude(pk=method.pk).exclude(pk__startswith="pm_")
        values["default_source_id"] = following.order_by("-x_seq").values_list("pk", flat=True).first()
    previous = changing.change(owner, values)
    if previous:
        call.emit("customer.updated", owner, previous)
