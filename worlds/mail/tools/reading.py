"""How is mail read?"""

from __future__ import annotations

import base64
from typing import Annotated, Any

from django.db.models import Exists, OuterRef, QuerySet
from pydantic import Field

from worlds.engine import Ctx, tool
from worlds.mail import acting, labelling, records, showing
from worlds.mail.models import Mailbox, Message, Thread
from worlds.mail.pagination import paginate
from worlds.mail.tools.arguments import Cursor, InMailbox, LabelName, Limit, MessageId, OfMailbox, ThreadId
from worlds.mail.words import DISCARDED, ListedFolder


@tool
def list_threads(
    ctx: Ctx,
    folder: Annotated[
        ListedFolder, Field(description="Threads with a message there; all: anywhere but in trash and spam.")
    ] = "inbox",
    label: Annotated[LabelName | None, Field(description="Only with a message that carries this label.")] = None,
    is_unread: Annotated[
        bool | None, Field(description="true: only with an unread message there; false: only without one.")
    ] = None,
    is_starred: Annotated[bool | None, Field(description="true: only with a starred message there.")] = None,
    mailbox: InMailbox | None = None,
    limit: Limit = 20,
    cursor: Cursor | None = None,
) -> dict[str, Any]:
    """List conversations, the one with the latest message first, each with who wrote and the beginning of what was
    written last.
    """
    found = acting.mailbox(ctx, mailbox)
    filters: dict[str, Any] = {"folder": folder, "label": label, "is_unread": is_unread, "is_starred": is_starred}
    page = paginate(
        "threads",
        _threads(found, **filters),
        tool="list_threads",
        order="-last_message_at",
        limit=limit,
        cursor=cursor,
        filters={"mailbox": found.id, **filters},
        render=Thread.as_dict,
    )
    return {**page, "threads": showing.threads(page["threads"], discarded=folder in DISCARDED)}


def _threads(
    mailbox: Mailbox, *, folder: str, label: str | None, is_unread: bool | None, is_starred: bool | None
) -> QuerySet[Thread]:
    """The threads of a mailbox with messages in a folder, of which some carry a label, and some or none are marked."""
    there = Message.objects.filter(thread=OuterRef("pk"))
    there = there.exclude(folder__in=DISCARDED) if folder == "all" else there.filter(folder=folder)
    rows = Thread.objects.filter(Exists(there), mailbox=mailbox)
    if label is not None:
        rows = rows.filter(Exists(there.filter(labels=labelling.existing(mailbox, label))))
    for wanted, marked in ((is_unread, there.filter(is_read=False)), (is_starred, there.filter(is_starred=True))):
        if wanted is not None:
            rows = rows.filter(Exists(marked) if wanted else ~Exists(marked))
    return rows


@tool
def get_thread(ctx: Ctx, thread_id: ThreadId, limit: Limit = 50, cursor: Cursor | None = None) -> dict[str, Any]:
    """Get a conversation with its messages in full, the earliest first. Reading does not mark them as read."""
    thread = records.thread(ctx, thread_id)
    page = paginate(
        "messages",
        showing.with_parts(thread.messages.all()),
        tool="get_thread",
        order="received_at",
        limit=limit,
        cursor=cursor,
        filters={"thread_id": thread.id},
        render=showing.whole,
    )
    drafts = thread.drafts.order_by("created_at", "id").values_list("id", flat=True)
    return {**showing.thread(thread), **page, "draft_ids": list(drafts)}


@tool
def get_message(ctx: Ctx, message_id: MessageId, mailbox: OfMailbox | None = None) -> dict[str, Any]:
    """Get one message in full. Reading does not mark it as read."""
    return showing.whole(records.message(ctx, message_id, acting.named(ctx, mailbox)))


@tool
def get_attachment(
    ctx: Ctx,
    attachment_id: Annotated[
        str, Field(description="Id of an attachment of a message or a draft, such as att_4f….", max_length=40)
    ],
) -> dict[str, Any]:
    """Get a file that is attached to a message or a draft, with its content: as it is where it is text (encoding
    utf-8), in base64 where it is not.
    """
    attachment = records.attachment(ctx, attachment_id)
    content = bytes(attachment.file.content)
    try:
        encoding, text = "utf-8", content.decode()
    except UnicodeDecodeError:
        encoding, text = "base64", base64.b64encode(content).decode()
    return {
        **attachment.as_dict(),
        "message_id": attachment.message_id,
        "draft_id": attachment.draft_id,
        "encoding": encoding,
        "content": text,
    }
