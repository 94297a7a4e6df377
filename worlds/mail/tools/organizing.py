"""How is mail kept in order?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from worlds.engine import Ctx, tool
from worlds.mail import acting, errors, records, rules, sending, showing, snoozing
from worlds.mail.editing import change
from worlds.mail.models import Message, Thread
from worlds.mail.tools.arguments import MessageIds, Moment, OfMailbox, ThreadId, ThreadIds
from worlds.mail.words import DISCARDED, TargetFolder


@tool
def mark_messages(
    ctx: Ctx,
    message_ids: MessageIds | None = None,
    thread_ids: ThreadIds | None = None,
    is_read: Annotated[bool | None, Field(description="true: read; false: unread.")] = None,
    is_starred: Annotated[bool | None, Field(description="true: starred; false: not starred.")] = None,
    mailbox: OfMailbox | None = None,
) -> dict[str, Any]:
    """Mark messages, or all messages of threads, as read or unread, starred or not."""
    if is_read is None and is_starred is None:
        raise errors.AtLeastOne("is_read", "is_starred")
    messages = records.messages(ctx, message_ids, thread_ids, acting.named(ctx, mailbox))
    marks = {"is_read": is_read, "is_starred": is_starred}
    changes = {name: value for name, value in marks.items() if value is not None}
    changed = sum(change(message, changes) for message in messages)
    return {"changed_count": changed, "unchanged_count": len(messages) - changed}


@tool
def move_messages(
    ctx: Ctx,
    to_folder: Annotated[
        TargetFolder, Field(description="archive: out of the inbox; inbox: back again, out of the trash or spam too.")
    ],
    message_ids: MessageIds | None = None,
    thread_ids: ThreadIds | None = None,
    mailbox: OfMailbox | None = None,
) -> dict[str, Any]:
    """Move messages, or whole threads, to another folder. Moving a snoozed thread ends its snooze.

    Sent messages have one place besides the trash, which is sent. Archiving a thread leaves alone what lies in trash
    and spam.
    """
    messages = records.messages(ctx, message_ids, thread_ids, acting.named(ctx, mailbox))
    if thread_ids is not None and to_folder == "archive":
        messages = [message for message in messages if message.folder not in DISCARDED]
    changed = sum(change(message, {"folder": rules.destination(message.direction, to_folder)}) for message in messages)
    _end_snoozes(ctx, messages)
    return {"folder": to_folder, "changed_count": changed, "unchanged_count": len(messages) - changed}


def _end_snoozes(ctx: Ctx, moved: Sequence[Message]) -> None:
    """Forget the snooze of threads that have nothing left to come back."""
    for id in sorted({message.thread_id for message in moved}):
        thread = Thread.objects.get(pk=id)
        if thread.snoozed_until is not None and not thread.messages.filter(folder="snoozed").exists():
            snoozing.forget(ctx, thread)


@tool
def snooze_thread(
    ctx: Ctx,
    thread_id: ThreadId,
    until: Annotated[Moment, Field(description="When it comes back, such as 2026-06-08T08:00:00Z.")],
) -> dict[str, Any]:
    """Take a thread out of the inbox until an instant, when it comes back unread; a new message brings it back sooner.

    For a snoozed thread the instant changes. move_messages to inbox ends the snooze at once.
    """
    thread = records.thread(ctx, thread_id)
    snoozing.snooze(ctx, thread, sending.in_the_future(ctx, until, "until"))
    return showing.thread(thread)
