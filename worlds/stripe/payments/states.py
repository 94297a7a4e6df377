"""Where may a PaymentIntent go from where it is?"""

from __future__ import annotations

from typing import Any

from worlds.stripe.api import wire
from worlds.stripe.api.errors import StripeError, listed
from worlds.stripe.models import PaymentIntent

_ONWARD = {"processing", "requires_action", "requires_capture", "requires_payment_method", "succeeded", "canceled"}
#: The published transitions.
TRANSITIONS: dict[str, set[str]] = {
    "requires_payment_method": _ONWARD | {"requires_confirmation"},
    "requires_confirmation": _ONWARD,
    "requires_action": _ONWARD | {"requires_confirmation"},
    "processing": {"canceled", "requires_capture", "requires_payment_method", "succeeded"},
    "requires_capture": {"canceled", "succeeded"},
    "succeeded": set(),
    "canceled": set(),
}
CONFIRMABLE = ("requires_payment_method", "requires_confirmation", "requires_action")
CANCELABLE = ("requires_payment_method", "requires_capture", "requires_confirmation", "requires_action", "processing")


def move(intent: PaymentIntent, status: str) -> None:
    """Give an intent another status, which is saved with it later."""
    assert status == intent.status or status in TRANSITIONS[intent.status], (intent.status, status)
    intent.status = status


def unexpected(intent: PaymentIntent, message: str, **more: Any) -> StripeError:
    """The refusal of what an intent's state does not allow; it shows the intent."""
    return StripeError(
        message, **{"code": "payment_intent_unexpected_state", "payment_intent": wire.of(intent), **more}
    )


def require(intent: PaymentIntent, allowed: tuple[str, ...], what: str, done: str) -> None:
    """Refuse unless the intent has one of the statuses: `what` could not be done, it may be `done` in those.

    Raises: StripeError.
    """
    if intent.status in allowed:
        return
    raise unexpected(
        intent,
        f"{what} because it has a status of {intent.status}. Only a PaymentIntent with one of the following statuses "
        f"may be {done}: {listed_all(allowed)}.",
    )


def listed_all(words: tuple[str, ...]) -> str:
    """`a, b, c`, as these messages list statuses."""
    return ", ".join(words) if words else listed(words)
