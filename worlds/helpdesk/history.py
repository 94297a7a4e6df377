"""How does a ticket remember what happened to it?"""

from __future__ import annotations

from typing import NamedTuple

from worlds.engine import Ctx
from worlds.helpdesk.acting import acting_agent_id
from worlds.helpdesk.models import Customer, HistoryEntry, Ticket
from worlds.helpdesk.words import HistoryKind


class By(NamedTuple):
    """Who did something: an agent, a customer, or neither when the product did it."""

    agent_id: str | None = None
    customer_id: str | None = None


THE_PRODUCT = By()


def by_agent(ctx: Ctx) -> By:
    return By(agent_id=acting_agent_id(ctx))


def by_customer(customer: Customer) -> By:
    return By(customer_id=customer.id)


def note(
    ctx: Ctx, ticket: Ticket, kind: HistoryKind, by: By, *, from_value: str | None = "", to_value: str | None = ""
) -> None:
    """Write one thing down. Within a ticket, ids grow: what happened at one instant is told apart in order."""
    position = HistoryEntry.objects.filter(ticket=ticket).count() + 1
    HistoryEntry(
        id=f"hist_{position:05}_{ctx.ids.token(12)}",
        ticket=ticket,
        kind=kind,
        from_value=from_value or "",
        to_value=to_value or "",
        agent_id=by.agent_id,
        customer_id=by.customer_id,
        happened_at=ctx.clock.now(),
    ).save(force_insert=True)
