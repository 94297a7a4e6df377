"""How do two tickets, or two customers, become one?"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from worlds.engine import Ctx, tool
from worlds.helpdesk import conversation, errors, history, labels, lifecycle, records, rules
from worlds.helpdesk.editing import change
from worlds.helpdesk.history import by_agent
from worlds.helpdesk.models import Customer, CustomerAddress, HistoryEntry, Message, Ticket

#: What the kept customer takes over where it has nothing itself.
_FILLED = ("name", "company_name", "phone")


@tool
def merge_tickets(
    ctx: Ctx,
    keep_id: Annotated[str, Field(description="Id of the ticket that goes on.", max_length=40)],
    duplicate_id: Annotated[
        str, Field(description="Id of the ticket that is merged into it and closed.", max_length=40)
    ],
    message_to_requester: Annotated[
        str | None,
        Field(description="Public reply on the duplicate, to tell its requester before it closes.", max_length=20_000),
    ] = None,
) -> dict[str, Any]:
    """Merge two tickets about one matter.

    The duplicate is closed for good and keeps its conversation; an internal note on the ticket that goes on quotes what
    its customer wrote last, and its tags are added. Customers who answer the duplicate later write on the other one.
    """
    if keep_id == duplicate_id:
        raise errors.SameTicket
    keep, duplicate = records.workable(keep_id), records.workable(duplicate_id)
    by = by_agent(ctx)
    waiting_since = duplicate.waiting_since
    if message_to_requester is not None:
        conversation.reply(ctx, duplicate, message_to_requester)
        waiting_since = None
    conversation.add_note(ctx, duplicate, f"Merged into #{keep.number}.")
    lifecycle.change(ctx, duplicate, by, merged_into_id=keep.id, status="closed")
    history.note(ctx, keep, "merged_from", by, from_value=duplicate.id)
    labels.put(ctx, keep, by, sorted({*labels.names(keep), *labels.names(duplicate)}))
    if keep.status != "solved":
        keep.waiting_since = rules.earlier(keep.waiting_since, waiting_since)
    note = conversation.add_note(ctx, keep, _quoted(duplicate))
    return {
        "ticket": {**keep.as_dict(), "tags": labels.names(keep)},
        "duplicate": duplicate.as_dict(),
        "note": note.as_dict(),
    }


def _quoted(duplicate: Ticket) -> str:
    requester = duplicate.requester
    said = Message.objects.filter(ticket=duplicate, customer__isnull=False).order_by("-created_at", "-id").first()
    text = (
        f"#{duplicate.number} “{duplicate.subject}” from {requester} <{requester.email}> was merged into this ticket."
    )
    return f"{text} They last wrote:\n\n{said.body}" if said else text


@tool
def merge_customers(
    ctx: Ctx,
    keep_id: Annotated[str, Field(description="Id of the customer that stays.", max_length=40)],
    duplicate_id: Annotated[
        str, Field(description="Id of the customer that is merged into it and deleted.", max_length=40)
    ],
) -> dict[str, Any]:
    """Merge two customers that are the same person.

    The one that stays keeps what it has and takes over what it lacks; tickets, messages and addresses of both are its
    own afterwards, so that mail from either address is known as theirs.
    """
    if keep_id == duplicate_id:
        raise errors.SameCustomer
    keep, duplicate = records.customer(keep_id), records.customer(duplicate_id)
    now = ctx.clock.now()
    moved = {
        "tickets": Ticket.objects.filter(requester=duplicate).update(requester=keep),
        "messages": Message.objects.filter(customer=duplicate).update(customer=keep),
        "addresses": CustomerAddress.objects.filter(customer=duplicate).update(customer=keep) + 1,
    }
    HistoryEntry.objects.filter(customer=duplicate).update(customer=keep)
    duplicate.delete()
    CustomerAddress(email=duplicate.email, customer=keep, created_at=now).save(force_insert=True)
    filled = {
        name: getattr(duplicate, name) for name in _FILLED if not getattr(keep, name) and getattr(duplicate, name)
    }
    about = "\n".join(text for text in (keep.about, duplicate.about) if text)
    change(keep, {**filled, "about": about}, now)
    return {**keep.as_dict(), "other_emails": other_emails(keep), "moved": moved}


def other_emails(customer: Customer) -> list[str]:
    """The addresses of a customer beside the first one."""
    return list(customer.addresses.order_by("email").values_list("email", flat=True))
