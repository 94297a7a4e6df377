"""What follows when somebody writes on a ticket?"""

from __future__ import annotations

from worlds.engine import Ctx
from worlds.helpdesk import history, lifecycle, rules, sla
from worlds.helpdesk.history import By, by_agent, by_customer
from worlds.helpdesk.models import Customer, Macro, Message, Ticket
from worlds.helpdesk.words import Visibility


def store(
    ctx: Ctx, ticket: Ticket, by: By, body: str, visibility: Visibility = "public", macro: Macro | None = None
) -> Message:
    """Store a message. Within a ticket, ids grow: what was written at one instant reads in order.

    Raises: EmptyText.
    """
    position = Message.objects.filter(ticket=ticket).count() + 1
    message = Message(
        id=f"msg_{position:05}_{ctx.ids.token(12)}",
        ticket=ticket,
        visibility=visibility,
        agent_id=by.agent_id,
        customer_id=by.customer_id,
        macro=macro,
        body=rules.clean_text(body, "body"),
        created_at=ctx.clock.now(),
    )
    message.save(force_insert=True)
    return message


def reply(ctx: Ctx, ticket: Ticket, body: str, *, macro: Macro | None = None, status: str | None = None) -> Message:
    """The acting agent answers the customer; a ticket that was nobody's becomes theirs."""
    by = by_agent(ctx)
    message = store(ctx, ticket, by, body, macro=macro)
    history.note(ctx, ticket, "replied", by, to_value=message.id)
    if ticket.first_replied_at is None:
        ticket.first_replied_at = message.created_at
    sla.replied(ctx, ticket)
    ticket.waiting_since = None
    changes = {} if ticket.assignee_id else {"assignee_id": by.agent_id}
    _written(ctx, ticket, by, **changes, **({"status": status} if status else {}))
    return message


def add_note(ctx: Ctx, ticket: Ticket, body: str, *, macro: Macro | None = None, status: str | None = None) -> Message:
    """The acting agent writes something down for colleagues."""
    by = by_agent(ctx)
    message = store(ctx, ticket, by, body, "internal", macro)
    history.note(ctx, ticket, "note_added", by, to_value=message.id)
    _written(ctx, ticket, by, **({"status": status} if status else {}))
    return message


def customer_writes(ctx: Ctx, ticket: Ticket, customer: Customer, body: str) -> Message:
    """A customer writes on a ticket that is not closed: it waits for an answer, and for nothing else any more."""
    by = by_customer(customer)
    message = store(ctx, ticket, by, body)
    history.note(ctx, ticket, "customer_wrote", by, to_value=message.id)
    ticket.waiting_since = ticket.waiting_since or message.created_at
    _written(ctx, ticket, by, status="new" if ticket.status == "new" else "open")
    return message


def _written(ctx: Ctx, ticket: Ticket, by: By, **columns: str | None) -> None:
    if not lifecycle.change(ctx, ticket, by, **columns):
        lifecycle.touch(ctx, ticket)
