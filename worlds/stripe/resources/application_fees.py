"""How do the fees that a platform keeps, and their refunds, behave?"""

from __future__ import annotations

import hashlib
from typing import Any

from worlds.stripe.api import changing, errors, listing, wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.operations import find, lists, loads, operation
from worlds.stripe.connect import sharing
from worlds.stripe.models import ApplicationFee, FeeRefund

_INLINE = 10
#: Where the letters of the account stand in an id.
_FRAGMENT = slice(-18, -8)

loads(ApplicationFee)
loads(FeeRefund)
lists("GetApplicationFees", ApplicationFee, "charge", "created", noun="application fee")


def application_of(fragment: str) -> str:
    """The id under which a platform is known to the accounts it connects, from what its ids share."""
    return f"ca_{hashlib.sha256(fragment.encode()).hexdigest()[:32]}"


@wire.shaped("application_fee")
def _shape(fee: ApplicationFee) -> dict[str, Any]:
    rows = list(FeeRefund.objects.filter(fee=fee).order_by("-x_seq")[: _INLINE + 1])
    data = [wire.of(row) for row in rows[:_INLINE]]
    url = f"/v1/application_fees/{fee.id}/refunds"
    return {
        "application": application_of(fee.id[_FRAGMENT]),
        "fee_source": {"charge": fee.originating_transaction_id or fee.charge_id, "type": "charge"},
        "refunds": listing.envelope(data, url=url, has_more=len(rows) > _INLINE),
    }


def _found(call: Call, name: str = "id") -> ApplicationFee:
    return find(call, ApplicationFee, call.path[name], noun="application fee", param=name)


@operation("GetApplicationFeesId")
def retrieve(call: Call) -> ApplicationFee:
    return _found(call)


@operation("PostApplicationFeesIdRefunds")
def create_refund(call: Call) -> FeeRefund:
    metadata = changing.metadata(None, call.params.get("metadata"))
    return sharing.give_back_fee(call, _found(call), call.params.get("amount"), metadata)


@operation("PostApplicationFeesIdRefund")
def refund(call: Call) -> ApplicationFee:
    """The older way, which answers the fee."""
    fee = _found(call)
    sharing.give_back_fee(call, fee, call.params.get("amount"))
    return fee


def _refund(call: Call) -> FeeRefund:
    fee = _found(call, "fee")
    row = find(call, FeeRefund, call.path["id"], noun="fee refund")
    if row.fee_id != fee.id:
        raise errors.no_such("fee refund", row.id)
    return row


@operation("GetApplicationFeesFeeRefundsId")
def retrieve_refund(call: Call) -> FeeRefund:
    return _refund(call)


@operation("PostApplicationFeesFeeRefundsId")
def update_refund(call: Call) -> FeeRefund:
    row = _refund(call)
    previous = changing.change(row, changing.values(call.params, ("metadata",), row))
    if previous:
        call.emit("application_fee.refund.updated", row, previous)
    return row


@operation("GetApplicationFeesIdRefunds")
def list_refunds(call: Call) -> dict[str, Any]:
    return listing.page(call, call.rows(FeeRefund).filter(fee=_found(call)), noun="fee refund")
