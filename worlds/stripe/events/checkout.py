"""What happens to sessions by the mere passing of time?"""

from __future__ import annotations

from typing import Any

from worlds.engine import Ctx, event_handler
from worlds.stripe.api.call import Call
from worlds.stripe.checkout import finishing
from worlds.stripe.models import CheckoutSession


@event_handler
def checkout_session_expires(ctx: Ctx, payload: dict[str, Any]) -> None:
    """Nobody has paid in time."""
    session = CheckoutSession.objects.get(pk=payload["session"])
    if session.status == "open":
        finishing.expire(Call.of_clock(ctx, payload["account"]), session)
