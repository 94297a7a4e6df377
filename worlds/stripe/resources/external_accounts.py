"""How do the bank accounts and cards behave that connected accounts are paid out to?"""

from __future__ import annotations

from typing import Any

from worlds.stripe.api import errors, expanding, listing, wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.operations import operation
from worlds.stripe.connect import external, requirements
from worlds.stripe.models import Account, ExternalAccount
from worlds.stripe.resources import connected_accounts, payouts

NOUN = "external account"


def _loads(kind: str) -> None:
    """Let `expand[]` find those of the account acted for, before what else has such an id."""
    others = expanding.LOADERS[kind]

    def load(call: Call, id: str) -> dict[str, Any] | None:
        row = ExternalAccount.objects.filter(pk=id, x_kind=kind, account=call.account).first() if call.account else None
        return others(call, id) if row is None else external.shown(row)

    expanding.LOADERS[kind] = load


assert payouts
for _kind in ("bank_account", "card"):
    _loads(_kind)


@operation("PostAccountsAccountExternalAccounts", "PostAccountsAccountBankAccounts")
def create(call: Call) -> dict[str, Any]:
    account, params = connected_accounts.found(call), call.params
    given = params.get("external_account", params.get("bank_account"))
    if given is None:
        raise errors.missing_parameter("external_account")
    before = wire.of(account)
    row = external.add(
        call, account, given, default=params.get("default_for_currency"), metadata=params.get("metadata")
    )
    requirements.settle(call, account, before)
    return external.shown(row)


def _found(call: Call) -> tuple[Account, ExternalAccount]:
    account = connected_accounts.found(call)
    row = ExternalAccount.objects.filter(pk=call.path["id"], account=account, deleted=False).first()
    if row is None:
        raise errors.no_such(NOUN, call.path["id"])
    return account, row


@operation("GetAccountsAccountExternalAccountsId", "GetAccountsAccountBankAccountsId")
def retrieve(call: Call) -> dict[str, Any]:
    return external.shown(_found(call)[1])


@operation("PostAccountsAccountExternalAccountsId", "PostAccountsAccountBankAccountsId")
def update(call: Call) -> dict[str, Any]:
    _, row = _found(call)
    external.change(call, row, call.params)
    return external.shown(row)


@operation("DeleteAccountsAccountExternalAccountsId", "DeleteAccountsAccountBankAccountsId")
def delete(call: Call) -> dict[str, Any]:
    account, row = _found(call)
    before = wire.of(account)
    external.remove(call, row)
    requirements.settle(call, account, before)
    return external.shown(row)


@operation("GetAccountsAccountExternalAccounts")
def list_all(call: Call) -> dict[str, Any]:
    rows = ExternalAccount.objects.filter(account=connected_accounts.found(call), deleted=False)
    if "object" in call.params:
        rows = rows.filter(x_kind=call.params["object"])
    return listing.page(call, rows, noun=NOUN, shown=external.shown)
