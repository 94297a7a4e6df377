"""How does a ticket begin?"""

from __future__ import annotations

from typing import Any

from django.db.models import Max

from worlds.engine import Ctx
from worlds.helpdesk import conversation, history, labels, rules, sla
from worlds.helpdesk.history import by_agent, by_customer
from worlds.helpdesk.models import Customer, Message, Ticket
from worlds.helpdesk.words import Sender

#: The number before the first ticket's.
_BEFORE_FIRST = 1000


def new_ticket(
    ctx: Ctx,
    requester: Customer,
    *,
    subject: str,
    body: str,
    sender: Sender = "customer",
    assignee_id: str | None = None,
    tags: list[str] | None = None,
    **columns: Any,
) -> tuple[Ticket, Message]:
    """Store a ticket with its first message, and start its clocks; one that an agent begins owes no first reply.

    Raises: EmptyText.
    """
    now = ctx.clock.now()
    is_asked = sender == "customer"
    by = by_customer(requester) if is_asked else by_agent(ctx)
    ticket = Ticket(
        id=f"tick_{ctx.ids.token(14)}",
        number=(Ticket.objects.aggregate(last=Max("number"))["last"] or _BEFORE_FIRST) + 1,
        subject=rules.clean_text(subject, "subject"),
        status="new" if assignee_id is None else "open",
        requester=requester,
        assignee_id=assignee_id,
        waiting_since=now if is_asked else None,
        first_replied_at=None if is_asked else now,
        created_at=now,
        updated_at=now,
        **columns,
    )
    ticket.save(force_insert=True)
    history.note(ctx, ticket, "created", by, to_value=ticket.channel)
    message = conversation.store(ctx, ticket, by, body)
    labels.put(ctx, ticket, by, tags or [])
    sla.start(ctx, ticket, *(("first_reply",) if is_asked else ()), "resolution")
    return ticket, message
