"""What do a mailbox's filters do with a letter that arrives?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from worlds.mail import rules
from worlds.mail.letters import Letter
from worlds.mail.models import Filter, Label, Mailbox


@dataclass
class Handling:
    """What is to be done with a letter, by all the filters it meets the conditions of."""

    archive: bool = False
    mark_read: bool = False
    star: bool = False
    labels: dict[str, Label] = field(default_factory=dict)
    forward_to: list[str] = field(default_factory=list)


def handling(mailbox: Mailbox, letter: Letter) -> Handling:
    """What the filters of a mailbox say about a letter."""
    found = Handling()
    for each in mailbox.filters.select_related("label").order_by("created_at", "id"):
        if not meets(each, letter):
            continue
        found.archive |= each.archive
        found.mark_read |= each.mark_read
        found.star |= each.star
        if each.label is not None:
            found.labels[each.label.id] = each.label
        if each.forward_to and each.forward_to not in found.forward_to:
            found.forward_to.append(each.forward_to)
    return found


def meets(filter: Filter, letter: Letter) -> bool:
    """Does a letter meet every condition of a filter?"""
    return (
        _occurs(filter.from_contains, [f"{letter.from_name} <{letter.from_address}>"])
        and _occurs(filter.to_contains, letter.named)
        and _occurs(filter.subject_contains, [letter.subject])
        and rules.contains_words(f"{letter.subject}\n{letter.body}", filter.has_words)
        and filter.has_attachment in (None, bool(letter.enclosures))
    )


def _occurs(wanted: str, texts: Iterable[str]) -> bool:
    return not wanted or any(wanted.lower() in text.lower() for text in texts)
