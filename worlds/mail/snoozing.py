"""How does a thread leave the inbox for a while, and come back?"""

from __future__ import annotations

from datetime import datetime

from worlds.engine import Ctx
from worlds.mail import errors
from worlds.mail.models import Thread


def snooze(ctx: Ctx, thread: Thread, until: datetime) -> None:
    """Take a thread's messages out of the inbox until then; for one that is snoozed the time changes.

    Raises: NothingToSnooze.
    """
    if thread.snoozed_until == until:
        return
    if not thread.messages.filter(folder__in=("inbox", "snoozed")).exists():
        raise errors.NothingToSnooze(thread.subject)
    if thread.event_id is not None:
        ctx.unschedule(thread.event_id)
    thread.messages.filter(folder="inbox").update(folder="snoozed")
    thread.snoozed_until = until
    thread.event_id = ctx.schedule(until, "wake_thread", {"thread_id": thread.id})
    thread.save(update_fields=["snoozed_until", "event_id"])


def wake(ctx: Ctx, thread: Thread) -> None:
    """Bring a snoozed thread back to the inbox."""
    thread.messages.filter(folder="snoozed").update(folder="inbox")
    forget(ctx, thread)


def forget(ctx: Ctx, thread: Thread) -> None:
    """Take back that a thread was to return; its messages lie where they were put."""
    if thread.event_id is not None:
        ctx.unschedule(thread.event_id)
    if thread.snoozed_until is not None or thread.event_id is not None:
        thread.snoozed_until = thread.event_id = None
        thread.save(update_fields=["snoozed_until", "event_id"])


def wake_on_time(ctx: Ctx, thread_id: str) -> None:
    """What happens when the time has come: the thread is back, its latest message unread."""
    thread = Thread.objects.filter(pk=thread_id).first()
    if thread is None or thread.snoozed_until is None or thread.snoozed_until > ctx.clock.now():
        return
    latest = thread.messages.filter(folder="snoozed").order_by("-received_at", "-id").first()
    if latest is not None and latest.is_read:
        latest.is_read = False
        latest.save(update_fields=["is_read"])
    wake(ctx, thread)
