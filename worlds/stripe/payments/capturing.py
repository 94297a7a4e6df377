"""What becomes of money that is held: captured, released, or held for longer?"""

from __future__ import annotations

from typing import Any

from worlds.stripe import currencies, ledger
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.models import Charge, PaymentIntent
from worlds.stripe.payments import disputing, refunding, states, transfers

_CAPTURABLE = ("requires_capture",)


def _card(charge: Charge) -> dict[str, Any]:
    found: dict[str, Any] = charge.payment_method_details.get("card") or {}
    return found


def capture(call: Call, intent: PaymentIntent, amount: int | None, *, is_final: bool | None) -> None:
    """Take the money that is held, or a part; what is not taken is released unless more is to come.

    Raises: StripeError for an amount that is not held, and for a second part where there may be only one.
    """
    if intent.status == "succeeded" and intent.latest_charge is not None:
        raise states.unexpected(
            intent,
            "This PaymentIntent could not be captured because it has already been captured."
            if is_held(intent.latest_charge)
            else "This PaymentIntent could not be captured because it has a status of succeeded. Only a PaymentIntent "
            "with one of the following statuses may be captured: requires_capture.",
        )
    states.require(intent, _CAPTURABLE, "This PaymentIntent could not be captured", "captured")
    charge = intent.latest_charge
    assert charge is not None
    multiple = _card(charge).get("multicapture", {}).get("status") == "available"
    if is_final is False and not multiple:
        raise StripeError(
            "This PaymentIntent cannot be captured several times: ask for "
            "`payment_method_options[card][request_multicapture]` when it is confirmed.",
            param="final_capture",
        )
    taken = _amount(intent, charge, amount)
    ends = is_final is not False or taken == intent.amount_capturable
    _take(call, charge, taken, ends=ends)
    intent.amount_received += taken
    intent.amount_capturable = 0 if ends else intent.amount_capturable - taken
    if ends:
        states.move(intent, "succeeded")
    intent.save()
    call.emit("charge.captured", charge)
    if ends:
        disputing.arise(call, charge)
    call.emit("payment_intent.succeeded" if ends else "payment_intent.amount_capturable_updated", intent)


def is_held(charge: Charge) -> bool:
    """Was the charge only authorized at first?"""
    return "capture_before" in _card(charge)


def _amount(intent: PaymentIntent, charge: Charge, amount: int | None) -> int:
    if amount is None:
        return intent.amount_capturable
    currencies.require_amount(amount, "amount_to_capture")
    most = intent.amount_capturable
    over = _card(charge).get("overcapture", {})
    if over.get("status") == "available":
        most = over["maximum_amount_capturable"] - intent.amount_received
    if amount > most:
        raise StripeError(
            f"The amount to capture ({currencies.written(amount, intent.currency)}) is greater than the amount that "
            f"can be captured ({currencies.written(most, intent.currency)}).",
            code="amount_too_large",
            param="amount_to_capture",
        )
    return amount


def _take(call: Call, charge: Charge, amount: int, *, ends: bool) -> None:
    charge.amount_captured += amount
    charge.amount = max(charge.amount, charge.amount_captured)
    charge.captured = ends or charge.amount_captured == charge.amount
    charge.balance_transaction = ledger.take_in(call, charge, amount, charge.payment_method_details["type"])
    charge.save()
    ledger.share(call, charge, amount)


def capture_charge(call: Call, charge: Charge, amount: int | None) -> None:
    """Take the money of a charge that no intent stands for.

    Raises: StripeError for one that is captured, over, or not so large.
    """
    if charge.status == "failed" or charge.refunded:
        raise StripeError(f"Charge {charge.id} cannot be captured any more.", code="charge_expired_for_capture")
    if charge.captured:
        raise StripeError(f"Charge {charge.id} has already been captured.", code="charge_already_captured")
    taken = charge.amount if amount is None else amount
    currencies.require_amount(taken)
    if taken > charge.amount:
        raise StripeError(
            f"The amount to capture ({currencies.written(taken, charge.currency)}) is greater than the amount that "
            f"was authorized ({currencies.written(charge.amount, charge.currency)}).",
            code="amount_too_large",
            param="amount",
        )
    _take(call, charge, taken, ends=True)
    call.emit("charge.captured", charge)
    disputing.arise(call, charge)


def cancel(call: Call, intent: PaymentIntent, reason: str | None) -> None:
    """End an intent for good; what was held is released."""
    held = intent.latest_charge if intent.status == "requires_capture" else None
    if held is not None and held.amount_captured:
        raise states.unexpected(
            intent, "You cannot cancel this PaymentIntent because a part of it has been captured; capture the rest."
        )
    if intent.status == "processing" and intent.latest_charge is not None:
        charge = intent.latest_charge
        charge.status, charge.captured, charge.amount_captured = "failed", False, 0
        charge.save()
    transfers.release(call, intent)
    states.move(intent, "canceled")
    intent.canceled_at, intent.cancellation_reason = call.now, reason
    intent.amount_capturable = 0
    intent.next_action = intent.x_authentication = None
    if held is not None:
        refunding.release(call, held, reason=None)
    intent.save()
    if held is not None:
        call.emit("charge.refunded", held)
    call.emit("payment_intent.canceled", intent)


def expire(call: Call, charge: Charge) -> None:
    """An authorization is over: nobody captured it in time."""
    intent = charge.payment_intent
    if charge.captured or charge.refunded:
        return
    if intent is not None and charge.amount_captured:
        states.move(intent, "succeeded")
        intent.amount_capturable = 0
        intent.save()
        charge.captured = True
        charge.save(update_fields=["captured"])
        call.emit("payment_intent.succeeded", intent)
        return
    refunding.release(call, charge, reason="expired_uncaptured_charge")
    call.emit("charge.expired", charge)
    if intent is not None and intent.status == "requires_capture":
        states.move(intent, "canceled")
        intent.canceled_at, intent.cancellation_reason, intent.amount_capturable = call.now, "automatic", 0
        intent.save()
        call.emit("payment_intent.canceled", intent)


def increment(call: Call, intent: PaymentIntent, amount: int) -> None:
    """Hold more than was held.

    Raises: StripeError where that was not asked for, and for what is not more.
    """
    states.require(intent, _CAPTURABLE, "This PaymentIntent's authorization could not be incremented", "incremented")
    charge = intent.latest_charge
    assert charge is not None
    if _card(charge).get("incremental_authorization", {}).get("status") != "available":
        raise StripeError(
            "This PaymentIntent is not eligible for incremental authorizations: ask for "
            "`payment_method_options[card][request_incremental_authorization]` when it is confirmed.",
            code="payment_intent_invalid_parameter",
        )
    if amount <= intent.amount:
        raise StripeError(
            f"The amount must be greater than the authorized amount "
            f"({currencies.written(intent.amount, intent.currency)}).",
            code="payment_intent_invalid_parameter",
            param="amount",
        )
    currencies.require_chargeable(amount, intent.currency)
    details = {**charge.payment_method_details, "card": {**_card(charge), "amount_authorized": amount}}
    before = charge.amount
    intent.amount_capturable += amount - intent.amount
    intent.amount = charge.amount = amount
    charge.payment_method_details = details
    charge.description = intent.description
    charge.save()
    intent.save()
    call.emit("charge.updated", charge, {"amount": before})
    call.emit("payment_intent.amount_capturable_updated", intent)
