"""How do confirmation tokens behave?"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from worlds.stripe.api import errors, wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.operations import find, loads, operation
from worlds.stripe.models import ConfirmationToken
from worlds.stripe.resources import payment_methods

#: How long a token waits to be used.
_KEPT = timedelta(hours=12)
_PREVIEWED = ("id", "object", "created", "livemode", "metadata", "radar_options")

loads(ConfirmationToken)


@wire.shaped("confirmation_token")
def _shape(token: ConfirmationToken) -> dict[str, Any]:
    shown = wire.of(token.x_payment_method)
    return {"payment_method_preview": {name: value for name, value in shown.items() if name not in _PREVIEWED}}


@operation("PostTestHelpersConfirmationTokens")
def create(call: Call) -> ConfirmationToken:
    """Make a token as a shopper's browser would."""
    params = call.params
    if ("payment_method" in params) == ("payment_method_data" in params):
        raise errors.missing_parameter("payment_method_data")
    if "payment_method" in params:
        method = payment_methods.resolve(call, params["payment_method"])
    else:
        method = payment_methods.make(call, params["payment_method_data"], within="payment_method_data")
    return call.make(
        ConfirmationToken,
        "ctoken_",
        expires_at=call.now + _KEPT,
        payment_method_options=params.get("payment_method_options"),
        return_url=params.get("return_url"),
        setup_future_usage=params.get("setup_future_usage"),
        shipping=params.get("shipping"),
        x_payment_method=method,
    )


@operation("GetConfirmationTokensConfirmationToken")
def retrieve(call: Call) -> ConfirmationToken:
    return find(
        call, ConfirmationToken, call.path["confirmation_token"], noun="confirmationtoken", param="confirmation_token"
    )


def take(call: Call, id: str, **used_by: str) -> ConfirmationToken:
    """A token that an intent uses now, for the one time there is: `payment_intent=` or `setup_intent=` names it.

    Raises: StripeError for one that is not there, was used, or waited for too long.
    """
    token = find(call, ConfirmationToken, id, noun="confirmationtoken", param="confirmation_token", in_path=False)
    if token.payment_intent or token.setup_intent:
        raise StripeError(
            f"The confirmation token {id} was used already and cannot be used again.", param="confirmation_token"
        )
    if token.expires_at is not None and token.expires_at <= call.now:
        raise StripeError(f"The confirmation token {id} has expired.", param="confirmation_token")
    for name, intent in used_by.items():
        setattr(token, name, intent)
    token.expires_at = None
    token.save(update_fields=["expires_at", *used_by])
    return token
