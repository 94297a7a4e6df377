"""How does a customer show that a bank account is theirs, by two small amounts or a code?"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from worlds.stripe import bank_accounts, pages
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.models import PaymentIntent, PaymentMethod, SetupIntent

#: Which types are verified before they are used.
VERIFIED_TYPES = ("acss_debit", "us_bank_account")
_RIGHT = ([32, 45], "SM11AA")
_TOO_OFTEN = ([10, 11], "SM33CC")
_TOO_LATE = ([40, 41], "SM44DD")
_MOST_TRIES = 10
_TAKES = timedelta(days=2)


def next_action(call: Call, intent: SetupIntent | PaymentIntent) -> dict[str, Any]:
    """What an intent shows while the amounts are on their way."""
    return {
        "type": "verify_with_microdeposits",
        "verify_with_microdeposits": {
            "arrival_date": int((call.now + _TAKES).replace(hour=0, minute=0, second=0).timestamp()),
            "hosted_verification_url": pages.address("microdeposits", intent.client_secret),
            "microdeposit_type": "descriptor_code",
        },
    }


def verify(method: PaymentMethod, params: dict[str, Any], wrong_before: int) -> StripeError | None:
    """Compare what the customer saw; answers what ends the attempt, None when the account is theirs.

    Raises: StripeError for a wrong answer that may be given again, and for none.
    """
    given = _given(params)
    if bank_accounts.by_number(method.type, method.x_number).fails_microdeposits:
        return _error("payment_method_microdeposit_failed", "Microdeposit transfers failed.")
    if given in _RIGHT:
        return None
    if given in _TOO_LATE:
        return _error(
            "payment_method_microdeposit_verification_timeout",
            "Microdeposit verification timed out: it was not completed within the time allowed.",
        )
    if given in _TOO_OFTEN or wrong_before + 1 >= _MOST_TRIES:
        return _error(
            "payment_method_microdeposit_verification_attempts_exceeded",
            "You have exceeded the number of allowed verification attempts.",
        )
    what = "amounts" if isinstance(given, list) else "descriptor_code"
    mismatch = "The amounts" if what == "amounts" else "The descriptor code"
    raise StripeError(
        f"{mismatch} provided do not match the {'amounts' if what == 'amounts' else 'code'} sent to the bank account.",
        code=f"payment_method_microdeposit_verification_{what}_mismatch",
        param=what,
        keeps=True,
    )


def _given(params: dict[str, Any]) -> list[int] | str:
    if ("amounts" in params) == ("descriptor_code" in params):
        raise StripeError(
            "You must pass exactly one of `amounts` and `descriptor_code`.", code="parameter_missing", param="amounts"
        )
    if "descriptor_code" in params:
        return str(params["descriptor_code"]).upper()
    amounts = sorted(params["amounts"])
    if len(amounts) != 2 or not all(0 < amount < 100 for amount in amounts):
        raise StripeError(
            "Two amounts in cents, each below one dollar, are needed.",
            code="payment_method_microdeposit_verification_amounts_invalid",
            param="amounts",
        )
    return amounts


def _error(code: str, message: str) -> StripeError:
    return StripeError(message, code=code)
