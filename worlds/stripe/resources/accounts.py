"""How does the account that everything belongs to behave, and how does any account look?"""

from __future__ import annotations

from typing import Any

from worlds.engine import Ctx
from worlds.stripe.api import changing, wire
from worlds.stripe.api.call import Call, account_id, opened_at
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.operations import Answer, operation
from worlds.stripe.connect import accounts as connecting
from worlds.stripe.generic import carry_out
from worlds.stripe.models import Account

_NOTHING_DUE: dict[str, Any] = {
    "alternatives": [], "current_deadline": None, "currently_due": [], "disabled_reason": None, "errors": [],
    "eventually_due": [], "past_due": [], "pending_verification": [],
}  # fmt: skip
_PROFILE = dict.fromkeys(
    ("annual_revenue", "estimated_worker_count", "mcc", "minority_owned_business_designation", "name",
     "product_description", "support_address", "support_email", "support_phone", "support_url", "url")
)  # fmt: skip
_SETTINGS: dict[str, Any] = {
    "bacs_debit_payments": {"display_name": None, "service_user_number": None},
    "branding": {"icon": None, "logo": None, "primary_color": None, "secondary_color": None},
    "card_issuing": {"tos_acceptance": {"date": None, "ip": None}},
    "card_payments": {
        "decline_on": {"avs_failure": False, "cvc_failure": False},
        "statement_descriptor_prefix": None,
        "statement_descriptor_prefix_kana": None,
        "statement_descriptor_prefix_kanji": None,
    },
    "dashboard": {"display_name": None, "timezone": "Etc/UTC"},
    "invoices": {"default_account_tax_ids": None, "hosted_payment_method_save": "offer"},
    "payments": {"statement_descriptor": None, "statement_descriptor_kana": None, "statement_descriptor_kanji": None},
    "payouts": {
        "debit_negative_balances": True,
        "schedule": {"delay_days": 2, "interval": "daily"},
        "statement_descriptor": None,
    },
    "sepa_debit_payments": {},
}
#: What a new account in test mode may take money by.
_CAPABILITIES = (
    "acss_debit_payments", "affirm_payments", "afterpay_clearpay_payments", "amazon_pay_payments",
    "bancontact_payments", "card_payments", "cashapp_payments", "eps_payments", "klarna_payments", "link_payments",
    "p24_payments", "sepa_debit_payments", "transfers", "us_bank_account_ach_payments",
)  # fmt: skip
_CHANGEABLE = (
    "business_profile", "business_type", "company", "default_currency", "email", "groups", "metadata", "settings",
    "tos_acceptance",
)  # fmt: skip


@wire.shaped("account")
def _shape(account: Account) -> dict[str, Any]:
    """What is always there of an account, below what its row says."""
    named = {"dashboard": {"display_name": account.business_profile.get("name")}}
    return {
        "business_profile": {**_PROFILE, **account.business_profile},
        "future_requirements": {**_NOTHING_DUE, **account.future_requirements},
        "requirements": {**_NOTHING_DUE, **account.requirements},
        "settings": _over(_over(_SETTINGS, named), account.settings),
        **connecting.parts(account),
    }


def _over(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    found = dict(below)
    for name, value in above.items():
        inner = found.get(name)
        found[name] = _over(inner, value) if isinstance(inner, dict) and isinstance(value, dict) else value
    return found


def platform(ctx: Ctx) -> Account:
    """The account that everything here belongs to; as a new one is, not stored, where nothing was said of it yet."""
    return Account.objects.filter(x_is_platform=True).first() or Account(
        id=account_id(ctx), x_seq=0, x_is_platform=True, created=opened_at(ctx), country="US", default_currency="usd",
        email="owner@example.com", business_type="company", charges_enabled=True, payouts_enabled=True,
        details_submitted=True, capabilities=dict.fromkeys(_CAPABILITIES, "active"), controller={"type": "account"},
        tos_acceptance={"date": int(opened_at(ctx).timestamp()), "ip": None, "user_agent": None},
    )  # fmt: skip


def keep_platform(
    ctx: Ctx, *, name: str | None = None, country: str | None = None, currency: str | None = None
) -> None:
    """Store that account, with what is given of its name, country and currency."""
    account = platform(ctx)
    rename(account, name=name, country=country, currency=currency)
    account.save()


def rename(account: Account, *, name: str | None, country: str | None, currency: str | None) -> None:
    """Set what is given of an account's name, country and currency."""
    if name is not None:
        account.business_profile = {**account.business_profile, "name": name}
        account.settings = _over(
            account.settings,
            {"payments": {"statement_descriptor": _descriptor(name)}},
        )
    account.country = country or account.country
    account.default_currency = currency or account.default_currency


def _descriptor(name: str | None) -> str | None:
    """What a cardholder reads, of 5 to 22 characters."""
    text = "".join(c for c in (name or "").upper() if c not in "<>\\'\"*")[:22].strip()
    return text.ljust(5, ".") if text else None


def own(call: Call) -> Account | None:
    """The account acted for, where it is of this kind."""
    return Account.objects.filter(pk=call.account).first() if call.account else platform(call.ctx)


@operation("GetAccount")
def retrieve_own(call: Call) -> Answer:
    return own(call) or carry_out(call)


def update_own(call: Call, account: Account) -> Account:
    """Change the platform's own account as the request says.

    Raises: StripeError for capabilities, which it does not ask for itself.
    """
    if "capabilities" in call.params:
        raise StripeError(
            "You cannot request capabilities for your own account through the API; use the Dashboard.",
            param="capabilities",
        )
    values = changing.values(call.params, _CHANGEABLE, account)
    if account._state.adding:
        account.save()
    previous = changing.change(account, values)
    if previous:
        call.emit("account.updated", account, previous)
    return account
