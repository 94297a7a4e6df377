"""Is a card's number, expiry and security code one a card can have, and whose card is it?"""

from __future__ import annotations

import re
from datetime import datetime

from worlds.stripe.api.errors import StripeError

#: What is said of a card that is refused, by code; a decline's own words outrank those of its code.
MESSAGES = {
    "card_declined": "Your card was declined.",
    "insufficient_funds": "Your card has insufficient funds.",
    "authentication_required": "Your card was declined. This transaction requires authentication.",
    "expired_card": "Your card has expired.",
    "incorrect_cvc": "Your card's security code is incorrect.",
    "incorrect_number": "Your card number is incorrect.",
    "incorrect_zip": "The zip code you supplied failed validation.",
    "invalid_cvc": "Your card's security code is invalid.",
    "invalid_expiry_month": "Your card's expiration month is invalid.",
    "invalid_expiry_year": "Your card's expiration year is invalid.",
    "invalid_number": "The card number is not a valid credit card number.",
    "processing_error": "An error occurred while processing your card. Try again in a little bit.",
}
#: The part of the card that a code blames.
PARAMS = {
    "expired_card": "exp_month",
    "incorrect_cvc": "cvc",
    "incorrect_number": "number",
    "incorrect_zip": "address_zip",
    "invalid_cvc": "cvc",
    "invalid_expiry_month": "exp_month",
    "invalid_expiry_year": "exp_year",
    "invalid_number": "number",
}
_BRANDS = (
    ("amex", r"3[47]"),
    ("diners", r"30[0-5]|3095|3[689]"),
    ("jcb", r"35(2[89]|[3-8])"),
    ("discover", r"6011|64[4-9]|65"),
    ("unionpay", r"62|81"),
    ("mastercard", r"5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720"),
    ("visa", r"4"),
)
_LENGTHS = range(12, 20)


def message_of(code: str, decline_code: str | None) -> str:
    """What is said of a card that was refused."""
    return MESSAGES.get(decline_code or "") or MESSAGES.get(code) or MESSAGES["card_declined"]


def refused(code: str, *, param: str | None = None) -> StripeError:
    """The answer to a card that cannot be one."""
    return StripeError(MESSAGES[code], status=402, kind="card_error", code=code, param=param or PARAMS.get(code))


def digits_of(number: str) -> str:
    """A number without the spaces and dashes it was typed with."""
    return re.sub(r"[ -]", "", number)


def brand_of(number: str) -> str:
    """Whose card a number is, by how it begins."""
    return next((brand for brand, begins in _BRANDS if re.match(begins, number)), "unknown")


def passes_luhn(number: str) -> bool:
    """Is the last digit the one that the others demand?"""
    total = 0
    for place, digit in enumerate(reversed(number)):
        value = int(digit) * (2 if place % 2 else 1)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def require_number(number: str) -> str:
    """The digits of a number.

    Raises: StripeError for what is no card's.
    """
    digits = digits_of(number)
    if not digits.isascii() or not digits.isdigit() or len(digits) not in _LENGTHS:
        raise refused("invalid_number")
    if not passes_luhn(digits):
        raise refused("incorrect_number")
    return digits


def require_expiry(month: int, year: int, now: datetime) -> tuple[int, int]:
    """The month and the full year until whose end a card is good.

    Raises: StripeError for a month that is none, and for one that is over.
    """
    full = year + 2000 if 0 <= year < 100 else year
    if not 1 <= month <= 12:
        raise refused("invalid_expiry_month")
    if not now.year <= full <= now.year + 50:
        raise refused("invalid_expiry_year")
    if (full, month) < (now.year, now.month):
        raise refused("invalid_expiry_month")
    return month, full


def require_cvc(cvc: str | None, brand: str) -> None:
    """Refuse a security code of the wrong length; none is none.

    Raises: StripeError.
    """
    if cvc is None:
        return
    lengths = (3, 4) if brand == "amex" else (3,)
    if not cvc.isascii() or not cvc.isdigit() or len(cvc) not in lengths:
        raise refused("invalid_cvc")
