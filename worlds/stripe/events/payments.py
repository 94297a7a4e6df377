"""What happens to payments by the mere passing of time?"""

from __future__ import annotations

from typing import Any

from worlds.engine import Ctx, event_handler
from worlds.stripe.api.call import Call
from worlds.stripe.models import Charge, Dispute, Refund
from worlds.stripe.payments import attempting, capturing, disputing, refunding


@event_handler
def authorization_expires(ctx: Ctx, payload: dict[str, Any]) -> None:
    """Nobody has captured what was held."""
    capturing.expire(Call.of_clock(ctx, payload["account"]), Charge.objects.get(pk=payload["charge"]))


@event_handler
def debit_settles(ctx: Ctx, payload: dict[str, Any]) -> None:
    """A customer's bank has answered a debit."""
    attempting.settle(Call.of_clock(ctx, payload["account"]), Charge.objects.get(pk=payload["charge"]))


@event_handler
def refund_settles(ctx: Ctx, payload: dict[str, Any]) -> None:
    """A customer's bank has taken a refund, or has not."""
    refund = Refund.objects.get(pk=payload["refund"])
    refunding.settle(Call.of_clock(ctx, payload["account"]), refund, succeeds=payload["succeeds"])


@event_handler
def dispute_is_due(ctx: Ctx, payload: dict[str, Any]) -> None:
    """The day is over by which a dispute was to be answered."""
    disputing.come_due(Call.of_clock(ctx, payload["account"]), Dispute.objects.get(pk=payload["dispute"]))
