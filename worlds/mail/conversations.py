"""Which conversation does a message belong to?

One mailbox's conversations are its own. A message joins the one that its In-Reply-To and References lead to, unless it
changes the subject; an answer that names no message here joins a recent one with its sender about the same.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Max, Q

from worlds.engine import Ctx
from worlds.mail import rules
from worlds.mail.letters import Letter
from worlds.mail.models import Mailbox, Message, Thread

#: How long an answer without references is taken for one.
_RECENT = timedelta(days=60)
_INSTANT = timedelta(milliseconds=1)


def conversation(ctx: Ctx, mailbox: Mailbox, letter: Letter) -> Thread:
    """The thread a letter belongs to in a mailbox, made if there is none."""
    topic = rules.topic(letter.subject)
    found = _referred(mailbox, letter, topic) or _resumed(mailbox, letter, topic)
    if found is not None:
        return found
    thread = Thread(
        id=f"thr_{ctx.ids.token(14)}",
        mailbox=mailbox,
        subject=letter.subject,
        topic=topic,
        last_message_at=ctx.clock.now(),
    )
    thread.save(force_insert=True)
    return thread


def _referred(mailbox: Mailbox, letter: Letter, topic: str) -> Thread | None:
    relatives = Message.objects.filter(mailbox=mailbox, header_id__in=letter.relatives)
    nearest = relatives.order_by("-received_at", "-id").select_related("thread").first()
    if nearest is None:
        return None
    return nearest.thread if nearest.thread.topic == topic or nearest.header_id == letter.header_id else None


def _resumed(mailbox: Mailbox, letter: Letter, topic: str) -> Thread | None:
    if not topic or letter.in_reply_to or letter.reference_ids or not rules.is_answer(letter.subject):
        return None
    with_sender = Q(messages__from_address=letter.from_address) | Q(messages__to_addresses__icontains=_quoted(letter))
    return (
        Thread.objects.filter(with_sender, mailbox=mailbox, topic=topic)
        .filter(last_message_at__gte=letter.sent_at - _RECENT)
        .order_by("-last_message_at", "-id")
        .first()
    )


def _quoted(letter: Letter) -> str:
    """The sender as it stands in a list of addresses."""
    return f'"{letter.from_address}"'


def next_moment(thread: Thread, now: datetime) -> datetime:
    """When a message joins a thread: now, yet after those there, since what one call brings about has an order too."""
    latest = thread.messages.aggregate(latest=Max("received_at"))["latest"]
    return now if latest is None or latest < now else latest + _INSTANT


def touch(thread: Thread, at: datetime) -> None:
    """Note that a thread has a message of that time."""
    if thread.last_message_at < at:
        thread.last_message_at = at
        thread.save(update_fields=["last_message_at"])
