"""How is mail shown, whole and in lists, without a query for every row?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import QuerySet

from worlds.engine import prepared
from worlds.mail import rules
from worlds.mail.models import Attachment, Draft, Label, Message, Thread
from worlds.mail.words import DISCARDED

#: What a list leaves out of a message: it is in the whole one.
_LONG = ("body", "bcc", "header_id", "in_reply_to", "auto_submitted", "list_id", "forwarded_to", "sent_at")


def with_parts(messages: QuerySet[Message]) -> QuerySet[Message]:
    """Messages whose labels and attachments come along."""
    return messages.prefetch_related("labels", "attachments")


_labels = prepared(lambda id: Label.objects.filter(messages=id).order_by("name").values_list("name", flat=True))
_enclosed = prepared(lambda id: Attachment.objects.filter(message_id=id).order_by("position", "id"))


def whole(message: Message) -> dict[str, Any]:
    """A message with its labels and what is attached to it."""
    return {
        **message.as_dict(),
        "labels": _labels(message.id),
        "attachments": [each.as_dict() for each in _enclosed(message.id)],
    }


def _of_page(message: Message) -> dict[str, Any]:
    """The same for one of many, whose parts were fetched along with it."""
    return {
        **message.as_dict(),
        "labels": sorted(label.name for label in message.labels.all()),
        "attachments": _attachments(message),
    }


def in_list(message: Message) -> dict[str, Any]:
    """A message in short: the beginning of its text, and what is attached by name."""
    shown = _of_page(message)
    return {name: value for name, value in shown.items() if name not in _LONG} | {
        "preview": rules.preview(message.body)
    }


def draft(row: Draft) -> dict[str, Any]:
    """A draft with what is attached to it."""
    return {**row.as_dict(), "attachments": _attachments(row)}


def _attachments(holder: Message | Draft) -> list[dict[str, Any]]:
    return [each.as_dict() for each in sorted(holder.attachments.all(), key=lambda each: each.position)]


def threads(shown: Sequence[dict[str, Any]], *, discarded: bool = False) -> list[dict[str, Any]]:
    """Threads, as `Thread.as_dict` has them, with a summary of their messages; two queries for all of them.

    Messages in the trash and in spam count only when `discarded` ones are asked for.
    """
    ids = [thread["id"] for thread in shown]
    rows = Message.objects.filter(thread_id__in=ids)
    if not discarded:
        rows = rows.exclude(folder__in=DISCARDED)
    messages: dict[str, list[Message]] = defaultdict(list)
    for message in rows.prefetch_related("attachments").order_by("received_at", "id"):
        messages[message.thread_id].append(message)
    labels: dict[str, set[str]] = defaultdict(set)
    pairs = Label.objects.filter(messages__thread_id__in=ids).values_list("messages__thread_id", "name")
    for thread_id, name in pairs:
        labels[thread_id].add(name)
    return [{**thread, **_summary(messages[thread["id"]]), "labels": sorted(labels[thread["id"]])} for thread in shown]


def thread(row: Thread) -> dict[str, Any]:
    """One thread with its summary, whatever folders its messages lie in."""
    return threads([row.as_dict()], discarded=True)[0]


def _summary(messages: Sequence[Message]) -> dict[str, Any]:
    return {
        "participants": _participants(messages),
        "message_count": len(messages),
        "unread_count": sum(not message.is_read for message in messages),
        "is_starred": any(message.is_starred for message in messages),
        "has_attachments": any(message.attachments.all() for message in messages),
        "folders": sorted({message.folder for message in messages}),
        "preview": rules.preview(messages[-1].body) if messages else "",
    }


def _participants(messages: Iterable[Message]) -> list[dict[str, str]]:
    """Who wrote, in the order of their first words."""
    names = {message.from_address: message.from_name for message in messages}
    return [{"name": name, "address": address} for address, name in names.items()]
