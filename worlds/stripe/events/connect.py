"""What happens to a platform's top-ups by the mere passing of time?"""

from __future__ import annotations

from typing import Any

from worlds.engine import Ctx, event_handler
from worlds.stripe.api.call import Call
from worlds.stripe.models import Topup
from worlds.stripe.resources import topups


@event_handler
def topup_arrives(ctx: Ctx, payload: dict[str, Any]) -> None:
    """The bank has sent what the platform adds to its balance."""
    topups.arrive(Call.of_clock(ctx, payload["account"]), Topup.objects.get(pk=payload["topup"]))
