"""How do the accounts behave that are connected to the platform?"""

from __future__ import annotations

from typing import Any

from worlds.stripe import ledger
from worlds.stripe.api import errors, expanding, listing, wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.operations import MODELS, operation
from worlds.stripe.connect import accounts as connecting
from worlds.stripe.connect import requirements
from worlds.stripe.models import Account, Capability
from worlds.stripe.resources import accounts

_NOTHING: dict[str, Any] = {
    "alternatives": [], "current_deadline": None, "currently_due": [], "disabled_reason": None, "errors": [],
    "eventually_due": [], "past_due": [], "pending_verification": [],
}  # fmt: skip


@wire.shaped("capability")
def _capability(row: Capability) -> dict[str, Any]:
    assert row.account is not None
    wanted = row.account.requirements.get("currently_due", []) if row.requested else []
    due = {"currently_due": wanted, "eventually_due": wanted, "past_due": wanted}
    reason = "requirements.fields_needed" if wanted else None
    return {
        "id": row.x_name,
        "future_requirements": _NOTHING,
        "requirements": {**_NOTHING, **due, "disabled_reason": reason},
    }


def _load(call: Call, id: str) -> dict[str, Any] | None:
    """Any account, by whomever: ids of accounts are seen on both sides."""
    row = Account.objects.filter(pk=id).first()
    return None if row is None else wire.of(row)


expanding.LOADERS["account"] = _load
MODELS["account"] = Account


def found(call: Call, *, name: str = "account") -> Account:
    """The connected account of the path.

    Raises: StripeError in the words that are used of accounts.
    """
    return named(call, call.path[name])


def named(call: Call, id: str) -> Account:
    """A connected account of this platform, or the one that acts itself.

    Raises: StripeError.
    """
    row = Account.objects.filter(pk=id, x_is_platform=False, deleted=False).first()
    if row is None or (call.account and call.account != id):
        raise StripeError(
            f"The account {id} is not connected to your platform, or does not exist. Application access may have been "
            "revoked.",
            status=403,
            code="account_invalid",
        )
    return row


@operation("PostAccounts")
def create(call: Call) -> Account:
    return connecting.open_account(call, call.params)


@operation("GetAccountsAccount")
def retrieve(call: Call) -> Account:
    own = accounts.own(call)
    return own if own is not None and own.id == call.path["account"] else found(call)


@operation("PostAccountsAccount")
def update(call: Call) -> Account:
    own = accounts.own(call)
    if own is not None and own.x_is_platform and own.id == call.path["account"]:
        return accounts.update_own(call, own)
    account = found(call)
    connecting.change(call, account, call.params)
    return account


@operation("DeleteAccountsAccount")
def delete(call: Call) -> Account:
    """Let an account go, with which there is nothing left to settle."""
    account = found(call)
    totals = ledger.totals(requirements.acting(call, account.id))
    if any(amount for parts in totals.values() for kinds in parts.values() for amount in kinds.values()):
        raise StripeError(f"The account {account.id} cannot be deleted: its balance is not zero.")
    account.deleted = True
    account.save(update_fields=["deleted"])
    return account


@operation("PostAccountsAccountReject")
def reject(call: Call) -> Account:
    account = found(call)
    connecting.reject(call, account, call.params["reason"])
    return account


@operation("PostAccountsAccountUnreject")
def unreject(call: Call) -> Account:
    account = found(call)
    before = wire.of(account)
    account.x_rejected = None
    requirements.settle(call, account, before)
    return account


@operation("GetAccounts")
def list_all(call: Call) -> dict[str, Any]:
    rows = call.rows(Account).filter(listing.equal(call, "created"), x_is_platform=False, deleted=False)
    return listing.page(call, rows, noun="account")


@operation("GetAccountsAccountCapabilities")
def list_capabilities(call: Call) -> dict[str, Any]:
    rows = Capability.objects.filter(account=found(call)).select_related("account").order_by("x_seq")
    return listing.envelope([wire.of(row) for row in rows], url=listing.path_of(call))


@operation("GetAccountsAccountCapabilitiesCapability")
def retrieve_capability(call: Call) -> Capability:
    return _of(found(call), call.path["capability"])


def _of(account: Account, name: str) -> Capability:
    """A capability, asked for or not."""
    _require_known(name)
    row = Capability.objects.filter(account=account, x_name=name).first()
    return row or Capability(id=f"{account.id}/{name}", account=account, x_name=name)


@operation("PostAccountsAccountCapabilitiesCapability")
def update_capability(call: Call) -> Capability:
    account, name = found(call), call.path["capability"]
    _require_known(name)
    before = wire.of(account)
    if "requested" in call.params:
        requirements.ask(call, account, name, requested=call.params["requested"])
        requirements.settle(call, account, before)
    return _of(account, name)


def _require_known(name: str) -> None:
    if name not in requirements.NAMES:
        raise errors.no_such("capability", name, param="capability")
