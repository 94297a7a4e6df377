"""How does a PaymentIntent begin, whoever wants one?"""

from __future__ import annotations

from typing import Any

from worlds.stripe.api.call import Call
from worlds.stripe.models import PaymentIntent


def new(call: Call, amount: int, currency: str, **columns: Any) -> PaymentIntent:
    """A new intent, of which nothing was told yet: `payment_intent.created` is for whoever has completed it."""
    id = call.new_id("pi_")
    return call.make(
        PaymentIntent,
        "pi_",
        amount=amount,
        currency=currency,
        **{"id": id, "client_secret": f"{id}_secret_{call.token(25)}", "payment_method_types": ["card"], **columns},
    )
