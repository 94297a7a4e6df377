"""How does a message leave: now, or when its time has come?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from worlds.engine import Ctx
from worlds.mail import attaching, errors, rules
from worlds.mail.delivery import post
from worlds.mail.letters import Enclosure, Letter, header_id, new_message_id
from worlds.mail.models import Draft, Mailbox, Message


@dataclass(frozen=True, kw_only=True)
class Writing:
    """What somebody wrote, before it is a draft or a message."""

    to: Sequence[str]
    cc: Sequence[str] = ()
    bcc: Sequence[str] = ()
    subject: str
    body: str
    enclosures: Sequence[Enclosure] = ()
    answers: Message | None = None

    @property
    def in_reply_to(self) -> str:
        return self.answers.header_id if self.answers else ""

    @property
    def reference_ids(self) -> list[str]:
        return rules.references(self.answers.reference_ids, self.answers.header_id) if self.answers else []


def check_recipients(*groups: Sequence[str]) -> None:
    """Raises: NoRecipient, TooManyRecipients."""
    count = sum(map(len, groups))
    if not count:
        raise errors.NoRecipient
    if count > rules.MOST_RECIPIENTS:
        raise errors.TooManyRecipients(rules.MOST_RECIPIENTS)


def in_the_future(ctx: Ctx, moment: datetime, field: str) -> datetime:
    """Raises: NotInTheFuture, WithoutTimeZone, OutOfRange."""
    moment = rules.in_utc(moment, field)
    if moment <= ctx.clock.now():
        raise errors.NotInTheFuture(field, ctx.clock.iso())
    return moment


def send(ctx: Ctx, sender: Mailbox, writing: Writing) -> Message:
    """Send what was written; answers the sender's copy.

    Raises: NoRecipient, TooManyRecipients.
    """
    check_recipients(writing.to, writing.cc, writing.bcc)
    message_id = new_message_id(ctx)
    letter = Letter(
        header_id=header_id(message_id, sender.domain),
        from_address=sender.address,
        from_name=sender.name,
        to=writing.to,
        cc=writing.cc,
        bcc=writing.bcc,
        subject=writing.subject,
        body=writing.body,
        sent_at=ctx.clock.now(),
        in_reply_to=writing.in_reply_to,
        reference_ids=writing.reference_ids,
        enclosures=writing.enclosures,
    )
    return post(ctx, sender, letter, message_id=message_id)


def save_draft(ctx: Ctx, sender: Mailbox, writing: Writing) -> Draft:
    """Keep what was written without sending it."""
    check_recipients(writing.to, writing.cc, writing.bcc, [""])
    now = ctx.clock.now()
    draft = Draft(
        id=f"draft_{ctx.ids.token(14)}",
        mailbox=sender,
        thread_id=writing.answers.thread_id if writing.answers else None,
        to_addresses=list(writing.to),
        cc_addresses=list(writing.cc),
        bcc_addresses=list(writing.bcc),
        subject=writing.subject,
        body=writing.body,
        in_reply_to=writing.in_reply_to,
        reference_ids=writing.reference_ids,
        created_at=now,
        updated_at=now,
    )
    draft.save(force_insert=True)
    attaching.attach(ctx, draft, writing.enclosures)
    return draft


def send_draft(ctx: Ctx, draft: Draft) -> Message:
    """Send a draft, which is then no draft any more.

    Raises: NoRecipient.
    """
    check_recipients(draft.to_addresses, draft.cc_addresses, draft.bcc_addresses)
    message_id = new_message_id(ctx)
    letter = Letter(
        header_id=header_id(message_id, draft.mailbox.domain),
        from_address=draft.mailbox.address,
        from_name=draft.mailbox.name,
        to=draft.to_addresses,
        cc=draft.cc_addresses,
        bcc=draft.bcc_addresses,
        subject=draft.subject,
        body=draft.body,
        sent_at=ctx.clock.now(),
        in_reply_to=draft.in_reply_to,
        reference_ids=draft.reference_ids,
        enclosures=attaching.enclosed(draft),
    )
    unschedule(ctx, draft)
    message = post(ctx, draft.mailbox, letter, message_id=message_id)
    draft.delete()
    return message


def schedule(ctx: Ctx, draft: Draft, send_at: datetime) -> None:
    """Let a draft go out by itself at a time to come; a draft that was to go at another goes at this one.

    Raises: NoRecipient.
    """
    check_recipients(draft.to_addresses, draft.cc_addresses, draft.bcc_addresses)
    if draft.send_at == send_at:
        return
    if draft.event_id is not None:
        ctx.unschedule(draft.event_id)
    draft.send_at = send_at
    draft.event_id = ctx.schedule(send_at, "send_scheduled", {"draft_id": draft.id})
    draft.save(update_fields=["send_at", "event_id"])


def unschedule(ctx: Ctx, draft: Draft) -> None:
    """Let a draft stay until somebody sends it."""
    if draft.event_id is not None:
        ctx.unschedule(draft.event_id)
    if draft.send_at is not None or draft.event_id is not None:
        draft.send_at = draft.event_id = None
        draft.save(update_fields=["send_at", "event_id"])


def send_on_time(ctx: Ctx, draft_id: str) -> None:
    """What happens when the time has come: the draft goes out, if it is still to and its mailbox is open."""
    draft = Draft.objects.select_related("mailbox").filter(pk=draft_id).first()
    if draft is None or draft.send_at is None or draft.send_at > ctx.clock.now():
        return
    if draft.mailbox.is_active and (draft.to_addresses or draft.cc_addresses or draft.bcc_addresses):
        send_draft(ctx, draft)
    else:
        unschedule(ctx, draft)
