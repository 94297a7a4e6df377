"""What can be done with labels?"""

from __future__ import annotations

from typing import Annotated, Any

from django.db.models import Count, Q
from pydantic import Field

from worlds.engine import Ctx, instant, tool
from worlds.mail import acting, errors, labelling, records
from worlds.mail.models import Label
from worlds.mail.pagination import paginate
from worlds.mail.tools.arguments import Cursor, InMailbox, LabelName, Limit, MessageIds, OfMailbox, ThreadIds


@tool
def list_labels(
    ctx: Ctx, mailbox: InMailbox | None = None, limit: Limit = 50, cursor: Cursor | None = None
) -> dict[str, Any]:
    """List the labels of a mailbox, oldest first, with how many messages, and unread ones, carry each."""
    found = acting.mailbox(ctx, mailbox)
    page = paginate(
        "labels",
        found.labels.all(),
        tool="list_labels",
        order="created_at",
        limit=limit,
        cursor=cursor,
        filters={"mailbox": found.id},
        render=_shown,
    )
    counted = Label.objects.filter(pk__in=[label["id"] for label in page["labels"]]).annotate(
        count=Count("messages"), unread=Count("messages", filter=Q(messages__is_read=False))
    )
    counts = {label.id: label for label in counted}
    for label in page["labels"]:
        label["message_count"], label["unread_count"] = counts[label["id"]].count, counts[label["id"]].unread
    return page


def _shown(label: Label) -> dict[str, Any]:
    return {"id": label.id, "name": label.name, "created_at": instant(label.created_at)}


@tool
def label_messages(
    ctx: Ctx,
    message_ids: MessageIds | None = None,
    thread_ids: ThreadIds | None = None,
    add: Annotated[
        list[LabelName] | None, Field(description="Names of labels to put on; one that is new is made.", max_length=20)
    ] = None,
    remove: Annotated[list[LabelName] | None, Field(description="Names of labels to take off.", max_length=20)] = None,
    mailbox: OfMailbox | None = None,
) -> dict[str, Any]:
    """Put labels on messages, or on all messages of threads, and take labels off. Labels belong to one mailbox."""
    if not add and not remove:
        raise errors.AtLeastOne("add", "remove")
    messages = records.messages(ctx, message_ids, thread_ids, acting.named(ctx, mailbox))
    names = labelling.clean_names(add or (), "add")
    unwanted = labelling.clean_names(remove or (), "remove")
    for name in unwanted:
        if name.casefold() in {each.casefold() for each in names}:
            raise errors.AddedAndRemoved(name)
    owner = messages[0].mailbox
    gone = [labelling.existing(owner, name) for name in unwanted]
    new = [labelling.label_named(ctx, owner, name) for name in names]
    changed = labelling.put_labels(messages, new, gone)
    return {
        "added": [label.name for label in new],
        "removed": [label.name for label in gone],
        "changed_count": changed,
        "unchanged_count": len(messages) - changed,
    }
