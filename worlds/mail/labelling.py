"""How do labels come onto messages, and off them?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from worlds.engine import Ctx
from worlds.mail import errors, rules
from worlds.mail.models import Label, Mailbox, Message


def clean_names(names: Iterable[str], field: str) -> list[str]:
    """Names of labels as they are stored, each once; case counts for show only.

    Raises: EmptyText.
    """
    found: dict[str, str] = {}
    for name in names:
        cleaned = rules.clean_text(rules.clean_line(name), field)
        found.setdefault(cleaned.casefold(), cleaned)
    return list(found.values())


def labels_of(mailbox: Mailbox) -> dict[str, Label]:
    """The labels of a mailbox by their names in lower case."""
    return {label.name.casefold(): label for label in mailbox.labels.all()}


def existing(mailbox: Mailbox, name: str) -> Label:
    """Raises: LabelNotFound."""
    found = labels_of(mailbox).get(rules.clean_line(name).casefold())
    if found is None:
        raise errors.LabelNotFound(name)
    return found


def label_named(ctx: Ctx, mailbox: Mailbox, name: str) -> Label:
    """The label of that name, made if the mailbox has none."""
    found = labels_of(mailbox).get(name.casefold())
    if found is None:
        found = Label(id=f"label_{ctx.ids.token(14)}", mailbox=mailbox, name=name, created_at=ctx.clock.now())
        found.save(force_insert=True)
    return found


def put_labels(messages: Sequence[Message], add: Sequence[Label], remove: Sequence[Label]) -> int:
    """Add and remove labels, writing only the difference; answers how many messages that changed.

    Row by row: several at once are inserted in the order of their hashes, which no replay repeats.
    """
    changed = 0
    for message in messages:
        present = set(message.labels.values_list("id", flat=True))
        new = [label for label in add if label.id not in present]
        gone = [label for label in remove if label.id in present]
        for label in new:
            message.labels.add(label)
        if gone:
            message.labels.remove(*gone)
        changed += bool(new or gone)
    return changed
