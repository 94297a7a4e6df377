"""How do payouts behave?"""

from __future__ import annotations

from typing import Any

from worlds.stripe import currencies
from worlds.stripe.api import changing, errors, expanding, listing, wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.operations import find, loads, operation
from worlds.stripe.models import Account, ExternalAccount, Payout
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
    _require_allowed(call)
    to = _destination(call)
    source_type = params.get("source_type", "card")
    paying_out.require_covered(call, amount, currency, source_type)
    return paying_out.send(
        call, amount, currency, source_type=source_type, metadata=changing.metadata(None, params.get("metadata")),
        **to, **{name: params[name] for name in _TAKEN if name in params},
    )  # fmt: skip


def _require_allowed(call: Call) -> None:
    """Refuse to pay out a connected account of which something is still wanted.

    Raises: StripeError.
    """
    if call.account and Account.objects.filter(pk=call.account, payouts_enabled=False).exists():
        raise StripeError(
            "Cannot create payouts: the account has to provide what is currently due of it first.",
            code="payouts_not_allowed",
        )


def _destination(call: Call) -> dict[str, Any]:
    """Where to: nothing for the account's usual bank account, else another of its own.

    Raises: StripeError for one that it does not have.
    """
    id = call.params.get("destination")
    if id is None or id == paying_out.settings(call).bank_account:
        return {}
    other = ExternalAccount.objects.filter(pk=id, account=call.account, deleted=False).first() if call.account else None
    if other is None:
        raise errors.no_such("external account", id, param="destination", in_path=False)
    return {"destination": other.id, "x_account_number": other.x_number, "type": other.x_kind}


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
