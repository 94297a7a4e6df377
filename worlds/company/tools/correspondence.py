"""How does an agent keep mail and CRM together, and find what was said anywhere?"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from worlds.company import errors, reach
from worlds.company.reach import Systems
from worlds.company.tools.arguments import ThreadId
from worlds.engine import Ctx, tool


@tool
def log_thread_in_crm(
    ctx: Ctx[Systems],
    thread_id: ThreadId,
    summary: Annotated[str, Field(description="What it came to, for the CRM.", min_length=1, max_length=5000)],
) -> dict[str, Any]:
    """Log a mail thread as an email in the CRM, on everybody in it whom the CRM knows.

    Its direction is that of the latest message.
    """
    messages = ctx.worlds.mail.db.rows("SELECT * FROM messages WHERE thread_id = ? ORDER BY sent_at, id", thread_id)
    if not messages:
        raise errors.ThreadWithNobody(thread_id)
    people: dict[str, None] = {}
    for message in messages:
        people |= dict.fromkeys([message["from_address"], *reach.addresses(message["to_addresses"])])
    leads = [lead for address in people if (lead := reach.lead_by_email(ctx, address)) is not None]
    if not leads:
        raise errors.ThreadWithNobody(thread_id)
    latest = messages[-1]
    direction = "outbound" if reach.is_ours(ctx, latest["from_address"]) else "inbound"
    logged = [
        ctx.worlds.crm.call(
            "log_activity", kind="email", subject=latest["subject"] or "(no subject)", body=summary, lead_id=lead["id"],
            direction=direction, occurred_at=latest["sent_at"],
        )["id"]
        for lead in leads
    ]  # fmt: skip
    return {"activity_ids": logged, "lead_ids": [lead["id"] for lead in leads]}


@tool
def search_everywhere(
    ctx: Ctx[Systems],
    query: Annotated[str, Field(description="Words that must all occur.", min_length=1, max_length=300)],
    limit: Annotated[int, Field(description="How many hits of each system at most.", ge=1, le=50)] = 10,
) -> dict[str, Any]:
    """Search the CRM, the helpdesk and every open mailbox at once: the best hits first, of mail the latest."""
    found: list[dict[str, Any]] = []
    with reach.any_mailbox(ctx) as mail:
        for box in mail.db.rows("SELECT address FROM mailboxes WHERE is_active = 1 ORDER BY address"):
            hits = mail.call("search_messages", query=query, limit=limit, mailbox=box["address"])["messages"]
            found += [{**hit, "mailbox": box["address"]} for hit in hits]
    found.sort(key=lambda hit: (hit["received_at"], hit["id"]), reverse=True)
    return {
        "crm": ctx.worlds.crm.call("search_crm", query=query, limit=limit)["results"],
        "helpdesk": ctx.worlds.helpdesk.call("search_helpdesk", query=query, limit=limit)["results"],
        "mail": found[:limit],
    }
