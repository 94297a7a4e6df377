"""How does a customer say whether they were helped?"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from worlds.engine import Ctx, tool
from worlds.helpdesk import errors, history, records
from worlds.helpdesk.models import SatisfactionRating
from worlds.helpdesk.tools.arguments import TicketId
from worlds.helpdesk.words import Score


@tool
def rate_ticket(
    ctx: Ctx,
    ticket_id: TicketId,
    score: Annotated[Score, Field(description="What the customer said.")],
    comment: Annotated[str, Field(description="Why, in the customer's words.", max_length=5_000)] = "",
) -> dict[str, Any]:
    """Record how the customer rates a ticket, which was offered when it was solved; a later rating replaces it."""
    ticket = records.ticket(ticket_id)
    rating = SatisfactionRating.objects.filter(ticket=ticket).first()
    if rating is None or (rating.status == "offered" and ticket.status not in ("solved", "closed")):
        raise errors.RatingNotOffered(ticket.number, ticket.status)
    comment = comment.strip()
    if (rating.status, rating.comment) != (score, comment):
        by = history.by_customer(ticket.requester)
        history.note(ctx, ticket, "rated", by, from_value=rating.status, to_value=score)
        rating.status, rating.comment, rating.rated_at = score, comment, ctx.clock.now()
        rating.save(update_fields=["status", "comment", "rated_at"])
    return {"ticket_id": ticket.id, **rating.as_dict()}
