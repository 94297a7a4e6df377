"""How does a dispute begin, and how does it end?"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from worlds.stripe import bank_accounts, cards, ledger
from worlds.stripe.api import changing, wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.models import Charge, Dispute
from worlds.stripe.models.objects import StoredObject

_FEE, _WARNING = 1500, "radar.early_fraud_warning"
#: Of each kind of dispute a test card brings: reason, and the network's code for it.
_KINDS = {
    "fraudulent": ("fraudulent", "10.4"),
    "product_not_received": ("product_not_received", "13.1"),
    "inquiry": ("fraudulent", "10"),
    "several": ("fraudulent", "10.4"),
    "debit": ("debit_not_authorized", None),
}
#: Evidence is due by the end of the eighth day after.
_DUE = timedelta(days=8, hours=23, minutes=59, seconds=59)
_OPEN = ("needs_response", "under_review", "warning_needs_response", "warning_under_review")
_INQUIRIES = ("warning_needs_response", "warning_under_review", "warning_closed")
_TEXT_FIELDS = (
    "access_activity_log", "billing_address", "cancellation_policy", "cancellation_policy_disclosure",
    "cancellation_rebuttal", "customer_communication", "customer_email_address", "customer_name",
    "customer_purchase_ip", "customer_signature", "duplicate_charge_documentation", "duplicate_charge_explanation",
    "duplicate_charge_id", "product_description", "receipt", "refund_policy", "refund_policy_disclosure",
    "refund_refusal_explanation", "service_date", "service_documentation", "shipping_address", "shipping_carrier",
    "shipping_date", "shipping_documentation", "shipping_tracking_number", "uncategorized_file", "uncategorized_text",
)  # fmt: skip
NO_EVIDENCE: dict[str, Any] = {**dict.fromkeys(_TEXT_FIELDS), "enhanced_evidence": {}}


def arise(call: Call, charge: Charge) -> None:
    """Let a captured charge bring upon itself what its card or account is known for."""
    details = charge.payment_method_details
    rail = details.get("type", "card")
    if rail != "card":
        if bank_accounts.by_number(rail, charge.x_number).outcome == "is_disputed":
            open_dispute(call, charge, "debit", charge.amount_captured)
        return
    kind = cards.by_number(charge.x_number).dispute if charge.x_number else None
    if kind == "early_fraud_warning":
        _warn(call, charge)
    elif kind == "several":
        half = charge.amount_captured // 2
        for amount in (half, charge.amount_captured - half):
            open_dispute(call, charge, kind, amount)
    elif kind is not None:
        open_dispute(call, charge, kind, charge.amount_captured)


def _warn(call: Call, charge: Charge) -> None:
    """Have the card's issuer warn of fraud, which disputes nothing yet."""
    told = {"actionable": True, "charge": charge.id, "fraud_type": "misc"}
    if charge.payment_intent_id:
        told["payment_intent"] = charge.payment_intent_id
    row = call.make(StoredObject, "issfr_", by="3", object=_WARNING, data=told)
    shown = wire.complete(_WARNING, {**told, "id": row.id, "created": call.now_s})
    row.data = shown
    row.save(update_fields=["data"])
    call.emit("radar.early_fraud_warning.created", shown)


def open_dispute(call: Call, charge: Charge, kind: str, amount: int) -> Dispute:
    """Begin a dispute; a chargeback takes the money at once, an inquiry does not."""
    reason, code = _KINDS[kind]
    is_inquiry = kind == "inquiry"
    due_by = ledger.midnight(call.now) + _DUE
    dispute = call.make(
        Dispute,
        "du_",
        by="3",
        amount=amount,
        charge=charge,
        currency=charge.currency,
        evidence=dict(NO_EVIDENCE),
        evidence_details={
            "due_by": int(due_by.timestamp()),
            "enhanced_eligibility": {},
            "has_evidence": False,
            "past_due": False,
            "submission_count": 0,
        },
        is_charge_refundable=is_inquiry,
        payment_intent=charge.payment_intent,
        payment_method_details=_method_details(charge, "inquiry" if is_inquiry else "chargeback", code),
        reason=reason,
        status="warning_needs_response" if is_inquiry else "needs_response",
    )
    charge.disputed = True
    charge.save(update_fields=["disputed"])
    if kind == "debit":
        # A bank debit's customer is right by the rules of the rail.
        dispute.status, dispute.evidence_details["due_by"] = "lost", None
        dispute.save()
    else:
        call.ctx.schedule(due_by, "dispute_is_due", {"account": call.account, "dispute": dispute.id})
    call.emit("charge.dispute.created", dispute)
    if not is_inquiry:
        withdraw(call, dispute)
    if kind == "debit":
        call.emit("charge.dispute.closed", dispute)
    return dispute


