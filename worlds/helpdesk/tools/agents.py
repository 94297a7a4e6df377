"""What can be done with the staff, and with the tickets of those who leave?"""

from __future__ import annotations

from typing import Annotated, Any

from django.db.models import QuerySet
from pydantic import Field

from worlds.engine import Ctx, tool
from worlds.helpdesk import errors, lifecycle, records, rules
from worlds.helpdesk.acting import acting_agent_id, require_role
from worlds.helpdesk.history import by_agent
from worlds.helpdesk.models import Agent, Ticket
from worlds.helpdesk.pagination import narrowed, paginate
from worlds.helpdesk.tools.arguments import AgentId, AssigneeId, Cursor, Email, Limit, TeamId
from worlds.helpdesk.words import UNSOLVED, Role


@tool
def list_agents(
    ctx: Ctx,
    email: Annotated[str | None, Field(description="Only the agent with this address.", max_length=254)] = None,
    role: Annotated[Role | None, Field(description="Only agents with this role.")] = None,
    team_id: Annotated[str | None, Field(description="Only agents of this team.", max_length=40)] = None,
    is_active: Annotated[
        bool | None, Field(description="true: only those who work here now; false: only those who have left.")
    ] = None,
    limit: Limit = 20,
    cursor: Cursor | None = None,
) -> dict[str, Any]:
    """List the agents of this account, oldest first. current_agent_id is you."""
    records.require(team=team_id)
    filters = {
        "email": email.strip().lower() if email is not None else None,
        "role": role,
        "team_id": team_id,
        "is_active": is_active,
    }
    page = paginate(
        "agents",
        narrowed(Agent.objects.all(), filters),
        tool="list_agents",
        order="created_at",
        limit=limit,
        cursor=cursor,
        filters=filters,
        render=Agent.as_dict,
    )
    return {**page, "current_agent_id": acting_agent_id(ctx)}


@tool
def create_agent(
    ctx: Ctx,
    email: Email,
    name: Annotated[str, Field(description="Full name.", max_length=100)],
    role: Annotated[
        Role, Field(description="admin: everything; lead: also macros and bulk changes; agent: answers tickets.")
    ] = "agent",
    team_id: TeamId | None = None,
) -> dict[str, Any]:
    """Add an agent to the account. Admins only."""
    require_role(ctx, "Adding agents", "admin")
    records.require(team=team_id)
    email, name = rules.clean_email(email), rules.clean_text(name, "name")
    taken = Agent.objects.filter(email=email).first()
    if taken is not None:
        raise errors.AgentEmailTaken(email, taken.id)
    agent = Agent(
        id=f"agent_{ctx.ids.token(14)}",
        email=email,
        name=name,
        role=role,
        team_id=team_id,
        created_at=ctx.clock.now(),
    )
    agent.save(force_insert=True)
    return agent.as_dict()


@tool
def deactivate_agent(ctx: Ctx, agent_id: AgentId) -> dict[str, Any]:
    """Take away the access of somebody who leaves. Admins only.

    Their tickets stay theirs until reassign_tickets hands them over; still_assigned counts those not solved.
    """
    require_role(ctx, "Deactivating agents", "admin")
    agent = records.agent(agent_id)
    if agent.id == acting_agent_id(ctx):
        raise errors.CannotDeactivateSelf
    if not agent.is_active:
        raise errors.AgentAlreadyInactive(agent.name)
    agent.is_active = False
    agent.save(update_fields=["is_active"])
    tickets = Ticket.objects.filter(assignee=agent)
    return {**agent.as_dict(), "still_assigned": {word: tickets.filter(status=word).count() for word in UNSOLVED}}


@tool
def reassign_tickets(
    ctx: Ctx,
    to_agent_id: AssigneeId,
    ticket_ids: Annotated[
        list[Annotated[str, Field(max_length=40)]] | None,
        Field(description="Ids of the tickets; none of them closed.", min_length=1, max_length=200),
    ] = None,
    from_agent_id: Annotated[
        str | None,
        Field(description="Take everything unsolved of this agent instead of naming ids.", max_length=40),
    ] = None,
) -> dict[str, Any]:
    """Assign many tickets to another agent, all or none. Leads and admins only.

    Tickets that are there already are left alone.
    """
    require_role(ctx, "Reassigning in bulk", "admin", "lead")
    if (ticket_ids is None) == (from_agent_id is None):
        raise errors.ExactlyOne("ticket_ids", "from_agent_id")
    agent = records.assignee(to_agent_id)
    records.require(agent=from_agent_id)
    rows = (
        Ticket.objects.filter(assignee_id=from_agent_id, status__in=UNSOLVED)
        if ticket_ids is None
        else _named(ticket_ids)
    )
    by, tickets = by_agent(ctx), list(rows.order_by("number"))
    for ticket in tickets:
        records.require_workable(ticket)
    moved = [ticket.id for ticket in tickets if lifecycle.change(ctx, ticket, by, assignee_id=agent.id)]
    return {
        "to_agent_id": agent.id,
        "reassigned_ids": moved,
        "reassigned_count": len(moved),
        "unchanged_count": len(tickets) - len(moved),
    }


def _named(ids: list[str]) -> QuerySet[Ticket]:
    """The tickets of these ids.

    Raises: NotFound naming every id that is none.
    """
    rows = Ticket.objects.filter(pk__in=ids)
    missing = sorted(set(ids) - set(rows.values_list("pk", flat=True)))
    if missing:
        raise errors.NotFound("ticket", *missing)
    return rows
