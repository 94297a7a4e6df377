"""What is kept and shown of each type of payment method?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from worlds.stripe import bank_accounts, facts
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError, missing_parameter
from worlds.stripe.bank_accounts import TestBankAccount
from worlds.stripe.entered_cards import fingerprint

_BANK = "STRIPE TEST BANK"
#: Every type there is.
TYPES: tuple[str, ...] = tuple(facts.resolved(facts.objects()["payment_method"].fields["type"])[1])
#: Which are nothing without numbers.
WITH_NUMBERS = (
    "acss_debit",
    "au_becs_debit",
    "bacs_debit",
    "boleto",
    "nz_bank_account",
    "sepa_debit",
    "us_bank_account",
)
#: What must be known of the holder before there can be one.
DETAILS_NEEDED = {
    "acss_debit": ("name", "email"),
    "au_becs_debit": ("name", "email"),
    "bacs_debit": ("name", "email"),
    "sepa_debit": ("name", "email"),
    "us_bank_account": ("name",),
}
#: Which types a customer can keep.
REUSABLE = frozenset(
    [
        "acss_debit", "amazon_pay", "au_becs_debit", "bacs_debit", "boleto", "card", "cashapp", "custom",
        "customer_balance", "kakao_pay", "klarna", "kr_card", "link", "mobilepay", "naver_pay", "nz_bank_account",
        "paypal", "payto", "pix", "revolut_pay", "satispay", "sepa_debit", "twint", "upi", "us_bank_account",
    ]
)  # fmt: skip
#: Which leave an account to debit behind when they are set up, and are used once themselves.
GENERATES_SEPA_DEBIT = ("bancontact", "ideal", "sofort")
#: Which need the holder's mandate.
WITH_MANDATE = frozenset(
    [
        "acss_debit", "amazon_pay", "au_becs_debit", "bacs_debit", "cashapp", "kakao_pay", "klarna", "kr_card", "link",
        "naver_pay", "nz_bank_account", "paypal", "payto", "pix", "revolut_pay", "sepa_debit", "twint", "upi",
        "us_bank_account",
    ]
)  # fmt: skip
#: Which the shopper authorizes on the provider's own page.
WITH_REDIRECT = frozenset(
    [
        "affirm", "afterpay_clearpay", "alipay", "alma", "amazon_pay", "bancontact", "billie", "bizum", "cashapp",
        "eps", "fpx", "giropay", "grabpay", "ideal", "kakao_pay", "klarna", "kr_card", "mobilepay", "naver_pay",
        "p24", "pay_by_bank", "payco", "paypal", "revolut_pay", "samsung_pay", "satispay", "scalapay", "sofort",
        "sunbit", "swish", "twint", "wechat_pay", "zip",
    ]
)  # fmt: skip


def rail(call: Call, type: str, given: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """What is shown under the name of a type, and the whole number that is not.

    Raises: StripeError for numbers that no account has.
    """
    make = _MAKERS.get(type)
    return (dict(given), "") if make is None else make(call, given)


def of_test_account(call: Call, account: TestBankAccount) -> tuple[dict[str, Any], str]:
    """The rail of a published test account."""
    numbers = {
        "us_bank_account": {"account_number": account.number, "routing_number": bank_accounts.ROUTING_NUMBER},
        "sepa_debit": {"iban": account.number},
        "bacs_debit": {"account_number": account.number, "sort_code": bank_accounts.SORT_CODE},
        "au_becs_debit": {"account_number": account.number, "bsb_number": bank_accounts.BSB_NUMBER},
        "acss_debit": {"account_number": account.number, "institution_number": "000", "transit_number": "11000"},
    }
    return rail(call, account.rail, numbers[account.rail])


def _us_bank_account(call: Call, given: dict[str, Any]) -> tuple[dict[str, Any], str]:
    linked = given.get("financial_connections_account")
    if linked is None:
        for name in ("account_number", "routing_number"):
            if name not in given:
                raise missing_parameter(f"us_bank_account[{name}]")
    number = _digits(given.get("account_number", "000123456789"), "us_bank_account[account_number]")
    routing = given.get("routing_number", bank_accounts.ROUTING_NUMBER)
    if not bank_accounts.is_routing_number(routing):
        raise StripeError(
            f"Invalid routing number: {routing}.",
            code="routing_number_invalid",
            param="us_bank_account[routing_number]",
        )
    return {
        "account_holder_type": given.get("account_holder_type", "individual"),
        "account_type": given.get("account_type", "checking"),
        "bank_name": _BANK,
        "financial_connections_account": linked,
        "fingerprint": fingerprint(call, routing + number),
        "last4": number[-4:],
        "networks": {"preferred": "ach", "supported": ["ach"]},
        "routing_number": routing,
        "status_details": {},
    }, number


def _sepa_debit(call: Call, given: dict[str, Any]) -> tuple[dict[str, Any], str]:
    iban = given["iban"].replace(" ", "").upper()
    if not bank_accounts.is_iban(iban):
        raise StripeError("The IBAN you entered is invalid.", code="invalid_number", param="sepa_debit[iban]")
    return {
        "bank_code": iban[4:12] if iban[:2] == "DE" else iban[4:9],
        "branch_code": iban[9:14] if iban[:2] == "FR" else "",
        "country": iban[:2],
        "fingerprint": fingerprint(call, iban),
        "generated_from": {"charge": None, "setup_attempt": None},
        "last4": iban[-4:],
    }, iban


def _bacs_debit(call: Call, given: dict[str, Any]) -> tuple[dict[str, Any], str]:
    for name in ("account_number", "sort_code"):
        if name not in given:
            raise missing_parameter(f"bacs_debit[{name}]")
    number = _digits(given["account_number"], "bacs_debit[account_number]")
    if number == bank_accounts.INVALID_BACS_NUMBER:
        raise _invalid_number("bacs_debit[account_number]")
    sort_code = given["sort_code"].replace("-", "")
    return {"fingerprint": fingerprint(call, sort_code + number), "last4": number[-4:], "sort_code": sort_code}, number


def _au_becs_debit(call: Call, given: dict[str, Any]) -> tuple[dict[str, Any], str]:
    number = _digits(given["account_number"], "au_becs_debit[account_number]")
    bsb = given["bsb_number"].replace("-", "")
    return {"bsb_number": bsb, "fingerprint": fingerprint(call, bsb + number), "last4": number[-4:]}, number


def _acss_debit(call: Call, given: dict[str, Any]) -> tuple[dict[str, Any], str]:
    number = _digits(given["account_number"], "acss_debit[account_number]")
    return {
        "bank_name": _BANK,
        "fingerprint": fingerprint(call, given["institution_number"] + given["transit_number"] + number),
        "institution_number": given["institution_number"],
        "last4": number[-4:],
        "transit_number": given["transit_number"],
    }, number


def _nz_bank_account(call: Call, given: dict[str, Any]) -> tuple[dict[str, Any], str]:
    number = _digits(given["account_number"], "nz_bank_account[account_number]")
    shown = {name: given.get(name) for name in ("account_holder_name", "bank_code", "branch_code", "suffix")}
    return {**shown, "bank_name": _BANK, "last4": number[-4:]}, number


def _payto(call: Call, given: dict[str, Any]) -> tuple[dict[str, Any], str]:
    number = given.get("account_number", "")
    return {
        "bsb_number": given.get("bsb_number"),
        "last4": number[-4:] or None,
        "pay_id": given.get("pay_id"),
    }, number


def _naver_pay(call: Call, given: dict[str, Any]) -> tuple[dict[str, Any], str]:
    return {"buyer_id": None, "funding": given.get("funding", "card")}, ""


def _upi(call: Call, given: dict[str, Any]) -> tuple[dict[str, Any], str]:
    return {"vpa": None}, ""


_MAKERS: dict[str, Callable[[Call, dict[str, Any]], tuple[dict[str, Any], str]]] = {
    "acss_debit": _acss_debit,
    "au_becs_debit": _au_becs_debit,
    "bacs_debit": _bacs_debit,
    "naver_pay": _naver_pay,
    "nz_bank_account": _nz_bank_account,
    "payto": _payto,
    "sepa_debit": _sepa_debit,
    "upi": _upi,
    "us_bank_account": _us_bank_account,
}


def _digits(number: str, param: str) -> str:
    plain = number.replace(" ", "").replace("-", "")
    if not (plain.isascii() and plain.isdigit() and 4 <= len(plain) <= 17):
        raise _invalid_number(param)
    return plain


def _invalid_number(param: str) -> StripeError:
    return StripeError("The account number is invalid.", code="account_number_invalid", param=param)
