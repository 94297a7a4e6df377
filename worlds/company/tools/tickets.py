"""How does an agent carry a customer's trouble from one system to the next?"""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any

from pydantic import Field

from worlds.company import errors, reach
from worlds.company.models import Employee
from worlds.company.reach import Systems
from worlds.company.tools.arguments import EmployeeEmail, MessageId, Text, TicketId
from worlds.engine import Ctx, instant, tool

_TAG = "escalated"
_DUE_IN = timedelta(days=1)


@tool
def escalate_ticket(
    ctx: Ctx[Systems],
    ticket_id: TicketId,
    reason: Annotated[Text, Field(description="Why it cannot wait, for the account owner.", min_length=1)],
    to_email: Annotated[
        EmployeeEmail | None, Field(description="Who is to hear of it. Default: the owner of the account in the CRM.")
    ] = None,
) -> dict[str, Any]:
    """Take a ticket to the owner of the customer's account: it becomes at least high, is tagged escalated and gets an
    internal note; the owner gets a mail and, in the CRM, a task due tomorrow.
    """
    helpdesk = ctx.worlds.helpdesk
    ticket = helpdesk.call("get_ticket", ticket_id=ticket_id)
    email = ticket["requester"]["email"]
    lead = reach.lead_by_email(ctx, email)
    owner = _owner(ctx, email, lead, to_email)
    if reach.mailbox_of(ctx, owner.email) is None:
        raise errors.NoMailAccount(owner.name)
    priority = ticket["priority"] if ticket["priority"] in ("high", "urgent") else "high"
    tags = sorted({*ticket["tags"], _TAG})
    helpdesk.call("update_ticket", ticket_id=ticket_id, priority=priority, tags=tags)
    helpdesk.call("add_note", ticket_id=ticket_id, body=f"Escalated to {owner.name}: {reason}")
    sender = _sender(ctx)
    with reach.any_mailbox(ctx) as mail:
        message = mail.call(
            "send_message", to=[owner.email], subject=f"Escalated: ticket #{ticket['number']}, {ticket['subject']}",
            body=_letter(ticket, reason), **sender,
        )  # fmt: skip
    task = None
    if lead is not None and owner.crm_user_id:
        due = instant(ctx.clock.now() + _DUE_IN)
        task = ctx.worlds.crm.call(
            "create_task", subject=f"Ticket #{ticket['number']}: {ticket['subject']}"[:200], body=reason, due_at=due,
            lead_id=lead["id"], owner_id=owner.crm_user_id,
        )  # fmt: skip
    return {
        "ticket_id": ticket_id,
        "priority": priority,
        "escalated_to": owner.email,
        "message_id": message["id"],
        "task_id": task["id"] if task else None,
    }


def _owner(ctx: Ctx[Systems], email: str, lead: dict[str, Any] | None, to_email: str | None) -> Employee:
    if to_email is not None:
        return reach.at_work(to_email)
    if lead is None:
        raise errors.UnknownToCrm(email)
    owner = reach.account_owner(ctx, lead)
    if owner is None:
        raise errors.NobodyOwns(email)
    return owner


def _sender(ctx: Ctx[Systems]) -> dict[str, str]:
    """The shared support mailbox where there is one, else the mailbox one acts in."""
    shared = ctx.worlds.mail.db.one(
        "SELECT address FROM mailboxes WHERE kind = 'shared' AND is_active = 1 "
        "ORDER BY address NOT LIKE 'support@%', address NOT LIKE 'hello@%', address LIMIT 1"
    )
    return {"mailbox": shared["address"]} if shared else {}


def _letter(ticket: dict[str, Any], reason: str) -> str:
    requester = ticket["requester"]
    who = f"{requester['name'] or requester['email']} ({requester['email']})"
    latest = ticket["latest_message"]
    said = f"\n\nThe latest message:\n\n{latest['body']}" if latest else ""
    return f"Ticket #{ticket['number']} of {who} needs you.\n\n{reason}{said}"


@tool
def open_ticket_from_message(
    ctx: Ctx[Systems],
    message_id: MessageId,
    priority: Annotated[str, Field(description="low, normal, high or urgent.", max_length=10)] = "normal",
) -> dict[str, Any]:
    """Make a helpdesk ticket of a message from a customer, with its text as first message, and archive the message."""
    found = ctx.worlds.mail.db.one("SELECT * FROM messages WHERE id = ?", message_id)
    if found is None:
        raise errors.MessageNotFound(message_id)
    sender = found["from_address"]
    if reach.is_ours(ctx, sender):
        raise errors.NotFromOutside(sender)
    ticket = ctx.worlds.helpdesk.call(
        "create_ticket", subject=found["subject"] or "(no subject)", body=found["body"] or "(no text)",
        requester_email=sender, requester_name=found["from_name"], priority=priority,
    )  # fmt: skip
    with reach.any_mailbox(ctx) as mail:
        mail.call("mark_messages", message_ids=[message_id], is_read=True)
        mail.call("move_messages", message_ids=[message_id], to_folder="archive")
    return {"ticket_id": ticket["id"], "number": ticket["number"], "requester_id": ticket["requester"]["id"]}


@tool
def answer_ticket_by_mail(ctx: Ctx[Systems], ticket_id: TicketId, body: Text) -> dict[str, Any]:
    """Answer a ticket's customer: in public on the ticket, and as a mail from the support mailbox to their address."""
    reply = ctx.worlds.helpdesk.call("reply_to_ticket", ticket_id=ticket_id, body=body)
    ticket = ctx.worlds.helpdesk.call("get_ticket", ticket_id=ticket_id)
    with reach.any_mailbox(ctx) as mail:
        message = mail.call(
            "send_message", to=[ticket["requester"]["email"]], body=body,
            subject=f"[#{ticket['number']}] {ticket['subject']}", **_sender(ctx),
        )  # fmt: skip
    return {"ticket_id": ticket_id, "reply_id": reply["message"]["id"], "message_id": message["id"]}
