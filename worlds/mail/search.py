"""Which messages does a search find?"""

from __future__ import annotations

from collections.abc import Callable

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.expressions import RawSQL

from worlds.mail import labelling
from worlds.mail.models import Attachment, Mailbox, Message
from worlds.mail.query import Term, as_match, day, parse
from worlds.mail.words import DISCARDED


def find(mailbox: Mailbox, query: str) -> QuerySet[Message]:
    """The messages of a mailbox that meet every term of a query; without in:, none from trash and spam.

    Raises: BadOperator, LabelNotFound.
    """
    terms = parse(query)
    rows = Message.objects.filter(mailbox=mailbox)
    if not any(term.operator == "in" and not term.is_excluded for term in terms):
        rows = rows.exclude(folder__in=DISCARDED)
    for term in terms:
        condition = _CONDITIONS[term.operator](mailbox, term)
        rows = rows.filter(~condition if term.is_excluded else condition)
    return rows


def _words(mailbox: Mailbox, term: Term) -> Q:
    return Q(pk__in=RawSQL("SELECT ref FROM search_index WHERE search_index MATCH %s", (as_match(term),)))


def _sender(mailbox: Mailbox, term: Term) -> Q:
    return Q(from_address__icontains=term.value) | Q(from_name__icontains=term.value)


def _label(mailbox: Mailbox, term: Term) -> Q:
    label = labelling.existing(mailbox, term.value)
    # Through the table itself: to be excluded, a label among several must not hide behind the others.
    labelled = Message.labels.through.objects.filter(message_id=OuterRef("pk"), label_id=label.id)
    return Q(Exists(labelled))


def _attached(mailbox: Mailbox, term: Term) -> Q:
    attachments = Attachment.objects.filter(message_id=OuterRef("pk"))
    return Q(Exists(attachments if term.operator == "has" else attachments.filter(name__icontains=term.value)))


def _place(mailbox: Mailbox, term: Term) -> Q:
    return Q(pk__isnull=False) if term.value.lower() == "anywhere" else Q(folder=term.value.lower())


def _state(mailbox: Mailbox, term: Term) -> Q:
    return {
        "unread": Q(is_read=False),
        "read": Q(is_read=True),
        "starred": Q(is_starred=True),
        "snoozed": Q(folder="snoozed"),
    }[term.value.lower()]


_CONDITIONS: dict[str, Callable[[Mailbox, Term], Q]] = {
    "": _words,
    "from": _sender,
    "to": lambda mailbox, term: Q(to_addresses__icontains=term.value),
    "cc": lambda mailbox, term: Q(cc_addresses__icontains=term.value),
    "subject": lambda mailbox, term: Q(subject__icontains=term.value),
    "label": _label,
    "has": _attached,
    "filename": _attached,
    "in": _place,
    "is": _state,
    "before": lambda mailbox, term: Q(received_at__lt=day("before", term.value)),
    "after": lambda mailbox, term: Q(received_at__gte=day("after", term.value)),
}
