"""Which record does an id stand for?

Each function raises NotFound when there is none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from django.db import models

from worlds.engine import prepared
from worlds.helpdesk import errors
from worlds.helpdesk.models import Agent, Customer, Macro, Tag, Team, Ticket

M = TypeVar("M", bound=models.Model)

# Nearly every call looks a record up, so these are prepared.
_agent = prepared(lambda id: Agent.objects.filter(pk=id))
_customer = prepared(lambda id: Customer.objects.filter(pk=id))
_ticket = prepared(lambda id: Ticket.objects.filter(pk=id))
_macro = prepared(lambda id: Macro.objects.filter(pk=id))
_team = prepared(lambda id: Team.objects.filter(pk=id))


def _found(row: M | None, resource: str, id: str) -> M:
    if row is None:
        raise errors.NotFound(resource, id)
    return row


def agent(id: str) -> Agent:
    return _found(_agent.first(id), "agent", id)


def assignee(id: str) -> Agent:
    """An agent who may be given tickets.

    Raises: AssigneeInactive besides.
    """
    found = agent(id)
    if not found.is_active:
        raise errors.AssigneeInactive(found.name, found.id)
    return found


def customer(id: str) -> Customer:
    return _found(_customer.first(id), "customer", id)


def ticket(id: str) -> Ticket:
    return _found(_ticket.first(id), "ticket", id)


def workable(id: str) -> Ticket:
    """A ticket that can still be worked on.

    Raises: TicketClosed besides.
    """
    found = ticket(id)
    require_workable(found)
    return found


def require_workable(found: Ticket) -> None:
    """Refuse a ticket that is closed.

    Raises: TicketClosed.
    """
    if found.status == "closed":
        raise errors.TicketClosed(found.number, found.merged_into.number if found.merged_into else None)


def macro(id: str) -> Macro:
    return _found(_macro.first(id), "macro", id)


def team(id: str) -> Team:
    return _found(_team.first(id), "team", id)


def tag(name: str) -> Tag:
    """A tag by its name.

    Raises: TagNotFound.
    """
    found = Tag.objects.filter(name=" ".join(name.lower().split())).first()
    if found is None:
        raise errors.TagNotFound(name)
    return found


def require(**ids: str | None) -> None:
    """Refuse ids that name nothing: `require(team=team_id)`; None is not looked up."""
    for resource, id in ids.items():
        if id is not None:
            _BY_ID[resource](id)


_BY_ID: dict[str, Callable[[str], models.Model]] = {
    "agent": agent,
    "customer": customer,
    "ticket": ticket,
    "macro": macro,
    "team": team,
}
