"""How do refunds behave?"""

from __future__ import annotations

from typing import Any

from worlds.stripe.api import changing, errors, listing, wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.expanding import PARTS
from worlds.stripe.api.operations import find, lists, loads, operation
from worlds.stripe.connect import sharing
from worlds.stripe.models import Charge, PaymentIntent, Refund
from worlds.stripe.payments import refunding

_INLINE = 10

loads(Refund)
lists("GetRefunds", Refund, "charge", "created", "payment_intent", noun="refund")


def _of_charge(call: Call, shown: dict[str, Any]) -> dict[str, Any]:
    rows = list(call.rows(Refund).filter(charge=shown["id"]).order_by("-x_seq")[: _INLINE + 1])
    return listing.envelope(
        [wire.of(row) for row in rows[:_INLINE]], url=f"/v1/charges/{shown['id']}/refunds", has_more=len(rows) > _INLINE
    )


PARTS["charge", "refunds"] = _of_charge


def _charge(call: Call) -> Charge:
    """The charge to refund: named, or the one that paid an intent.

    Raises: StripeError.
    """
    params = call.params
    if "charge" in params:
        charge = find(call, Charge, params["charge"], noun="charge")
        if params.get("payment_intent", charge.payment_intent_id) != charge.payment_intent_id:
            raise StripeError(
                f"The charge {charge.id} does not belong to the PaymentIntent {params['payment_intent']}.",
                param="payment_intent",
            )
        return charge
    if "payment_intent" not in params:
        raise StripeError(
            "One of the following params should be provided for this request: payment_intent or charge.",
            code="parameter_missing",
        )
    id = params["payment_intent"]
    intent = find(call, PaymentIntent, id, noun="payment_intent", param="payment_intent", in_path=False)
    if intent.latest_charge is None or intent.latest_charge.status == "failed":
        raise StripeError(
            f"This PaymentIntent ({intent.id}) does not have a successful charge to refund.",
            code="charge_not_refundable",
            param="payment_intent",
        )
    return intent.latest_charge


@operation("PostRefunds")
def create(call: Call) -> Refund:
    return give(call, _charge(call))


@operation("PostChargesChargeRefunds")
def create_of_charge(call: Call) -> Refund:
    return give(call, find(call, Charge, call.path["charge"], noun="charge"))


@operation("PostChargesChargeRefund")
def refund_charge(call: Call) -> Charge:
    """The older way, which answers the charge."""
    charge = find(call, Charge, call.path["charge"], noun="charge")
    give(call, charge)
    return charge


def give(call: Call, charge: Charge) -> Refund:
    """Refund a charge as the request says.

    Raises: StripeError for a charge of which nothing, or not so much, can be given back.
    """
    params = call.params
    amount = refunding.require_refundable(charge, params.get("amount"))
    if params.get("currency", charge.currency) != charge.currency:
        raise StripeError(
            f"The currency of the refund must be that of the charge, {charge.currency}.", param="currency"
        )
    sharing.require_returnable(charge, params)
    refund = refunding.give(
        call, charge, amount,
        reason=params.get("reason"),
        metadata=changing.metadata(None, params.get("metadata")),
        instructions_email=params.get("instructions_email"),
    )  # fmt: skip
    sharing.bring_back(call, refund, params)
    return refund


def _found(call: Call) -> Refund:
    refund = find(call, Refund, call.path["refund"], noun="refund", param="id")
    if call.path.get("charge", refund.charge_id) != refund.charge_id:
        raise errors.no_such("refund", refund.id)
    return refund


@operation("GetRefundsRefund", "GetChargesChargeRefundsRefund")
def retrieve(call: Call) -> Refund:
    return _found(call)


@operation("PostRefundsRefund", "PostChargesChargeRefundsRefund")
def update(call: Call) -> Refund:
    refund = _found(call)
    previous = changing.change(refund, changing.values(call.params, ("metadata",), refund))
    if previous:
        call.emit("refund.updated", refund, previous)
        call.emit("charge.refund.updated", refund, previous)
    return refund


@operation("PostRefundsRefundCancel")
def cancel(call: Call) -> Refund:
    refund = _found(call)
    if refund.status not in ("pending", "requires_action"):
        raise StripeError(f"Refunds can only be canceled while they are pending; this one has {refund.status}.")
    refunding.fail(call, refund, "canceled", "merchant_request")
    return refund


@operation("PostTestHelpersRefundsRefundExpire")
def expire(call: Call) -> Refund:
    """Let a refund that waits for its customer go stale."""
    refund = _found(call)
    if refund.status != "requires_action":
        raise StripeError(f"You can only expire refunds with the status requires_action; this one has {refund.status}.")
    refunding.fail(call, refund, "failed", "expired_or_canceled_card")
    return refund


@operation("GetChargesChargeRefunds")
def list_of_charge(call: Call) -> dict[str, Any]:
    charge = find(call, Charge, call.path["charge"], noun="charge")
    return listing.page(call, call.rows(Refund).filter(charge=charge), noun="refund")
