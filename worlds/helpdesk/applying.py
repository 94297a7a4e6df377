"""What does a macro do to a ticket?"""

from __future__ import annotations

from typing import Any

from worlds.engine import Ctx
from worlds.helpdesk import conversation, errors, history, labels, lifecycle, records, rules
from worlds.helpdesk.history import By, by_agent
from worlds.helpdesk.models import Macro, Message, Settings, Ticket


def apply(ctx: Ctx, ticket: Ticket, macro: Macro) -> dict[str, Any]:
    """Write the macro's text and make its changes: {"ticket", "message"}; nothing to write or change leaves no trace.

    Raises: MacroInactive, SolvedPriorityStays, NobodyToSolveIt.
    """
    if not macro.is_active:
        raise errors.MacroInactive(macro.title)
    if ticket.status == "solved" and macro.priority not in ("", ticket.priority):
        raise errors.SolvedPriorityStays(ticket.number)
    by, present = by_agent(ctx), labels.names(ticket)
    tags = sorted({*present, *macro.add_tags} - {*macro.remove_tags})
    columns = {name: value for name, value in (("priority", macro.priority), ("team_id", macro.team_id)) if value}
    status = {"status": macro.status} if macro.status else {}
    differs = any(getattr(ticket, name) != value for name, value in (*columns.items(), *status.items()))
    message: Message | None = None
    if macro.text or differs or tags != present:
        history.note(ctx, ticket, "macro_applied", by, to_value=macro.id)
        labels.put(ctx, ticket, by, tags)
        lifecycle.change(ctx, ticket, by, **columns)
        if not macro.text:
            lifecycle.change(ctx, ticket, by, **status)
            lifecycle.touch(ctx, ticket)
        else:
            write = conversation.reply if macro.visibility == "public" else conversation.add_note
            message = write(ctx, ticket, _text(ticket, macro, by), macro=macro, status=macro.status or None)
    return {
        "ticket": {**ticket.as_dict(), "tags": labels.names(ticket)},
        "message": message.as_dict() if message else None,
    }


def _text(ticket: Ticket, macro: Macro, by: By) -> str:
    settings = Settings.objects.first()
    customer, agent_name = ticket.requester, records.agent(by.agent_id).name if by.agent_id else ""
    return rules.filled(
        macro.text,
        {
            "customer.name": customer.name or customer.email,
            "customer.first_name": rules.first_name(customer.name, "there"),
            "customer.email": customer.email,
            "ticket.number": str(ticket.number),
            "ticket.subject": ticket.subject,
            "agent.name": agent_name,
            "agent.first_name": rules.first_name(agent_name, ""),
            "company.name": settings.company_name if settings else "",
        },
    )
