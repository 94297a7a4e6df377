"""How does an agent look through tickets, and through what happened to one?"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from django.db.models import QuerySet
from pydantic import Field

from worlds.engine import Ctx, tool
from worlds.helpdesk import records, rules
from worlds.helpdesk.models import HistoryEntry, SlaClock, Ticket
from worlds.helpdesk.pagination import narrowed, paginate
from worlds.helpdesk.tools.arguments import Cursor, Limit, Moment, OfAssignee, OfTeam, TicketId
from worlds.helpdesk.words import UNSOLVED, Channel, Metric, Priority, RatingStatus, Status

OfStatus = Annotated[Status, Field(description="Only tickets with this status.")]
Unsolved = Annotated[
    bool, Field(description="true: only new, open, pending and on_hold ones; false: only solved and closed ones.")
]
OfPriority = Annotated[Priority, Field(description="Only tickets of this priority.")]
IsAssigned = Annotated[bool, Field(description="false: only tickets that are nobody's; true: only the others.")]
OfRequester = Annotated[str, Field(description="Only tickets of this customer.", max_length=40)]
WithTag = Annotated[str, Field(description="Only tickets that carry this tag.", max_length=40)]
OfChannel = Annotated[Channel, Field(description="Only tickets that came in this way.")]
CustomerWaits = Annotated[
    bool, Field(description="true: only tickets whose customer waits for an answer; false: only the others.")
]
Rated = Annotated[
    RatingStatus, Field(description="Only tickets rated like this; offered: asked for and not given yet.")
]
CreatedSince = Annotated[Moment, Field(description="Only tickets created at this instant or later.")]
TicketOrder = Annotated[
    Literal["newest", "oldest", "recently_updated", "least_recently_updated"],
    Field(description="newest and oldest go by creation; ties by id."),
]
_COLUMN = {
    "newest": "-created_at",
    "oldest": "created_at",
    "recently_updated": "-updated_at",
    "least_recently_updated": "updated_at",
}


@tool
def list_tickets(
    ctx: Ctx,
    status: OfStatus | None = None,
    unsolved: Unsolved | None = None,
    priority: OfPriority | None = None,
    assignee_id: OfAssignee | None = None,
    is_assigned: IsAssigned | None = None,
    team_id: OfTeam | None = None,
    requester_id: OfRequester | None = None,
    tag: WithTag | None = None,
    channel: OfChannel | None = None,
    customer_waits: CustomerWaits | None = None,
    rating: Rated | None = None,
    created_since: CreatedSince | None = None,
    order: TicketOrder = "newest",
    limit: Limit = 20,
    cursor: Cursor | None = None,
) -> dict[str, Any]:
    """List tickets, the newest first unless asked otherwise. Filters add up."""
    records.require(agent=assignee_id, team=team_id, customer=requester_id)
    filters = {
        "status": status,
        "priority": priority,
        "assignee_id": assignee_id,
        "assignee__isnull": None if is_assigned is None else not is_assigned,
        "team_id": team_id,
        "requester_id": requester_id,
        "tags": records.tag(tag).id if tag is not None else None,
        "channel": channel,
        "waiting_since__isnull": None if customer_waits is None else not customer_waits,
        "rating__status": rating,
        "created_at__gte": rules.in_utc(created_since, "created_since") if created_since is not None else None,
    }
    return paginate(
        "tickets",
        narrowed(_of_stage(unsolved), filters),
        tool="list_tickets",
        order=_COLUMN[order],
        limit=limit,
        cursor=cursor,
        filters={**filters, "unsolved": unsolved},
        render=Ticket.as_dict,
    )


def _of_stage(unsolved: bool | None) -> QuerySet[Ticket]:
    rows = Ticket.objects.all()
    if unsolved is None:
        return rows
    return rows.filter(status__in=UNSOLVED) if unsolved else rows.exclude(status__in=UNSOLVED)


@tool
def list_history(ctx: Ctx, ticket_id: TicketId, limit: Limit = 20, cursor: Cursor | None = None) -> dict[str, Any]:
    """List what happened to a ticket, oldest first: who wrote, who changed what from what to what, what came due."""
    records.require(ticket=ticket_id)
    return paginate(
        "history",
        HistoryEntry.objects.filter(ticket_id=ticket_id),
        tool="list_history",
        order="happened_at",
        limit=limit,
        cursor=cursor,
        filters={"ticket_id": ticket_id},
        render=HistoryEntry.as_dict,
    )


@tool
def list_sla_deadlines(
    ctx: Ctx,
    status: Annotated[
        Literal["running", "breached"],
        Field(description="running: what comes due; breached: what was due and is still not done."),
    ] = "running",
    metric: Annotated[Metric | None, Field(description="Only deadlines for this.")] = None,
    due_before: Annotated[Moment | None, Field(description="Only deadlines before this instant.")] = None,
    assignee_id: OfAssignee | None = None,
    team_id: OfTeam | None = None,
    limit: Limit = 20,
    cursor: Cursor | None = None,
) -> dict[str, Any]:
    """List the deadlines of the service level that are running, or missed with the work still to do; earliest first.

    A ticket has up to two: for the first reply and for its resolution. Paused ones have no deadline.
    """
    records.require(agent=assignee_id, team=team_id)
    filters = {
        "status": status,
        "metric": metric,
        "due_at__lt": rules.in_utc(due_before, "due_before") if due_before is not None else None,
        "ticket__assignee_id": assignee_id,
        "ticket__team_id": team_id,
    }
    return paginate(
        "deadlines",
        narrowed(SlaClock.objects.filter(stopped_at=None).select_related("ticket"), filters),
        tool="list_sla_deadlines",
        order="due_at",
        limit=limit,
        cursor=cursor,
        filters=filters,
        render=lambda clock: {**clock.as_dict(), "ticket": clock.ticket.as_dict()},
    )
