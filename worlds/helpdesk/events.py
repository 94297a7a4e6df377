"""What happens to tickets by the mere passing of time?"""

from __future__ import annotations

from typing import Any

from worlds.engine import Ctx, event_handler
from worlds.helpdesk import history, lifecycle, sla
from worlds.helpdesk.models import SlaClock, Ticket


@event_handler(name=sla.HANDLER)
def note_breach(ctx: Ctx, payload: dict[str, Any]) -> None:
    """A clock has reached the moment it was due."""
    clock = SlaClock.objects.filter(pk=payload["clock_id"], status="running").select_related("ticket").first()
    if clock is not None:
        sla.breach(ctx, clock)
        clock.save(force_update=True)


@event_handler(name=lifecycle.HANDLER)
def close_solved(ctx: Ctx, payload: dict[str, Any]) -> None:
    """A ticket has been solved for as long as the account waits for an objection."""
    ticket = Ticket.objects.filter(pk=payload["ticket_id"], status="solved").first()
    if ticket is not None:
        lifecycle.change(ctx, ticket, history.THE_PRODUCT, status="closed")
