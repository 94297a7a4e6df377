"""How do payouts behave?"""

from __future__ import annotations

from typing import Any

from worlds.stripe import currencies
from worlds.stripe.api import changing, errors, expanding, listing, wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.operations import find, loads, operation
from worlds.stripe.models import Payout
from worlds.stripe.payments import paying_out
from worlds.stripe.resources import sources  # noqa: F401 - its bank accounts are asked after these

_TAKEN = ("description", "method", "payout_method", "statement_descriptor")

loads(Payout)
_of_customers = expanding.LOADERS["bank_account"]


def _bank_account(call: Call, id: str) -> dict[str, Any] | None:
    own = paying_out.bank_account(call, id)
    return _of_customers(call, id) if own is None else wire.complete("bank_account", own)


expanding.LOADERS["bank_account"] = _bank_account


def _found(call: Call) -> Payout:
    return find(call, Payout, call.path["payout"], noun="payout", param="payout")


@operation("PostPayouts")
def create(call: Call) -> Payout:
    """Pay out by hand; it arrives, or does not, by the clock."""
    params = call.params
    amount, currency = params["amount"], params["currency"]
    currencies.require_amount(amount)
    own = paying_out.settings(call)
    if params.get("destination", own.bank_account) != own.bank_account:
        raise errors.no_such("external account", params["destination"], param="destination", in_path=False)
    source_type = params.get("source_type", "card")
    paying_out.require_covered(call, amount, currency, source_type)
    return paying_out.send(
        call, amount, currency, source_type=source_type, metadata=changing.metadata(None, params.get("metadata")),
        **{name: params[name] for name in _TAKEN if name in params},
    )  # fmt: skip


@operation("GetPayoutsPayout")
def retrieve(call: Call) -> Payout:
    return _found(call)


@operation("PostPayoutsPayout")
def update(call: Call) -> Payout:
    payout = _found(call)
    previous = changing.change(payout, changing.values(call.params, ("metadata",), payout))
    if previous:
        call.emit("payout.updated", payout, previous)
    return payout


@operation("PostPayoutsPayoutCancel")
def cancel(call: Call) -> Payout:
    payout = _found(call)
    paying_out.cancel(call, payout)
    return payout


@operation("PostPayoutsPayoutReverse")
def reverse(call: Call) -> Payout:
    return paying_out.reverse(call, _found(call), changing.metadata(None, call.params.get("metadata")))


@operation("GetPayouts")
def list_all(call: Call) -> dict[str, Any]:
    rows = call.rows(Payout).filter(listing.equal(call, "created", "destination", "status"))
    if "arrival_date" in call.params:
        rows = rows.filter(listing.in_range("arrival_date", call.params["arrival_date"]))
    return listing.page(call, rows, noun="payout")
