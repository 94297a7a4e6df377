"""What happens by itself when its time comes?

A payload names a row by its id. The row may have changed since, or be gone: then nothing happens.
"""

from __future__ import annotations

from worlds.engine import Ctx, event_handler
from worlds.mail import absence, sending, snoozing


@event_handler
def send_scheduled(ctx: Ctx, payload: dict[str, str]) -> None:
    """A scheduled draft goes out."""
    sending.send_on_time(ctx, payload["draft_id"])


@event_handler
def wake_thread(ctx: Ctx, payload: dict[str, str]) -> None:
    """A snoozed thread is back in the inbox."""
    snoozing.wake_on_time(ctx, payload["thread_id"])


@event_handler
def begin_absence(ctx: Ctx, payload: dict[str, str]) -> None:
    """A planned absence begins."""
    absence.begin_on_time(ctx, payload["absence_id"])


@event_handler
def end_absence(ctx: Ctx, payload: dict[str, str]) -> None:
    """An absence is over."""
    absence.end_on_time(ctx, payload["absence_id"])


@event_handler
def answer_absent(ctx: Ctx, payload: dict[str, str]) -> None:
    """The sender of a message hears that its recipient is away."""
    absence.answer(ctx, payload["absence_id"], payload["message_id"])
