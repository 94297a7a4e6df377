"""What is said and kept of a payment that did not go through?"""

from __future__ import annotations

from typing import Any

from worlds.stripe.api import wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.card_numbers import PARAMS, message_of
from worlds.stripe.models import Charge, PaymentIntent, PaymentMethod
from worlds.stripe.payments import states

AUTHENTICATION_FAILURE = "payment_intent_authentication_failure"
MESSAGES = {
    AUTHENTICATION_FAILURE: "The provided PaymentMethod has failed authentication. You can provide payment_method_data "
    "or a new PaymentMethod to attempt to fulfill this PaymentIntent again.",
    "account_closed": "The customer's bank account has been closed.",
    "charge_exceeds_source_limit": "This payment exceeds what may be debited from this account in a week.",
    "charge_exceeds_transaction_limit": "This payment exceeds what may be debited from this account at once.",
    "debit_not_authorized": "The customer has notified their bank that this payment was unauthorized.",
    "insufficient_funds": "The customer's account has insufficient funds to cover this payment.",
    "invalid_currency": "The bank was unable to process this payment because of its currency. The account might not "
    "accept payments in that currency.",
    "no_account": "The customer's bank account could not be located.",
    "payment_method_provider_decline": "The payment was declined by the provider of the payment method.",
    "refer_to_customer": "The bank asks to refer to the customer.",
}


def bank_message(code: str) -> str:
    """What is said of a bank's refusal."""
    return MESSAGES.get(code, "The payment was refused by the customer's bank.")


def error_of(
    code: str,
    decline_code: str | None,
    *,
    method: PaymentMethod | None,
    charge: Charge | None = None,
    kind: str = "card_error",
    message: str | None = None,
) -> dict[str, Any]:
    """An attempt's error, as the intent keeps it."""
    found: dict[str, Any] = {
        "code": code,
        "doc_url": f"https://stripe.com/docs/error-codes/{code.replace('_', '-')}",
        "message": message or message_of(code, decline_code),
        "type": kind,
    }
    if charge is not None:
        found["charge"] = charge.id
        advice = (charge.outcome or {}).get("advice_code")
        if advice:
            found["advice_code"] = advice
    if decline_code is not None:
        found["decline_code"] = decline_code
    if kind == "card_error" and code in PARAMS:
        found["param"] = PARAMS[code]
    if method is not None:
        found["payment_method"] = wire.of(method)
    return found


def fail(call: Call, intent: PaymentIntent, error: dict[str, Any], charge: Charge | None = None) -> None:
    """Ask for another payment method, and keep what was wrong with this one."""
    states.move(intent, "requires_payment_method")
    intent.payment_method = None
    intent.next_action = intent.x_authentication = None
    intent.last_payment_error = error
    if charge is not None:
        intent.latest_charge = charge
    intent.save()
    if charge is not None:
        call.emit("charge.failed", charge)
    call.emit("payment_intent.payment_failed", intent)


def refusal(intent: PaymentIntent) -> StripeError:
    """The answer to a decline; what was written stays."""
    error = dict(intent.last_payment_error or {})
    kept = {name: error[name] for name in ("advice_code", "charge", "decline_code", "payment_method") if name in error}
    return StripeError(
        error["message"], status=402, kind="card_error", code=error["code"], param=error.get("param"), keeps=True,
        **kept, payment_intent=wire.of(intent),
    )  # fmt: skip
