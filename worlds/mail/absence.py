"""How does an absence begin, end, and answer those who write meanwhile?"""

from __future__ import annotations

from datetime import datetime

from worlds.engine import Ctx, instant
from worlds.mail import errors, rules
from worlds.mail.delivery import post
from worlds.mail.editing import change
from worlds.mail.letters import Letter, header_id, new_message_id
from worlds.mail.models import Absence, AbsenceReply, Mailbox, Message


def current(mailbox: Mailbox) -> Absence | None:
    """The absence a mailbox has now or will have; at most one."""
    return mailbox.absences.exclude(status="ended").first()


def plan(ctx: Ctx, mailbox: Mailbox, text: str, starts_at: datetime | None, ends_at: datetime | None) -> Absence:
    """Begin an absence, now or at a time to come."""
    now = ctx.clock.now()
    absence = Absence(
        id=f"abs_{ctx.ids.token(14)}",
        mailbox=mailbox,
        status="planned" if starts_at is not None and starts_at > now else "active",
        text=text,
        starts_at=max(starts_at or now, now),
        ends_at=ends_at,
        created_at=now,
    )
    _check_times(ctx, absence.starts_at, ends_at)
    _await(ctx, absence)
    absence.save(force_insert=True)
    return absence


def adjust(
    ctx: Ctx, absence: Absence, *, text: str | None, starts_at: datetime | None, ends_at: datetime | None, is_open: bool
) -> None:
    """Change what is given of an absence; `is_open` lets it last until somebody ends it.

    Raises: StartsAlready, EndsBeforeItStarts.
    """
    now = ctx.clock.now()
    if starts_at is not None and absence.status == "active" and starts_at != absence.starts_at:
        raise errors.StartsAlready(instant(absence.starts_at) or "")
    starts_at = starts_at or absence.starts_at
    ends_at = None if is_open else ends_at or absence.ends_at
    status = "planned" if absence.status == "planned" and starts_at > now else "active"
    _check_times(ctx, starts_at, ends_at)
    changes = {
        "text": text if text is not None else absence.text,
        "starts_at": max(starts_at, now) if absence.status == "planned" else starts_at,
        "ends_at": ends_at,
        "status": status,
    }
    moves = any(getattr(absence, name) != changes[name] for name in ("starts_at", "ends_at", "status"))
    if change(absence, changes) and moves:
        _await(ctx, absence)
        absence.save(update_fields=["event_id"])


def _check_times(ctx: Ctx, starts_at: datetime, ends_at: datetime | None) -> None:
    if ends_at is not None and ends_at <= max(starts_at, ctx.clock.now()):
        raise errors.EndsBeforeItStarts


def _await(ctx: Ctx, absence: Absence) -> None:
    """Have the next thing happen in time: a planned absence begins, one that is on ends."""
    if absence.event_id is not None:
        ctx.unschedule(absence.event_id)
        absence.event_id = None
    if absence.status == "planned":
        absence.event_id = ctx.schedule(absence.starts_at, "begin_absence", {"absence_id": absence.id})
    elif absence.status == "active" and absence.ends_at is not None:
        absence.event_id = ctx.schedule(absence.ends_at, "end_absence", {"absence_id": absence.id})


def end(ctx: Ctx, absence: Absence) -> None:
    """Answer nobody any more; the end is now, or was due before. One that has not begun is forgotten."""
    now = ctx.clock.now()
    if absence.status == "planned":
        if absence.event_id is not None:
            ctx.unschedule(absence.event_id)
        absence.delete()
        return
    absence.status, absence.ends_at = "ended", min(absence.ends_at or now, now)
    _await(ctx, absence)
    absence.save(update_fields=["status", "ends_at", "event_id"])


def begin_on_time(ctx: Ctx, absence_id: str) -> None:
    """What happens when the time has come for a planned absence."""
    absence = Absence.objects.filter(pk=absence_id, status="planned").first()
    if absence is not None and absence.starts_at <= ctx.clock.now():
        absence.status, absence.event_id = "active", None
        _await(ctx, absence)
        absence.save(update_fields=["status", "event_id"])


def end_on_time(ctx: Ctx, absence_id: str) -> None:
    """What happens when the time has come for an absence to end."""
    absence = Absence.objects.filter(pk=absence_id, status="active").first()
    if absence is not None and absence.ends_at is not None and absence.ends_at <= ctx.clock.now():
        absence.event_id = None
        end(ctx, absence)


def answer(ctx: Ctx, absence_id: str, message_id: str) -> None:
    """Tell the sender of a message that the recipient is away, if nobody has told before."""
    absence = Absence.objects.select_related("mailbox").filter(pk=absence_id, status="active").first()
    message = Message.objects.filter(pk=message_id).first()
    if absence is None or message is None or not absence.mailbox.is_active:
        return
    if absence.replies.filter(address=message.from_address).exists():
        return
    now, mailbox = ctx.clock.now(), absence.mailbox
    AbsenceReply(id=f"reply_{ctx.ids.token(14)}", absence=absence, address=message.from_address, replied_at=now).save(
        force_insert=True
    )
    answer_id = new_message_id(ctx)
    letter = Letter(
        header_id=header_id(answer_id, mailbox.domain),
        from_address=mailbox.address,
        from_name=mailbox.name,
        to=[message.from_address],
        subject=rules.prefixed("Automatic reply", message.subject),
        body=absence.text,
        sent_at=now,
        in_reply_to=message.header_id,
        reference_ids=rules.references(message.reference_ids, message.header_id),
        auto_submitted="auto-replied",
    )
    post(ctx, mailbox, letter, message_id=answer_id)
