"""How do top-ups of the platform's balance behave?"""

from __future__ import annotations

from typing import Any

from worlds.stripe import currencies, ledger
from worlds.stripe.api import changing, listing
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.operations import find, loads, operation
from worlds.stripe.models import Topup

_DAYS = 3

loads(Topup)


@operation("PostTopups")
def create(call: Call) -> Topup:
    """Take money in from the platform's own bank; it is there in some days."""
    params = call.params
    currencies.require_amount(params["amount"])
    at = ledger.midnight(call.now, _DAYS)
    topup = call.make(
        Topup, "tu_", amount=params["amount"], currency=params["currency"].lower(), expected_availability_date=at,
        metadata=changing.metadata(None, params.get("metadata")),
        **{name: params[name] for name in ("description", "statement_descriptor", "transfer_group") if name in params},
    )  # fmt: skip
    call.emit("topup.created", topup)
    call.ctx.schedule(at, "topup_arrives", {"account": call.account, "topup": topup.id})
    return topup


def arrive(call: Call, topup: Topup) -> None:
    """The money is there."""
    if topup.status != "pending":
        return
    topup.status = "succeeded"
    topup.balance_transaction = ledger.record(
        call, "topup", amount=topup.amount, currency=topup.currency, source=topup.id,
        description=topup.description,
    )  # fmt: skip
    topup.save(update_fields=["balance_transaction", "status"])
    call.emit("topup.succeeded", topup)


def _found(call: Call) -> Topup:
    return find(call, Topup, call.path["topup"], noun="topup", param="topup")


@operation("GetTopupsTopup")
def retrieve(call: Call) -> Topup:
    return _found(call)


@operation("PostTopupsTopup")
def update(call: Call) -> Topup:
    topup = _found(call)
    changing.change(topup, changing.values(call.params, ("description", "metadata"), topup))
    return topup


@operation("PostTopupsTopupCancel")
def cancel(call: Call) -> Topup:
    topup = _found(call)
    if topup.status != "pending":
        raise StripeError(f"Only pending top-ups can be canceled; this one is {topup.status}.")
    topup.status = "canceled"
    topup.save(update_fields=["status"])
    call.emit("topup.canceled", topup)
    return topup


@operation("GetTopups")
def list_all(call: Call) -> dict[str, Any]:
    rows = call.rows(Topup).filter(listing.equal(call, "created", "status"))
    if "amount" in call.params:
        wanted = call.params["amount"]
        bounds = wanted if isinstance(wanted, dict) else {"exact": wanted}
        rows = rows.filter(**{f"amount__{bound}": value for bound, value in bounds.items()})
    return listing.page(call, rows, noun="topup")
