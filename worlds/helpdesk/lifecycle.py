"""What follows when a ticket changes?"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from worlds.engine import Ctx
from worlds.helpdesk import history, rules, sla
from worlds.helpdesk.history import By
from worlds.helpdesk.models import SatisfactionRating, Settings, Ticket
from worlds.helpdesk.words import HistoryKind

#: The event handler that closes what was solved long ago.
HANDLER = "close_solved"
#: While an account has no settings of its own.
AUTO_CLOSE_DAYS = 4

#: The columns whose changes are remembered, in the order in which they are.
_REMEMBERED: dict[str, HistoryKind] = {
    "subject": "subject",
    "priority": "priority",
    "team_id": "team",
    "assignee_id": "assignee",
    "merged_into_id": "merged_into",
    "status": "status",
}


def change(ctx: Ctx, ticket: Ticket, by: By, **columns: Any) -> bool:
    """Write the columns that differ, remember each, and do what follows from it; False when none does.

    A new ticket that is assigned becomes open.
    Raises: ClosedBeforeSolved, NobodyToSolveIt.
    """
    if ticket.status == "new" and columns.get("assignee_id") is not None:
        columns.setdefault("status", "open")
    before = {name: getattr(ticket, name) for name, value in columns.items() if getattr(ticket, name) != value}
    if not before:
        return False
    for name in before:
        setattr(ticket, name, columns[name])
    if {"status", "assignee_id"} & set(before) and ticket.merged_into_id is None:  # what was merged just ends
        rules.check_status(
            number=ticket.number,
            before=before.get("status", ticket.status),
            after=ticket.status,
            is_assigned=ticket.assignee_id is not None,
        )
    for name, kind in _REMEMBERED.items():
        if name in before:
            history.note(ctx, ticket, kind, by, from_value=before[name], to_value=columns[name])
    if "priority" in before:
        sla.retarget(ctx, ticket)
    if "status" in before:
        _status_changed(ctx, ticket, before["status"])
    ticket.updated_at = ctx.clock.now()
    ticket.save(force_update=True)
    return True


def touch(ctx: Ctx, ticket: Ticket) -> None:
    """Note that something about a ticket changed beside its own columns."""
    ticket.updated_at = ctx.clock.now()
    ticket.save(force_update=True)


def _status_changed(ctx: Ctx, ticket: Ticket, before: str) -> None:
    now = ctx.clock.now()
    sla.status_changed(ctx, ticket)
    if before == "solved":
        _forget_auto_close(ctx, ticket)
        if ticket.status != "closed":
            ticket.solved_at = None
    if ticket.status in ("solved", "closed"):
        ticket.waiting_since = None
    if ticket.status == "closed":
        ticket.closed_at = now
    if ticket.status == "solved":
        ticket.solved_at = now
        settings = Settings.objects.first()
        days = settings.auto_close_days if settings else AUTO_CLOSE_DAYS
        ticket.auto_closes_at = now + timedelta(days=days)
        ticket.auto_close_event = ctx.schedule(ticket.auto_closes_at, HANDLER, {"ticket_id": ticket.id})
        _offer_rating(ctx, ticket)


def _forget_auto_close(ctx: Ctx, ticket: Ticket) -> None:
    if ticket.auto_close_event is not None:
        ctx.unschedule(ticket.auto_close_event)
    ticket.auto_closes_at, ticket.auto_close_event = None, None


def _offer_rating(ctx: Ctx, ticket: Ticket) -> None:
    """Ask the customer how it went; who has said so already is not asked again."""
    rating = SatisfactionRating.objects.filter(ticket=ticket).first()
    if rating is None:
        rating_id = f"rating_{ctx.ids.token(14)}"
        SatisfactionRating(id=rating_id, ticket=ticket, status="offered", offered_at=ctx.clock.now()).save(
            force_insert=True
        )
    elif rating.status == "offered":
        rating.offered_at = ctx.clock.now()
        rating.save(update_fields=["offered_at"])