def _method_details(charge: Charge, case: str, code: str | None) -> dict[str, Any] | None:
    card = charge.payment_method_details.get("card")
    if card is None:
        return None
    details = {
        "brand": card["brand"],
        "case_type": case,
        "network": card.get("network") or card["brand"],
        "network_reason_code": code,
    }
    return {"type": "card", "card": details}


def withdraw(call: Call, dispute: Dispute) -> None:
    """Take the disputed money and the fee from the balance."""
    ledger.give_back(
        call, dispute.charge, "adjustment", amount=-dispute.amount, source=dispute.id, fee=_FEE, category="dispute",
        description=f"Chargeback withdrawal for {dispute.charge_id}", fee_description="Dispute fee",
    )  # fmt: skip
    call.emit("charge.dispute.funds_withdrawn", dispute)


def _reinstate(call: Call, dispute: Dispute) -> None:
    ledger.give_back(
        call, dispute.charge, "adjustment", amount=dispute.amount, source=dispute.id, category="dispute_reversal",
        description=f"Chargeback reversal for {dispute.charge_id}",
    )  # fmt: skip
    call.emit("charge.dispute.funds_reinstated", dispute)


def require_open(dispute: Dispute) -> None:
    """Refuse what comes after the end.

    Raises: StripeError.
    """
    if dispute.status not in _OPEN:
        raise StripeError(f"This dispute is already {dispute.status.removeprefix('warning_')} and cannot be changed.")


def submit(call: Call, dispute: Dispute) -> None:
    """Send the evidence to the bank, which in test mode goes by three magic words."""
    details = {**dispute.evidence_details}
    details["submission_count"] += 1
    dispute.evidence_details = details
    is_inquiry = dispute.status in _INQUIRIES
    dispute.status = "warning_under_review" if is_inquiry else "under_review"
    dispute.save()


def decide(call: Call, dispute: Dispute) -> None:
    """Let the bank answer the evidence that was submitted."""
    word = dispute.evidence.get("uncategorized_text")
    is_inquiry = dispute.status in _INQUIRIES
    if word == "winning_evidence":
        end(call, dispute, "warning_closed" if is_inquiry else "won")
    elif word == "losing_evidence":
        if is_inquiry:
            escalate(call, dispute)
        end(call, dispute, "lost")
    elif word == "escalate_inquiry_evidence" and is_inquiry:
        escalate(call, dispute)


def escalate(call: Call, dispute: Dispute) -> None:
    """Make a chargeback of an inquiry."""
    case = {**(dispute.payment_method_details or {})}
    if "card" in case:
        case["card"] = {**case["card"], "case_type": "chargeback", "network_reason_code": "10.4"}
    values = {"status": "needs_response", "is_charge_refundable": False, "payment_method_details": case or None}
    previous = changing.change(dispute, values)
    call.emit("charge.dispute.updated", dispute, previous)
    withdraw(call, dispute)


def end(call: Call, dispute: Dispute, status: str) -> None:
    """Close a dispute; what was won comes back, but for the fee."""
    dispute.status = status
    dispute.save(update_fields=["status"])
    call.emit("charge.dispute.closed", dispute)
    if status == "won":
        _reinstate(call, dispute)


def come_due(call: Call, dispute: Dispute) -> None:
    """The day by which evidence was due is over: who has not answered has lost."""
    dispute.evidence_details = {
        **dispute.evidence_details,
        "past_due": not dispute.evidence_details["submission_count"],
    }
    dispute.save(update_fields=["evidence_details"])
    if dispute.status == "needs_response":
        end(call, dispute, "lost")
    elif dispute.status == "warning_needs_response":
        end(call, dispute, "warning_closed")
