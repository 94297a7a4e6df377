"""Which record does an id stand for?

Each function raises NotFound when there is none, or none in a mailbox that may be opened. An id alone is enough; a
Message-ID header is looked up in `within`, which is your own mailbox unless another is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from worlds.engine import Ctx, prepared
from worlds.mail import acting, errors
from worlds.mail.models import Attachment, Draft, Filter, Mailbox, Message, Thread

Row = TypeVar("Row", Message, Thread, Draft, Filter)

_message = prepared(lambda id: Message.objects.filter(pk=id))
_thread = prepared(lambda id: Thread.objects.filter(pk=id))
_draft = prepared(lambda id: Draft.objects.filter(pk=id))
_attachment = prepared(lambda id: Attachment.objects.filter(pk=id))
# Of a message to oneself there are two copies; the received one is meant.
_copy = prepared(
    lambda mailbox_id, header_id: Message.objects.filter(mailbox_id=mailbox_id, header_id=header_id).order_by(
        "direction", "id"
    )
)


def _visible(ctx: Ctx, row: Row | None, resource: str, id: str, within: Mailbox | None) -> Row:
    if row is None or (within is not None and row.mailbox_id != within.id):
        raise errors.NotFound(resource, id)
    if within is None and not acting.may_open(ctx, row.mailbox_id):
        raise errors.NotFound(resource, id)
    return row


def message(ctx: Ctx, id: str, within: Mailbox | None = None) -> Message:
    """A message by its id, or by its Message-ID header in angle brackets."""
    if id.startswith("<"):
        mailbox = within or acting.own_mailbox(ctx)
        return _visible(ctx, _copy.first(mailbox.id, id), "message", id, mailbox)
    return _visible(ctx, _message.first(id), "message", id, within)


def thread(ctx: Ctx, id: str, within: Mailbox | None = None) -> Thread:
    return _visible(ctx, _thread.first(id), "thread", id, within)


def draft(ctx: Ctx, id: str) -> Draft:
    return _visible(ctx, _draft.first(id), "draft", id, None)


def filter(ctx: Ctx, id: str) -> Filter:
    return _visible(ctx, Filter.objects.select_related("label").filter(pk=id).first(), "filter", id, None)


def attachment(ctx: Ctx, id: str) -> Attachment:
    """An attachment of a message or a draft that may be seen."""
    found = _attachment.first(id)
    if found is None:
        raise errors.NotFound("attachment", id)
    try:
        if found.message_id is not None:
            message(ctx, found.message_id)
        else:
            draft(ctx, found.draft_id or "")
    except errors.NotFound:
        raise errors.NotFound("attachment", id) from None
    return found


def _of_thread(ctx: Ctx, id: str, within: Mailbox | None) -> list[Message]:
    rows = list(thread(ctx, id, within).messages.all())
    if not rows:
        raise errors.NotFound("thread", id)
    return rows


def messages(
    ctx: Ctx, message_ids: Sequence[str] | None, thread_ids: Sequence[str] | None, within: Mailbox | None
) -> list[Message]:
    """The messages named, or those of the threads named, all of one mailbox and in order of id.

    Raises: ExactlyOne unless one of the two is given; NotFound naming every id that is none.
    """
    if (message_ids is None) == (thread_ids is None):
        raise errors.ExactlyOne("message_ids", "thread_ids")
    found: dict[str, Message] = {}
    missing: list[str] = []
    for id in dict.fromkeys(message_ids or thread_ids or ()):
        try:
            rows = [message(ctx, id, within)] if thread_ids is None else _of_thread(ctx, id, within)
        except errors.NotFound:
            missing.append(id)
            continue
        found.update((row.id, row) for row in rows)
        within = within or rows[0].mailbox
    if missing:
        raise errors.NotFound("message" if thread_ids is None else "thread", *missing)
    return [found[id] for id in sorted(found)]
