"""What did somebody enter of a card, and what is kept and shown of it?"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from worlds.stripe.api.call import Call, account_fragment
from worlds.stripe.card_numbers import require_cvc, require_expiry, require_number
from worlds.stripe.cards import TestCard, by_number

ADDRESS = ("city", "country", "line1", "line2", "postal_code", "state")
#: How the parts of an address are called on tokens and sources.
SOURCE_ADDRESS = {
    "city": "address_city", "country": "address_country", "line1": "address_line1", "line2": "address_line2",
    "postal_code": "address_zip", "state": "address_state",
}  # fmt: skip
#: How brands are called where not as in `card.brand`: in `display_brand`, and on tokens and sources.
_DISPLAYED = {"amex": "american_express", "diners": "diners_club", "unionpay": "union_pay", "unknown": "other"}
_OF_SOURCES = {
    "amex": "American Express", "diners": "Diners Club", "discover": "Discover", "jcb": "JCB",
    "mastercard": "MasterCard", "unionpay": "UnionPay", "visa": "Visa",
}  # fmt: skip
_LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class EnteredCard:
    """A card as it was entered."""

    test_card: TestCard
    exp_month: int
    exp_year: int
    has_cvc: bool = True
    preferred_network: str | None = None
    name: str | None = None
    address: dict[str, str | None] = field(default_factory=dict)


def entered(given: dict[str, Any], now: datetime) -> EnteredCard:
    """What was entered, from the parameters of a payment method, a token or a source.

    Raises: StripeError for a number, an expiry or a security code that cannot be.
    """
    number = require_number(given["number"])
    month, year = require_expiry(int(given["exp_month"]), int(given["exp_year"]), now)
    card = by_number(number)
    require_cvc(given.get("cvc"), card.brand)
    return EnteredCard(
        card,
        month,
        year,
        has_cvc="cvc" in given,
        preferred_network=(given.get("networks") or {}).get("preferred"),
        name=given.get("name"),
        address={part: given.get(name) for part, name in SOURCE_ADDRESS.items() if given.get(name)},
    )


def of_test_card(card: TestCard, now: datetime) -> EnteredCard:
    """A published card as its token stands for it: good for another year."""
    return EnteredCard(card, now.month, now.year + 1)


def fingerprint(call: Call, number: str) -> str:
    """What tells one number from another: the same for a number in one account."""
    spelled = f"{account_fragment(call.ctx, call.account)}/{number}".encode()
    value = int.from_bytes(hashlib.sha256(spelled).digest())
    return "".join(_LETTERS[value // 62**place % 62] for place in range(16))


def rail(call: Call, card: EnteredCard) -> dict[str, Any]:
    """The `card` of a payment method."""
    known = card.test_card
    has_address = bool(card.address.get("line1"))
    has_code = bool(card.address.get("postal_code"))
    return {
        "brand": known.brand,
        "checks": {
            "address_line1_check": "unchecked" if has_address else None,
            "address_postal_code_check": "unchecked" if has_code else None,
            "cvc_check": "unchecked" if card.has_cvc else None,
        },
        "country": known.country,
        "display_brand": _DISPLAYED.get(known.brand, known.brand),
        "exp_month": card.exp_month,
        "exp_year": card.exp_year,
        "fingerprint": fingerprint(call, known.number),
        "funding": known.funding,
        "generated_from": None,
        "last4": known.last4,
        "networks": {"available": [*known.networks, known.brand], "preferred": card.preferred_network or None},
        "regulated_status": "regulated" if known.funding == "debit" else "unregulated",
        "three_d_secure_usage": {"supported": known.is_authentication_supported},
        "wallet": None,
    }


def billing_details(card: EnteredCard) -> dict[str, Any]:
    """Whose card it is, as far as that was entered with it."""
    return {"name": card.name, "address": dict(card.address)}


def checked(shown: dict[str, Any], known: TestCard | None, details: dict[str, Any]) -> dict[str, Any]:
    """A rail after the issuer was asked: what is there to check has passed, or has not."""
    failing = dict(known.checks) if known is not None else {}
    before = shown.get("checks") or {}
    address = details.get("address") or {}
    there = {
        "address_line1_check": bool(address.get("line1")),
        "address_postal_code_check": bool(address.get("postal_code")),
        "cvc_check": before.get("cvc_check") is not None,
    }
    return {**shown, "checks": {name: failing.get(name, "pass") if there[name] else None for name in there}}


def as_source(shown: dict[str, Any], details: dict[str, Any]) -> dict[str, Any]:
    """A payment method's card as tokens and sources show one."""
    address, checks = details.get("address") or {}, shown["checks"]
    return {
        **{name: address.get(part) for part, name in SOURCE_ADDRESS.items()},
        "address_line1_check": checks["address_line1_check"],
        "address_zip_check": checks["address_postal_code_check"],
        "brand": _OF_SOURCES.get(shown["brand"], "Unknown"),
        "country": shown["country"],
        "cvc_check": checks["cvc_check"],
        "dynamic_last4": None,
        "exp_month": shown["exp_month"],
        "exp_year": shown["exp_year"],
        "fingerprint": shown["fingerprint"],
        "funding": shown["funding"],
        "last4": shown["last4"],
        "name": details.get("name"),
        "networks": {"preferred": shown["networks"]["preferred"]},
        "regulated_status": shown["regulated_status"],
        "tokenization_method": None,
    }
