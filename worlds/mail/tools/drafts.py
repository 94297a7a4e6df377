"""What can be done with drafts?"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from worlds.engine import Ctx, tool
from worlds.mail import acting, attaching, errors, records, rules, sending, showing
from worlds.mail.editing import change
from worlds.mail.models import Message
from worlds.mail.pagination import paginate
from worlds.mail.sending import Writing
from worlds.mail.tools.arguments import (
    Attachments,
    Bcc,
    Body,
    Cc,
    Cursor,
    DraftId,
    InMailbox,
    Limit,
    SendAt,
    Subject,
    To,
)
from worlds.mail.tools.sending import answered


@tool
def list_drafts(
    ctx: Ctx,
    is_scheduled: Annotated[
        bool | None, Field(description="true: only those that go out by themselves; false: only the others.")
    ] = None,
    mailbox: InMailbox | None = None,
    limit: Limit = 20,
    cursor: Cursor | None = None,
) -> dict[str, Any]:
    """List drafts in full, the one changed last first. One with send_at is scheduled: it goes out by itself."""
    found = acting.mailbox(ctx, mailbox)
    rows = found.drafts.prefetch_related("attachments")
    if is_scheduled is not None:
        rows = rows.filter(send_at__isnull=not is_scheduled)
    return paginate(
        "drafts",
        rows,
        tool="list_drafts",
        order="-updated_at",
        limit=limit,
        cursor=cursor,
        filters={"mailbox": found.id, "is_scheduled": is_scheduled},
        render=showing.draft,
    )


@tool
def create_draft(
    ctx: Ctx,
    body: Body = "",
    to: To | None = None,
    cc: Cc | None = None,
    bcc: Bcc | None = None,
    subject: Subject | None = None,
    reply_to_id: Annotated[
        str | None,
        Field(description="Id of the message it answers; to and subject then follow from it.", max_length=300),
    ] = None,
    attachments: Attachments | None = None,
    mailbox: InMailbox | None = None,
) -> dict[str, Any]:
    """Write a draft, to be sent later with send_draft."""
    message = records.message(ctx, reply_to_id, acting.named(ctx, mailbox)) if reply_to_id is not None else None
    sender = message.mailbox if message else acting.mailbox(ctx, mailbox)
    acting.require_active(sender)
    writing = Writing(
        to=rules.clean_addresses(to, "to") if to is not None else _asked(message),
        cc=rules.clean_addresses(cc or (), "cc"),
        bcc=rules.clean_addresses(bcc or (), "bcc"),
        subject=_subject(subject, message),
        body=rules.signed(body, sender.signature),
        enclosures=attaching.enclose(ctx, attachments),
        answers=message,
    )
    return showing.draft(sending.save_draft(ctx, sender, writing))


def _asked(message: Message | None) -> list[str]:
    return answered(message.mailbox, message, to_all=False)[0] if message else []


def _subject(subject: str | None, message: Message | None) -> str:
    if subject is not None:
        return rules.clean_line(subject)
    return rules.prefixed("Re", message.subject) if message else ""


@tool
def update_draft(
    ctx: Ctx,
    draft_id: DraftId,
    to: To | None = None,
    cc: Cc | None = None,
    bcc: Bcc | None = None,
    subject: Subject | None = None,
    body: Annotated[str | None, Field(description="The whole text, signature included.", max_length=100_000)] = None,
    attachments: Annotated[
        Attachments | None, Field(description="All its files from now on; an empty list takes them away.")
    ] = None,
) -> dict[str, Any]:
    """Change the given parts of a draft; the others stay as they are. A scheduled draft stays scheduled."""
    draft = records.draft(ctx, draft_id)
    lists = {"to": to, "cc": cc, "bcc": bcc}
    changes: dict[str, Any] = {
        f"{name}_addresses": rules.clean_addresses(value, name) for name, value in lists.items() if value is not None
    }
    if subject is not None:
        changes["subject"] = rules.clean_line(subject)
    if body is not None:
        changes["body"] = body.rstrip()
    groups = [changes.get(name, getattr(draft, name)) for name in ("to_addresses", "cc_addresses", "bcc_addresses")]
    # A draft nobody sends by hand must have somebody to go to.
    sending.check_recipients(*groups, *([] if draft.send_at else [[""]]))
    now = ctx.clock.now()
    attached = attachments is not None and attaching.attach(ctx, draft, attaching.enclose(ctx, attachments))
    if not change(draft, changes, updated_at=now) and attached:
        change(draft, {"updated_at": now})
    return showing.draft(draft)


@tool
def delete_draft(ctx: Ctx, draft_id: DraftId) -> dict[str, Any]:
    """Throw a draft away for good; one that was scheduled is not sent."""
    draft = records.draft(ctx, draft_id)
    sending.unschedule(ctx, draft)
    draft.delete()
    return {"draft_id": draft_id, "is_deleted": True}


@tool
def send_draft(
    ctx: Ctx,
    draft_id: DraftId,
    send_at: Annotated[
        SendAt | None,
        Field(description="Send it by itself at this instant instead of now; also to move a scheduled one."),
    ] = None,
) -> dict[str, Any]:
    """Send a draft now, or schedule it, or schedule it anew. Answers the sent message, or the scheduled draft."""
    draft = records.draft(ctx, draft_id)
    acting.require_active(draft.mailbox)
    if send_at is None:
        return showing.whole(sending.send_draft(ctx, draft))
    sending.schedule(ctx, draft, sending.in_the_future(ctx, send_at, "send_at"))
    return showing.draft(draft)


@tool
def cancel_scheduled_send(ctx: Ctx, draft_id: DraftId) -> dict[str, Any]:
    """Keep a scheduled message from going out; it stays as a draft."""
    draft = records.draft(ctx, draft_id)
    if draft.send_at is None:
        raise errors.NotScheduled(draft.subject)
    sending.unschedule(ctx, draft)
    return showing.draft(draft)
