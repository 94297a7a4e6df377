"""How does a letter reach those it is addressed to?

Whoever has a mailbox here gets a copy: filters run, the conversation is joined, and who is absent answers. An address
nobody has here bounces, any other is somewhere else and simply sent to.
"""

from __future__ import annotations

from typing import NamedTuple

from worlds.engine import Ctx, prepared
from worlds.mail import rules, snoozing
from worlds.mail.conversations import conversation, next_moment, touch
from worlds.mail.filtering import Handling, handling
from worlds.mail.letters import Letter, header_id, new_message_id
from worlds.mail.models import Absence, AbsenceReply, Attachment, Mailbox, Message, Thread
from worlds.mail.routing import addresses_of, route

_received = prepared(
    lambda mailbox_id, header: Message.objects.filter(mailbox_id=mailbox_id, header_id=header, direction="received")
)
_absence = prepared(lambda mailbox_id: Absence.objects.filter(mailbox_id=mailbox_id, status="active"))


class Failure(NamedTuple):
    """A recipient a letter cannot reach, and why."""

    address: str
    reason: str


class Distribution(NamedTuple):
    """What became of a letter: new copies in mailboxes here, recipients that had it already, and those refused."""

    copies: list[Message]
    repeated: list[str]
    failures: list[Failure]


def post(ctx: Ctx, sender: Mailbox, letter: Letter, *, message_id: str) -> Message:
    """Keep a letter as sent, and send it to everybody; answers the sender's copy.

    What cannot be delivered comes back to the sender, unless the letter was automatic itself.
    """
    thread = conversation(ctx, sender, letter)
    sent = _store(ctx, letter, thread, message_id, direction="sent", folder="sent", is_read=True)
    failures = distribute(ctx, letter).failures
    if failures and letter.auto_submitted == "no":
        _bounce(ctx, sender, letter, failures)
    return sent


def distribute(ctx: Ctx, letter: Letter, *, is_spam: bool = False, first_id: str | None = None) -> Distribution:
    """Deliver a letter to all its recipients here; `first_id` is the id of the first copy, if one was drawn already."""
    done = Distribution([], [], [])
    for address in letter.recipients:
        mailbox, refusal = route(address)
        if refusal is not None:
            done.failures.append(Failure(address, refusal))
        elif mailbox is not None:
            copy = deliver(ctx, mailbox, letter, is_spam=is_spam, message_id=None if done.copies else first_id)
            if copy is None:
                done.repeated.append(address)
            else:
                done.copies.append(copy)
    return done


def deliver(
    ctx: Ctx, mailbox: Mailbox, letter: Letter, *, is_spam: bool = False, message_id: str | None = None
) -> Message | None:
    """Put a copy into a mailbox; None when it has the letter already, so that no way round leads in a circle."""
    if _received.first(mailbox.id, letter.header_id) is not None:
        return None
    todo = Handling() if is_spam else handling(mailbox, letter)
    thread = conversation(ctx, mailbox, letter)
    copy = _store(
        ctx,
        letter,
        thread,
        message_id or new_message_id(ctx),
        direction="received",
        folder="spam" if is_spam else "archive" if todo.archive else "inbox",
        is_read=todo.mark_read,
        is_starred=todo.star,
    )
    for label in todo.labels.values():
        copy.labels.add(label)
    if copy.folder == "inbox" and thread.snoozed_until is not None:
        snoozing.wake(ctx, thread)
    forwarded = [address for address in todo.forward_to if _pass_on(ctx, letter, address)]
    if forwarded:
        copy.forwarded_to = forwarded
        copy.save(update_fields=["forwarded_to"])
    if not is_spam:
        _have_it_answered(ctx, mailbox, letter, copy)
    return copy


def _store(ctx: Ctx, letter: Letter, thread: Thread, message_id: str, **fields: str | bool) -> Message:
    """Write one copy down, with its attachments."""
    received_at = next_moment(thread, ctx.clock.now())
    message = Message(
        id=message_id,
        mailbox_id=thread.mailbox_id,
        thread=thread,
        from_address=letter.from_address,
        from_name=letter.from_name,
        to_addresses=list(letter.to),
        cc_addresses=list(letter.cc),
        bcc_addresses=list(letter.bcc) if fields["direction"] == "sent" else [],
        subject=letter.subject,
        body=letter.body,
        header_id=letter.header_id,
        in_reply_to=letter.in_reply_to,
        reference_ids=list(letter.reference_ids),
        auto_submitted=letter.auto_submitted,
        list_id=letter.list_id,
        sent_at=letter.sent_at,
        received_at=received_at,
        **fields,
    )
    message.save(force_insert=True)
    for position, (name, content_type, size, digest) in enumerate(letter.enclosures):
        Attachment(
            id=f"att_{ctx.ids.token(14)}",
            message=message,
            position=position,
            name=name,
            content_type=content_type,
            size=size,
            file_id=digest,
        ).save(force_insert=True)
    touch(thread, received_at)
    return message


def _pass_on(ctx: Ctx, letter: Letter, address: str) -> bool:
    """Forward a letter as a filter wants it: the same letter, to one more address."""
    mailbox, refusal = route(address)
    if mailbox is not None:
        deliver(ctx, mailbox, letter)
    return refusal is None


def _have_it_answered(ctx: Ctx, mailbox: Mailbox, letter: Letter, copy: Message) -> None:
    """See to it that the sender hears of an absence; once, and only who should."""
    absence = _absence.first(mailbox.id)
    if absence is None or AbsenceReply.objects.filter(absence=absence, address=letter.from_address).exists():
        return
    if rules.deserves_answer(
        sender=letter.from_address,
        recipients=letter.named,
        own=addresses_of(mailbox),
        auto_submitted=letter.auto_submitted,
        list_id=letter.list_id,
    ):
        ctx.schedule(ctx.clock.now(), "answer_absent", {"absence_id": absence.id, "message_id": copy.id})


def _bounce(ctx: Ctx, sender: Mailbox, letter: Letter, failures: list[Failure]) -> None:
    """Tell the sender whom a letter did not reach."""
    listed = "\n".join(f"  {address}: {reason}" for address, reason in failures)
    message_id = new_message_id(ctx)
    notice = Letter(
        header_id=header_id(message_id, sender.domain),
        from_address=f"{rules.MAILER_DAEMON}@{sender.domain}",
        from_name="Mail Delivery System",
        to=[sender.address],
        subject=rules.prefixed("Undelivered", letter.subject),
        body=(
            f"Your message could not be delivered to everybody it was addressed to.\n\n{listed}\n\n"
            f"Subject: {letter.subject}\nMessage-ID: {letter.header_id}\n\n"
            f"It will not be tried again. Nobody reads answers to this notice."
        ),
        sent_at=ctx.clock.now(),
        in_reply_to=letter.header_id,
        reference_ids=rules.references(letter.reference_ids, letter.header_id),
        auto_submitted="auto-replied",
    )
    deliver(ctx, sender, notice, message_id=message_id)
