"""What can be written on a ticket, and read?"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from worlds.engine import Ctx, tool
from worlds.helpdesk import conversation, directory, opening, records
from worlds.helpdesk.models import Message, Ticket
from worlds.helpdesk.pagination import narrowed, paginate
from worlds.helpdesk.tools.arguments import BY_CREATION, Body, Cursor, Limit, Order, ThenStatus, TicketId
from worlds.helpdesk.words import Visibility


@tool
def reply_to_ticket(ctx: Ctx, ticket_id: TicketId, body: Body, status: ThenStatus | None = None) -> dict[str, Any]:
    """Write to the customer in public, in your own name, and leave the ticket in a status if you say so.

    It counts as first reply. A ticket that is nobody's becomes yours.
    """
    ticket = records.workable(ticket_id)
    message = conversation.reply(ctx, ticket, body, status=status)
    return {"message": message.as_dict(), "ticket": ticket.as_dict()}


@tool
def add_note(ctx: Ctx, ticket_id: TicketId, body: Body, status: ThenStatus | None = None) -> dict[str, Any]:
    """Write an internal note on a ticket, which customers never see. It is no reply."""
    ticket = records.workable(ticket_id)
    message = conversation.add_note(ctx, ticket, body, status=status)
    return {"message": message.as_dict(), "ticket": ticket.as_dict()}


@tool
def log_customer_message(
    ctx: Ctx,
    ticket_id: TicketId,
    body: Body,
    customer_email: Annotated[
        str | None,
        Field(description="Address of who wrote it, a customer or not yet. Default: the requester.", max_length=254),
    ] = None,
) -> dict[str, Any]:
    """Put what a customer wrote or said on a ticket.

    One that was pending, on hold or solved is open again. What is written on a closed ticket goes to the one it was
    merged into, or else begins a follow-up ticket; the answer says where it went.
    """
    ticket = _where_it_goes(records.ticket(ticket_id))
    customer = (
        ticket.requester
        if customer_email is None
        else directory.customer_for(ctx, customer_email, field="customer_email")
    )
    if ticket.status != "closed":
        message = conversation.customer_writes(ctx, ticket, customer, body)
        return {"message": message.as_dict(), "ticket": ticket.as_dict(), "is_follow_up": False}
    follow_up, message = opening.new_ticket(
        ctx,
        customer,
        subject=ticket.subject,
        body=body,
        channel=ticket.channel,
        priority="normal",
        team_id=ticket.team_id,
        follow_up_of=ticket,
    )
    return {"message": message.as_dict(), "ticket": follow_up.as_dict(), "is_follow_up": True}


def _where_it_goes(ticket: Ticket) -> Ticket:
    while ticket.merged_into is not None:
        ticket = ticket.merged_into
    return ticket


@tool
def list_messages(
    ctx: Ctx,
    ticket_id: TicketId,
    visibility: Annotated[
        Visibility | None, Field(description="public: what customers see; internal: the notes.")
    ] = None,
    order: Order = "oldest",
    limit: Limit = 20,
    cursor: Cursor | None = None,
) -> dict[str, Any]:
    """List the messages of a ticket, the oldest first unless asked otherwise: public ones and internal notes."""
    records.require(ticket=ticket_id)
    filters = {"ticket_id": ticket_id, "visibility": visibility}
    return paginate(
        "messages",
        narrowed(Message.objects.all(), filters),
        tool="list_messages",
        order=BY_CREATION[order],
        limit=limit,
        cursor=cursor,
        filters=filters,
        render=Message.as_dict,
    )
