"""How is a payment made from what its customer sends by bank transfer?"""

from __future__ import annotations

from typing import Any

from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError, missing_parameter
from worlds.stripe.models import Customer, PaymentIntent
from worlds.stripe.payments import attempting, states
from worlds.stripe.resources import cash_balances

ACTION = "display_bank_transfer_instructions"
_KINDS = {"eur": "eu_bank_transfer", "gbp": "gb_bank_transfer", "jpy": "jp_bank_transfer", "mxn": "mx_bank_transfer"}
_NOWHERE = {"city": None, "country": "US", "line1": None, "line2": None, "postal_code": None, "state": None}
_HOLDER = {"account_holder_address": _NOWHERE, "account_holder_name": "Stripe Inc.", "bank_address": _NOWHERE}


def begin(call: Call, intent: PaymentIntent) -> None:
    """Pay from what is there already, and tell the customer where to send the rest.

    Raises: StripeError for an intent without a customer.
    """
    if intent.customer is None:
        raise missing_parameter("customer")
    states.move(intent, "requires_action")
    intent.next_action = {"type": ACTION, ACTION: _instructions(call, intent)}
    intent.save()
    if _available(intent) and cash_balances.of(intent.customer.id).reconciliation_mode == "automatic":
        apply(call, intent, None)
        if intent.status == "succeeded":
            return
    call.emit("payment_intent.requires_action", intent)


def _instructions(call: Call, intent: PaymentIntent) -> dict[str, Any]:
    asked = ((intent.payment_method_options or {}).get("customer_balance") or {}).get("bank_transfer") or {}
    kind = asked.get("type") or _KINDS.get(intent.currency, "us_bank_transfer")
    number = call.ctx.ids.token(12, "0123456789")
    if kind == "gb_bank_transfer":
        account = {**_HOLDER, "account_number": number[:8], "sort_code": "108800"}
        addresses = [{"type": "sort_code", "supported_networks": ["bacs", "fps"], "sort_code": account}]
    elif kind == "eu_bank_transfer":
        country = (asked.get("eu_bank_transfer") or {}).get("country", "DE")
        account = {**_HOLDER, "bic": "SXPYDEHHXXX", "country": country, "iban": f"{country}11{number}00000"}
        addresses = [{"type": "iban", "supported_networks": ["sepa"], "iban": account}]
    else:
        account = {**_HOLDER, "account_number": number, "account_type": "checking", "bank_name": "STRIPE TEST BANK",
                   "routing_number": "110000000"}  # fmt: skip
        addresses = [{"type": "aba", "supported_networks": ["ach", "domestic_wire_us"], "aba": account}]
    return {
        "amount_remaining": intent.amount,
        "currency": intent.currency,
        "financial_addresses": addresses,
        "hosted_instructions_url": f"https://payments.stripe.com/bank_transfers/instructions/{call.token(24)}",
        "reference": call.ctx.ids.token(12, "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"),
        "type": kind,
    }


def _available(intent: PaymentIntent) -> int:
    return int(cash_balances.of(intent.customer_id or "").available.get(intent.currency, 0))


def _remaining(intent: PaymentIntent) -> int:
    return int((intent.next_action or {})[ACTION]["amount_remaining"])


def apply(call: Call, intent: PaymentIntent, amount: int | None) -> None:
    """Pay an intent, or a part of it, from its customer's cash balance.

    Raises: StripeError for more than is there, or than remains.
    """
    customer = intent.customer
    assert customer is not None
    there, remaining = _available(intent), _remaining(intent)
    wanted = min(there, remaining) if amount is None else amount
    if wanted < 1 or wanted > there:
        raise StripeError(
            "The customer's cash balance does not cover this amount.", code="insufficient_funds", param="amount"
        )
    if wanted > remaining:
        raise StripeError("The amount is greater than what remains of this PaymentIntent.", param="amount")
    _move(call, customer, intent, -wanted, "applied_to_payment")
    if wanted == remaining:
        method = intent.payment_method
        assert method is not None
        attempting.pay(call, intent, method)
        return
    told = {**(intent.next_action or {})[ACTION], "amount_remaining": remaining - wanted}
    intent.next_action = {"type": ACTION, ACTION: told}
    intent.save()
    call.emit("payment_intent.partially_funded", intent)


def _move(call: Call, customer: Customer, intent: PaymentIntent, amount: int, type: str) -> None:
    cash_balances.move(call, customer, amount, intent.currency, type=type, details={"payment_intent": intent.id})


def reconcile(call: Call, customer: Customer, currency: str) -> None:
    """Pay what waits for a transfer, the oldest first, from what has arrived."""
    if cash_balances.of(customer.id).reconciliation_mode != "automatic":
        return
    rows = call.rows(PaymentIntent).filter(customer=customer, currency=currency, status="requires_action")
    for intent in rows.order_by("x_seq"):
        if (intent.next_action or {}).get("type") == ACTION and _available(intent):
            apply(call, intent, None)


def release(call: Call, intent: PaymentIntent) -> None:
    """Give a canceled payment's part back to the customer's cash balance."""
    if (intent.next_action or {}).get("type") != ACTION or intent.customer is None:
        return
    if applied := intent.amount - _remaining(intent):
        _move(call, intent.customer, intent, applied, "unapplied_from_payment")


attempting.BEGINNINGS["customer_balance"] = begin
cash_balances.ON_FUNDED.append(reconcile)
