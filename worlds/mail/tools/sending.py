"""How is mail written, answered and passed on?"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from worlds.engine import Ctx, instant, tool
from worlds.mail import acting, attaching, records, rules, sending, showing
from worlds.mail.models import Mailbox, Message
from worlds.mail.routing import addresses_of
from worlds.mail.sending import Writing
from worlds.mail.tools.arguments import (
    Attachments,
    Bcc,
    Body,
    Cc,
    InMailbox,
    MessageId,
    Moment,
    OfMailbox,
    SendAt,
    Subject,
    To,
)


def _out(ctx: Ctx, sender: Mailbox, writing: Writing, send_at: Moment | None) -> dict[str, Any]:
    """Send what was written, or have it sent in time."""
    if send_at is None:
        return showing.whole(sending.send(ctx, sender, writing))
    sending.check_recipients(writing.to, writing.cc, writing.bcc)
    send_at = sending.in_the_future(ctx, send_at, "send_at")
    draft = sending.save_draft(ctx, sender, writing)
    sending.schedule(ctx, draft, send_at)
    return showing.draft(draft)


@tool
def send_message(
    ctx: Ctx,
    to: To,
    subject: Subject,
    body: Body,
    cc: Cc | None = None,
    bcc: Bcc | None = None,
    attachments: Attachments | None = None,
    send_at: SendAt | None = None,
    mailbox: InMailbox | None = None,
) -> dict[str, Any]:
    """Send a new message, now or at send_at. Answers the sent message, or the draft that is scheduled.

    Answer a message with reply_to_message instead, so that the conversation stays together.
    """
    sender = acting.sending_mailbox(ctx, mailbox)
    writing = Writing(
        to=rules.clean_addresses(to, "to"),
        cc=rules.clean_addresses(cc or (), "cc"),
        bcc=rules.clean_addresses(bcc or (), "bcc"),
        subject=rules.clean_line(subject),
        body=rules.signed(body, sender.signature),
        enclosures=attaching.enclose(ctx, attachments),
    )
    return _out(ctx, sender, writing, send_at)


def answered(sender: Mailbox, message: Message, *, to_all: bool) -> tuple[list[str], list[str]]:
    """To and cc of an answer to a message: its sender, or (to one's own) those it went to; all of them if wanted."""
    own = addresses_of(sender)
    is_own = message.direction == "sent" or message.from_address in own
    to = list(message.to_addresses) if is_own else [message.from_address]
    if not to_all:
        return to, []
    if not is_own:
        to += [address for address in message.to_addresses if address not in own]
    to = list(dict.fromkeys(to))
    return to, [address for address in message.cc_addresses if address not in own and address not in to]


@tool
def reply_to_message(
    ctx: Ctx,
    message_id: MessageId,
    body: Body,
    reply_all: Annotated[
        bool, Field(description="true: to everybody the message went to; false: only to who wrote it.")
    ] = False,
    cc: Annotated[Cc | None, Field(description="Further addresses that get a copy.")] = None,
    attachments: Attachments | None = None,
    send_at: SendAt | None = None,
    mailbox: OfMailbox | None = None,
) -> dict[str, Any]:
    """Answer a message from the mailbox it lies in, now or at send_at; nothing is quoted, the thread holds it all.

    An answer to a message you sent yourself goes to those it went to. Answers the sent message, or the draft that is
    scheduled.
    """
    message = records.message(ctx, message_id, acting.named(ctx, mailbox))
    sender = message.mailbox
    acting.require_active(sender)
    to, copied = answered(sender, message, to_all=reply_all)
    added = [address for address in rules.clean_addresses(cc or (), "cc") if address not in (*to, *copied)]
    writing = Writing(
        to=to,
        cc=[*copied, *added],
        subject=rules.prefixed("Re", message.subject),
        body=rules.signed(body, sender.signature),
        enclosures=attaching.enclose(ctx, attachments),
        answers=message,
    )
    return _out(ctx, sender, writing, send_at)


@tool
def forward_message(
    ctx: Ctx,
    message_id: MessageId,
    to: To,
    body: Annotated[str, Field(description="What to say above the forwarded text.", max_length=20_000)] = "",
    cc: Cc | None = None,
    with_attachments: Annotated[bool, Field(description="false: leave its attachments out.")] = True,
    mailbox: OfMailbox | None = None,
) -> dict[str, Any]:
    """Send a message on to somebody else from the mailbox it lies in, with its text, and its attachments too."""
    message = records.message(ctx, message_id, acting.named(ctx, mailbox))
    sender = message.mailbox
    acting.require_active(sender)
    writing = Writing(
        to=rules.clean_addresses(to, "to"),
        cc=rules.clean_addresses(cc or (), "cc"),
        subject=rules.prefixed("Fwd", message.subject),
        body=f"{rules.signed(body, sender.signature)}\n\n{_original(message)}".strip(),
        enclosures=attaching.enclosed(message) if with_attachments else (),
        answers=message,
    )
    return showing.whole(sending.send(ctx, sender, writing))


def _original(message: Message) -> str:
    """A message as it stands below the words of who forwards it."""
    lines = [
        "---------- Forwarded message ----------",
        f"From: {message.from_name} <{message.from_address}>".replace("  ", " "),
        f"Date: {instant(message.sent_at)}",
        f"Subject: {message.subject}",
        f"To: {', '.join(message.to_addresses)}",
        *([f"Cc: {', '.join(message.cc_addresses)}"] if message.cc_addresses else []),
    ]
    return "\n".join([*lines, "", message.body])
