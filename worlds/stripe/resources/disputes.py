"""How do disputes behave?"""

from __future__ import annotations

from typing import Any

from worlds.stripe.api import changing, errors, wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.operations import find, lists, loads, operation
from worlds.stripe.models import BalanceTransaction, Charge, Dispute
from worlds.stripe.payments import disputing

loads(Dispute)
lists("GetDisputes", Dispute, "charge", "created", "payment_intent", noun="dispute")


@wire.shaped("dispute")
def _shape(dispute: Dispute) -> dict[str, Any]:
    rows = BalanceTransaction.objects.filter(source=dispute.pk).order_by("x_seq")
    return {"balance_transactions": [wire.of(row) for row in rows]}


def _found(call: Call) -> Dispute:
    """The dispute that the path names, itself or by its charge.

    Raises: StripeError.
    """
    if "dispute" in call.path:
        return find(call, Dispute, call.path["dispute"], noun="dispute", param="dispute")
    charge = find(call, Charge, call.path["charge"], noun="charge")
    row = call.rows(Dispute).filter(charge=charge).order_by("-x_seq").first()
    if row is None:
        raise errors.no_such("dispute", charge.id, param="charge")
    return row


@operation("GetDisputesDispute", "GetChargesChargeDispute")
def retrieve(call: Call) -> Dispute:
    return _found(call)


@operation("PostDisputesDispute", "PostChargesChargeDispute")
def update(call: Call) -> Dispute:
    """Add evidence, and send it to the bank unless `submit` says to wait."""
    dispute = _found(call)
    disputing.require_open(dispute)
    params, before = call.params, wire.of(dispute)
    if "metadata" in params:
        dispute.metadata = changing.metadata(dispute.metadata, params["metadata"])
    evidence = params.get("evidence", {})
    if evidence:
        added = {name: value or None for name, value in evidence.items() if name != "enhanced_evidence"}
        if "enhanced_evidence" in evidence:
            added["enhanced_evidence"] = evidence["enhanced_evidence"] or {}
        dispute.evidence = {**dispute.evidence, **added}
    has_evidence = any(value for value in dispute.evidence.values())
    dispute.evidence_details = {**dispute.evidence_details, "has_evidence": has_evidence}
    dispute.save()
    submits = params.get("submit", True) and has_evidence and ("evidence" in params or "submit" in params)
    if submits:
        disputing.submit(call, dispute)
    previous = changing.differences(before, wire.of(dispute))
    if previous:
        call.emit("charge.dispute.updated", dispute, previous)
    if submits:
        disputing.decide(call, dispute)
    return dispute


@operation("PostDisputesDisputeClose", "PostChargesChargeDisputeClose")
def close(call: Call) -> Dispute:
    """Give in."""
    dispute = _found(call)
    disputing.require_open(dispute)
    disputing.end(call, dispute, "warning_closed" if dispute.status.startswith("warning") else "lost")
    return dispute
