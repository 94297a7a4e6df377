"""What may be given back of a charge, and what becomes of it?"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from worlds.stripe import cards, currencies, ledger
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.models import Charge, Dispute, Refund

#: How long a test card's refund takes to succeed or to fail, and a bank's.
_CARD, _BANK = timedelta(minutes=1), timedelta(days=3)


def require_refundable(charge: Charge, amount: int | None) -> int:
    """How much is given back: what was asked, or all that is left.

    Raises: StripeError for a charge of which nothing, or not so much, can be given back.
    """
    if charge.status == "failed":
        raise StripeError(f"Charge {charge.id} has failed; there is nothing to refund.", code="charge_not_refundable")
    if charge.refunded:
        raise StripeError(f"Charge {charge.id} has already been refunded.", code="charge_already_refunded")
    if charge.status == "pending":
        raise StripeError(
            f"Charge {charge.id} is still pending; it can be refunded once it has succeeded.",
            code="charge_not_refundable",
        )
    if not charge.amount_captured:
        what = f"cancel the PaymentIntent {charge.payment_intent_id}" if charge.payment_intent_id else "let it expire"
        raise StripeError(
            f"Charge {charge.id} has not been captured, so it cannot be refunded: {what} to release the funds.",
            code="charge_not_refundable",
        )
    if Dispute.objects.filter(charge=charge, is_charge_refundable=False).exclude(status="won").exists():
        raise StripeError(f"Charge {charge.id} has been charged back; cannot issue a refund.", code="charge_disputed")
    left = charge.amount_captured - charge.amount_refunded
    if amount is None:
        return left
    if amount < 1:
        raise StripeError("Invalid positive integer", code="parameter_invalid_integer", param="amount")
    if amount > left:
        asked, there = (currencies.written(value, charge.currency) for value in (amount, left))
        of = "unrefunded amount on charge" if charge.amount_refunded else "charge amount"
        raise StripeError(f"Refund amount ({asked}) is greater than {of} ({there})", param="amount")
    return amount


def give(call: Call, charge: Charge, amount: int, **columns: Any) -> Refund:
    """Give money back."""
    details = charge.payment_method_details
    rail = details.get("type", "card")
    behaviour = cards.by_number(charge.x_number).refund if rail == "card" and charge.x_number else None
    waits = behaviour == "pending" or rail in ledger.FROM_BANKS
    refund = call.make(
        Refund,
        "re_" if charge.id.startswith("ch_") else "pyr_",
        by="3",
        amount=amount,
        charge=charge,
        currency=charge.currency,
        customer_id=charge.customer_id,
        payment_intent_id=charge.payment_intent_id,
        payment_method=charge.payment_method,
        destination_details=_destination(rail),
        pending_reason="processing" if waits else None,
        status="pending" if waits else "succeeded",
        **columns,
    )
    refund.balance_transaction = ledger.give_back(
        call, charge, "refund" if refund.id.startswith("re_") else "payment_refund", amount=-amount, source=refund.id,
        description=f"REFUND FOR {'CHARGE' if rail == 'card' else 'PAYMENT'}"
        + (f" ({charge.description})" if charge.description else ""),
    )  # fmt: skip
    refund.save(update_fields=["balance_transaction"])
    count(charge, amount)
    call.emit("refund.created", refund)
    call.emit("charge.refunded", charge)
    if waits or behaviour == "fails":
        later = {"account": call.account, "refund": refund.id, "succeeds": behaviour != "fails"}
        call.ctx.schedule(call.ctx.clock.now() + (_CARD if rail == "card" else _BANK), "refund_settles", later)
    return refund


def _destination(rail: str) -> dict[str, Any]:
    if rail == "card":
        details = {"reference_status": "pending", "reference_type": "acquirer_reference_number", "type": "refund"}
        return {"type": "card", "card": details}
    return {"type": {"us_bank_account": "us_bank_transfer", "sepa_debit": "eu_bank_transfer"}.get(rail, rail)}


def count(charge: Charge, amount: int) -> None:
    """Keep a charge's count of what was given back; a negative amount takes back."""
    charge.amount_refunded += amount
    charge.refunded = charge.amount_refunded >= max(charge.amount_captured, 1)
    charge.save(update_fields=["amount_refunded", "refunded"])


def release(call: Call, charge: Charge, *, reason: str | None) -> Refund:
    """Let go of an authorization that was never captured: a refund that moves no money."""
    refund = call.make(
        Refund, "re_" if charge.id.startswith("ch_") else "pyr_", by="3", amount=charge.amount, charge=charge,
        currency=charge.currency, customer_id=charge.customer_id, payment_intent_id=charge.payment_intent_id,
        payment_method=charge.payment_method, reason=reason, status="succeeded",
        destination_details=_destination(charge.payment_method_details.get("type", "card")),
    )  # fmt: skip
    charge.amount_refunded, charge.refunded = charge.amount, True
    charge.save(update_fields=["amount_refunded", "refunded"])
    return refund


def settle(call: Call, refund: Refund, *, succeeds: bool) -> None:
    """The bank has answered."""
    if refund.status not in ("pending", "succeeded"):
        return
    if succeeds:
        refund.status, refund.pending_reason = "succeeded", None
        refund.save(update_fields=["status", "pending_reason"])
        call.emit("refund.updated", refund)
        call.emit("charge.refund.updated", refund)
        return
    fail(call, refund, "failed", "expired_or_canceled_card")


def fail(call: Call, refund: Refund, status: str, reason: str) -> None:
    """Take a refund's money back in: it has failed, or was canceled."""
    charge = refund.charge
    refund.status, refund.pending_reason, refund.failure_reason = status, None, reason
    refund.failure_balance_transaction = ledger.give_back(
        call, charge, "refund_failure", amount=refund.amount, source=refund.id,
        description=f"REFUND FAILURE FOR {charge.id}",
    )  # fmt: skip
    refund.save()
    count(charge, -refund.amount)
    for type in ("refund.updated", "charge.refund.updated", *(("refund.failed",) if status == "failed" else ())):
        call.emit(type, refund)
