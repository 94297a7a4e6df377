"""How does a connected account begin, and what does a change make of it?"""

from __future__ import annotations

from typing import Any

from worlds.stripe.api import changing, wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.connect import external, persons, requirements
from worlds.stripe.models import Account
from worlds.stripe.payments import paying_out
from worlds.stripe.resources import tokens

#: Who pays fees, bears losses, collects what is wanted, and what the owner sees, by the older types.
_CONTROLLERS: dict[str, dict[str, Any]] = {
    "custom": {"fees": {"payer": "application_custom"}, "losses": {"payments": "application"},
               "requirement_collection": "application", "stripe_dashboard": {"type": "none"}},
    "express": {"fees": {"payer": "application_express"}, "losses": {"payments": "application"},
                "requirement_collection": "stripe", "stripe_dashboard": {"type": "express"}},
    "standard": {"fees": {"payer": "account"}, "losses": {"payments": "stripe"}, "requirement_collection": "stripe",
                 "stripe_dashboard": {"type": "full"}},
}  # fmt: skip
_PLAIN = (
    "business_profile", "business_type", "company", "default_currency", "email", "groups", "metadata", "settings",
    "tos_acceptance",
)  # fmt: skip
#: What an account has asked for that is not told to.
_ASKED = ("card_payments", "transfers")


def open_account(call: Call, params: dict[str, Any]) -> Account:
    """Connect a new account.

    Raises: StripeError for what does not go together.
    """
    if "type" in params and "controller" in params:
        raise StripeError(
            "You may only specify one of these parameters: controller, type.", code="parameters_exclusive", param="type"
        )
    params = _with_token(call, params)
    type = params.get("type", "none" if "controller" in params else "standard")
    country = params.get("country", "US").upper()
    controller = {**_CONTROLLERS["standard"], **params.get("controller", {})}
    if type in _CONTROLLERS:
        controller = _CONTROLLERS[type]
    values = {name: value for name, value in changing.values(params, _PLAIN).items() if value is not None}
    values.setdefault("default_currency", external.currency_of(country))
    account = call.make(
        Account, "acct_", id=f"acct_1{call.token(15)}", country=country, type=type,
        controller={"is_controller": True, "type": "application", **controller}, **_company(values),
    )  # fmt: skip
    asked = params.get("capabilities")
    if asked is None and controller["stripe_dashboard"]["type"] in ("express", "full"):
        asked = {name: {"requested": True} for name in _ASKED}
    requirements.request(call, account, asked or {})
    _write_parts(call, account, params)
    requirements.settle(call, account)
    return account


def _with_token(call: Call, params: dict[str, Any]) -> dict[str, Any]:
    """What a token of an account holds counts as if it were given."""
    if "account_token" not in params:
        return params
    held = tokens.spend(call, params["account_token"], param="account_token").x_data
    told = dict(held)
    if told.pop("tos_shown_and_accepted", False):
        told["tos_acceptance"] = {"date": call.now_s, "ip": "127.0.0.1"}
    return {**params, **told}


def _company(values: dict[str, Any]) -> dict[str, Any]:
    """Numbers of a company are kept, and shown only as being there."""
    company = values.get("company")
    if company:
        given = {f"{name}_provided": True for name in ("tax_id", "vat_id") if company.get(name)}
        values["company"] = {**company, **given}
    return values


def _write_parts(call: Call, account: Account, params: dict[str, Any]) -> None:
    """Write what stands in rows of its own."""
    if "individual" in params:
        persons.write(call, account, params["individual"], persons.individual(account), x_is_individual=True)
    given = params.get("external_account", params.get("bank_account"))
    if given:
        external.add(call, account, given, default=True)
    schedule = ((params.get("settings") or {}).get("payouts") or {}).get("schedule") or {}
    if "interval" in schedule:
        theirs = requirements.acting(call, account.id)
        own = paying_out.settings(theirs)
        own.weekly_payout_days = [schedule["weekly_anchor"]] if "weekly_anchor" in schedule else own.weekly_payout_days
        own.monthly_payout_days = (
            [schedule["monthly_anchor"]] if "monthly_anchor" in schedule else own.monthly_payout_days
        )
        paying_out.choose_schedule(theirs, own, schedule["interval"])


def change(call: Call, account: Account, params: dict[str, Any]) -> None:
    """Change an account as the request says, and tell of it."""
    before = wire.of(account)
    params = _with_token(call, params)
    for name, value in _company(changing.values(params, _PLAIN, account)).items():
        if value is not None or account._meta.get_field(name).null:
            setattr(account, name, value)
    requirements.request(call, account, params.get("capabilities") or {})
    _write_parts(call, account, params)
    requirements.settle(call, account, before)


def reject(call: Call, account: Account, reason: str) -> None:
    """Have nothing more to do with an account.

    Raises: StripeError for a reason that is none.
    """
    if reason not in ("fraud", "terms_of_service", "other"):
        raise StripeError("Invalid reason: must be one of fraud, terms_of_service, or other", param="reason")
    before = wire.of(account)
    account.x_rejected = reason
    requirements.settle(call, account, before)


def parts(account: Account) -> dict[str, Any]:
    """What an account shows of its rows; an individual is shown where the platform has told of one."""
    rows = external.of(account)
    person = persons.individual(account)
    found: dict[str, Any] = {
        "external_accounts": {
            "object": "list", "data": [external.shown(row) for row in rows[:10]], "has_more": len(rows) > 10,
            "url": f"/v1/accounts/{account.id}/external_accounts",
        },
    }  # fmt: skip
    if person is not None:
        found["individual"] = wire.of(person)
    return found


def shown(account: Account) -> dict[str, Any]:
    """An account as it looks now, before something is changed about it."""
    return wire.of(account)
