"""How do transfers to connected accounts, and their reversals, behave?"""

from __future__ import annotations

from typing import Any

from worlds.stripe import currencies
from worlds.stripe.api import changing, errors, expanding, listing, wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.operations import find, lists, loads, operation
from worlds.stripe.connect import sharing, transferring
from worlds.stripe.models import Charge, Transfer, TransferReversal

_INLINE = 10

loads(Transfer)
loads(TransferReversal)
lists("GetTransfers", Transfer, "created", "destination", "transfer_group", noun="transfer")
_own_charge = expanding.LOADERS["charge"]


def _charge(call: Call, id: str) -> dict[str, Any] | None:
    """A charge; the platform sees those too that its transfers came to be in connected accounts."""
    found = _own_charge(call, id)
    if found is None and not call.account:
        row = Charge.objects.filter(pk=id, source_transfer__isnull=False).first()
        found = None if row is None else wire.of(row)
    return found


expanding.LOADERS["charge"] = _charge


@wire.shaped("transfer")
def _shape(transfer: Transfer) -> dict[str, Any]:
    rows = list(TransferReversal.objects.filter(transfer=transfer).order_by("-x_seq")[: _INLINE + 1])
    url = f"/v1/transfers/{transfer.id}/reversals"
    data = [wire.of(row) for row in rows[:_INLINE]]
    return {"reversals": listing.envelope(data, url=url, has_more=len(rows) > _INLINE)}


@operation("PostTransfers")
def create(call: Call) -> Transfer:
    """Pass money on to a connected account."""
    params = call.params
    if "amount" not in params:
        raise errors.missing_parameter("amount")
    currencies.require_amount(params["amount"])
    account = transferring.destination_of(call, params["destination"])
    source = None
    group = params.get("transfer_group")
    if "source_transaction" in params:
        id = params["source_transaction"]
        source = find(call, Charge, id, noun="charge", param="source_transaction", in_path=False)
        group = group or source.transfer_group
        if group is None:
            group = f"group_{source.payment_intent_id or source.id}"
            source.transfer_group = group
            source.save(update_fields=["transfer_group"])
    source_type = params.get("source_type", "card")
    transferring.require_covered(call, params["amount"], params["currency"], source, source_type)
    return transferring.send(
        call, params["amount"], params["currency"], account, source=source, source_type=source_type,
        description=params.get("description"), metadata=changing.metadata(None, params.get("metadata")),
        transfer_group=group,
    )  # fmt: skip


def _found(call: Call, name: str = "transfer") -> Transfer:
    return find(call, Transfer, call.path[name], noun="transfer", param=name)


@operation("GetTransfersTransfer")
def retrieve(call: Call) -> Transfer:
    return _found(call)


@operation("PostTransfersTransfer")
def update(call: Call) -> Transfer:
    transfer = _found(call)
    previous = changing.change(transfer, changing.values(call.params, ("description", "metadata"), transfer))
    if previous:
        call.emit("transfer.updated", transfer, previous)
    return transfer


@operation("PostTransfersIdReversals")
def reverse(call: Call) -> TransferReversal:
    transfer, params = _found(call, "id"), call.params
    payment = transfer.destination_payment
    gives_fee = params.get("refund_application_fee")
    if gives_fee and (payment is None or payment.application_fee is None):
        raise StripeError(
            f"Cannot refund the application fee of transfer {transfer.id} because it does not have one.",
            param="refund_application_fee",
        )
    metadata = changing.metadata(None, params.get("metadata"))
    back = transferring.reverse(call, transfer, params.get("amount"), metadata=metadata)
    if gives_fee and payment is not None and payment.application_fee is not None:
        fee = payment.application_fee
        left = fee.amount - fee.amount_refunded
        part = left if transfer.reversed else min(left, fee.amount * back.amount // transfer.amount)
        if part:
            sharing.give_back_fee(call, fee, part)
    return back


def _reversal(call: Call) -> TransferReversal:
    transfer = _found(call)
    row = find(call, TransferReversal, call.path["id"], noun="transfer reversal")
    if row.transfer_id != transfer.id:
        raise errors.no_such("transfer reversal", row.id)
    return row


@operation("GetTransfersTransferReversalsId")
def retrieve_reversal(call: Call) -> TransferReversal:
    return _reversal(call)


@operation("PostTransfersTransferReversalsId")
def update_reversal(call: Call) -> TransferReversal:
    row = _reversal(call)
    changing.change(row, changing.values(call.params, ("metadata",), row))
    return row


@operation("GetTransfersIdReversals")
def list_reversals(call: Call) -> dict[str, Any]:
    rows = call.rows(TransferReversal).filter(transfer=_found(call, "id"))
    return listing.page(call, rows, noun="transfer reversal")
