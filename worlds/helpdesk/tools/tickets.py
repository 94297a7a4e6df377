"""What can be done with tickets?"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from worlds.engine import Ctx, prepared, tool
from worlds.helpdesk import directory, errors, labels, lifecycle, opening, records, rules
from worlds.helpdesk.acting import acting_agent_id
from worlds.helpdesk.editing import given
from worlds.helpdesk.history import by_agent
from worlds.helpdesk.models import Customer, Message, SatisfactionRating, SlaClock, Ticket
from worlds.helpdesk.tools.arguments import AssigneeId, Subject, Tags, TeamId, TicketId, TicketPriority
from worlds.helpdesk.words import Channel, Sender, SettableStatus

FirstMessage = Annotated[str, Field(description="The first message, plain text.", max_length=20_000)]
RequesterEmail = Annotated[
    str, Field(description="Address of the customer it is for; a customer is made when none has it.", max_length=254)
]
RequesterName = Annotated[
    str, Field(description="Name of that customer, taken down while none is known.", max_length=160)
]
RequesterId = Annotated[str, Field(description="Id of the customer, instead of an address.", max_length=40)]
SentBy = Annotated[
    Sender,
    Field(description="Who wrote the first message. agent: you write to the customer first, and the ticket is yours."),
]
CameBy = Annotated[Channel, Field(description="How it came in.")]
FollowUpOf = Annotated[str, Field(description="Id of the closed ticket this one goes on from.", max_length=40)]
Number = Annotated[int, Field(description="Number of the ticket, as customers quote it.", ge=1, le=2_000_000_000)]
NewStatus = Annotated[
    SettableStatus,
    Field(description="pending: waits for the customer; on_hold: waits for somebody else; closed: for good."),
]
AllTags = Annotated[
    list[Annotated[str, Field(max_length=40)]],
    Field(description="Names of all the tags it is to have; [] takes them all away.", max_length=20),
]


# Agents read tickets more often than anything else, so what belongs to one is prepared.
_rating = prepared(lambda id: SatisfactionRating.objects.filter(ticket_id=id))
_latest = prepared(lambda id: Message.objects.filter(ticket_id=id).order_by("-created_at", "-id")[:1])
_message_ids = prepared(lambda id: Message.objects.filter(ticket_id=id).values_list("id", flat=True))
_clocks = prepared(lambda id: SlaClock.objects.filter(ticket_id=id).order_by("metric"))
_follow_ups = prepared(
    lambda id: Ticket.objects.filter(follow_up_of_id=id).order_by("number").values_list("id", flat=True)
)
_merged = prepared(lambda id: Ticket.objects.filter(merged_into_id=id).order_by("number").values_list("id", flat=True))


@tool
def create_ticket(
    ctx: Ctx,
    subject: Subject,
    body: FirstMessage,
    requester_email: RequesterEmail | None = None,
    requester_name: RequesterName = "",
    requester_id: RequesterId | None = None,
    sender: SentBy = "customer",
    channel: CameBy = "email",
    priority: TicketPriority = "normal",
    assignee_id: AssigneeId | None = None,
    team_id: TeamId | None = None,
    tags: Tags | None = None,
    follow_up_of_id: FollowUpOf | None = None,
) -> dict[str, Any]:
    """Create a ticket for a customer, with its first message. The clocks of its service level start.

    It is new while assigned to nobody, and open otherwise.
    """
    records.require(team=team_id)
    if assignee_id is not None:
        assignee_id = records.assignee(assignee_id).id
    elif sender == "agent":
        assignee_id = acting_agent_id(ctx)
    ticket, message = opening.new_ticket(
        ctx,
        _requester(ctx, requester_email, requester_name, requester_id),
        subject=subject,
        body=body,
        sender=sender,
        channel=channel,
        priority=priority,
        assignee_id=assignee_id,
        team_id=team_id,
        follow_up_of=_closed(follow_up_of_id) if follow_up_of_id is not None else None,
        tags=rules.clean_tags(tags or []),
    )
    more = {"tags": labels.names(ticket), "requester": ticket.requester.as_dict(), "message_id": message.id}
    return {**ticket.as_dict(), **more}


def _requester(ctx: Ctx, email: str | None, name: str, id: str | None) -> Customer:
    if id is None and email is not None:
        return directory.customer_for(ctx, email, name, field="requester_email")
    if id is None or email is not None:
        raise errors.ExactlyOne("requester_email", "requester_id")
    return records.customer(id)


def _closed(ticket_id: str) -> Ticket:
    ticket = records.ticket(ticket_id)
    if ticket.status != "closed":
        raise errors.NotClosedYet(ticket.number, ticket.status)
    return ticket


@tool
def get_ticket(ctx: Ctx, ticket_id: TicketId | None = None, number: Number | None = None) -> dict[str, Any]:
    """Get a ticket by id or number, with its requester, tags, service level, rating, latest message and relatives.

    list_messages reads the whole conversation, list_history what happened to the ticket.
    """
    ticket = _by_id_or_number(ticket_id, number)
    rating, latest = _rating.first(ticket.id), _latest.first(ticket.id)
    return {
        **ticket.as_dict(),
        "tags": labels.names(ticket),
        "requester": records.customer(ticket.requester_id).as_dict(),
        "sla": [clock.as_dict() for clock in _clocks(ticket.id)],
        "rating": rating.as_dict() if rating else None,
        "message_count": len(_message_ids(ticket.id)),
        "latest_message": latest.as_dict() if latest else None,
        "follow_up_ids": _follow_ups(ticket.id),
        "merged_ids": _merged(ticket.id),
    }


def _by_id_or_number(ticket_id: str | None, number: int | None) -> Ticket:
    if ticket_id is not None and number is None:
        return records.ticket(ticket_id)
    if ticket_id is not None or number is None:
        raise errors.ExactlyOne("ticket_id", "number")
    found = Ticket.objects.filter(number=number).first()
    if found is None:
        raise errors.NumberNotFound(number)
    return found


@tool
def update_ticket(
    ctx: Ctx,
    ticket_id: TicketId,
    subject: Subject | None = None,
    status: NewStatus | None = None,
    priority: TicketPriority | None = None,
    assignee_id: AssigneeId | None = None,
    team_id: TeamId | None = None,
    tags: AllTags | None = None,
    clear: Annotated[list[Literal["assignee_id", "team_id"]] | None, Field(description="Fields to empty.")] = None,
) -> dict[str, Any]:
    """Change the given fields of a ticket; the others stay as they are.

    A new ticket that is assigned becomes open. While it is pending or on hold, the time to its resolution stands still;
    another priority brings another service level. Solving needs an assignee, asks the customer for a rating, and is
    followed by closing after some days. Only a solved ticket is closed, and a closed one stays as it is.
    """
    ticket = records.workable(ticket_id)
    records.require(team=team_id)
    if priority not in (None, ticket.priority) and ticket.status == "solved":
        raise errors.SolvedPriorityStays(ticket.number)
    columns = {
        "subject": rules.clean_text(subject, "subject") if subject is not None else None,
        "status": status,
        "priority": priority,
        "assignee_id": records.assignee(assignee_id).id if assignee_id is not None else None,
        "team_id": team_id,
    }
    by = by_agent(ctx)
    lifecycle.change(ctx, ticket, by, **given(columns, clear))
    if tags is not None and labels.put(ctx, ticket, by, rules.clean_tags(tags)):
        lifecycle.touch(ctx, ticket)
    return {**ticket.as_dict(), "tags": labels.names(ticket)}
