"""Where is a connected account paid out to?"""

from __future__ import annotations

from typing import Any

from worlds.stripe import entered_cards
from worlds.stripe.api import changing, errors, wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.connect.requirements import acting
from worlds.stripe.models import Account, ExternalAccount
from worlds.stripe.payments import paying_out
from worlds.stripe.resources import tokens

_CURRENCIES = {
    "AU": "aud", "BR": "brl", "CA": "cad", "CH": "chf", "DK": "dkk", "GB": "gbp", "HK": "hkd", "IN": "inr",
    "JP": "jpy", "MX": "mxn", "NO": "nok", "NZ": "nzd", "PL": "pln", "SE": "sek", "SG": "sgd", "US": "usd",
}  # fmt: skip


def currency_of(country: str) -> str:
    """What is paid with in a country; the euro where nothing else is known."""
    return _CURRENCIES.get(country, "eur")


def shown(row: ExternalAccount) -> dict[str, Any]:
    """One as the API shows it, its stub when it is deleted."""
    if row.deleted:
        return {"id": row.id, "object": row.x_kind, "currency": row.currency, "deleted": True}
    nothing: dict[str, Any] = {"currently_due": [], "errors": [], "past_due": [], "pending_verification": []}
    more = {"future_requirements": nothing, "requirements": nothing} if row.x_kind == "bank_account" else {}
    return wire.complete(row.x_kind, {**row.shown, "available_payout_methods": ["standard"], **more})


def of(account: Account) -> list[ExternalAccount]:
    """Those of an account, newest first."""
    return list(ExternalAccount.objects.filter(account=account, deleted=False).order_by("-x_seq"))


def add(
    call: Call, account: Account, given: Any, *, default: bool | None = None, metadata: Any = None
) -> ExternalAccount:
    """Keep one for an account, of a token or as it was entered.

    Raises: StripeError for one that cannot be.
    """
    details, number = _entered(call, account, given)
    currency = details.get("currency") or account.default_currency
    others = ExternalAccount.objects.filter(account=account, currency=currency, deleted=False)
    is_default = bool(default) or not others.filter(default_for_currency=True).exists()
    if is_default:
        others.update(default_for_currency=False)
    row = call.make(
        ExternalAccount, "", id=details["id"], account=account, currency=currency, default_for_currency=is_default,
        metadata=changing.metadata(None, metadata), x_kind=details["object"], x_number=number, x_shown=details,
    )  # fmt: skip
    if is_default:
        _pay_to(call, row)
    acting(call, account.id).emit("account.external_account.created", shown(row))
    return row


def _entered(call: Call, account: Account, given: Any) -> tuple[dict[str, Any], str]:
    if isinstance(given, str):
        token = tokens.spend(call, given, param="external_account")
        found = token.bank_account or token.card
        if found is None:
            raise StripeError(f"The token {given} stands for nothing to pay out to.", param="external_account")
        return dict(found), token.x_number
    if "number" in given:
        card = entered_cards.entered(given, call.now)
        return tokens.shown_card(call, card), card.test_card.number
    for name in ("account_number", "country"):
        if name not in given:
            raise errors.missing_parameter(f"external_account[{name}]")
    told = {**given, "currency": given.get("currency") or currency_of(given["country"].upper())}
    return tokens.shown_bank_account(acting(call, account.id), told)


def _pay_to(call: Call, row: ExternalAccount) -> None:
    """Have payouts go there from now on."""
    assert row.account_id is not None
    own = paying_out.settings(acting(call, row.account_id))
    own.bank_account, own.account_number = row.id, row.x_number
    own.save()


def change(call: Call, row: ExternalAccount, params: dict[str, Any]) -> None:
    """Change what may be changed, and tell of it."""
    before = shown(row)
    if "metadata" in params:
        row.metadata = changing.metadata(row.metadata, params["metadata"])
    names = ("account_holder_name", "account_holder_type", "account_type", "exp_month", "exp_year", "name")
    told: dict[str, Any] = {name: params[name] or None for name in names if name in params}
    told |= {name: int(told[name]) for name in ("exp_month", "exp_year") if told.get(name)}
    row.x_shown = {**row.x_shown, **told}
    if params.get("default_for_currency"):
        others = ExternalAccount.objects.filter(account_id=row.account_id, currency=row.currency, deleted=False)
        others.exclude(pk=row.pk).update(default_for_currency=False)
        row.default_for_currency = True
        _pay_to(call, row)
    row.save()
    previous = changing.differences(before, shown(row))
    if previous and row.account_id is not None:
        acting(call, row.account_id).emit("account.external_account.updated", shown(row), previous)


def remove(call: Call, row: ExternalAccount) -> None:
    """Take one away, except the one that payouts go to while there are others.

    Raises: StripeError.
    """
    others = ExternalAccount.objects.filter(account_id=row.account_id, currency=row.currency, deleted=False)
    if row.default_for_currency and others.exclude(pk=row.pk).exists():
        raise StripeError(
            "You cannot delete the default external account for your default currency. Please make another external "
            "account the default using the `default_for_currency` param, and then delete this one."
        )
    gone = shown(row)
    row.deleted = True
    row.default_for_currency = False
    row.save(update_fields=["deleted", "default_for_currency"])
    assert row.account_id is not None
    acting(call, row.account_id).emit("account.external_account.deleted", gone)
