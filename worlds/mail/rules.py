"""Which rules does the product keep, whatever is stored?

Pure functions of plain values; those that refuse raise the product's errors.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime

from worlds.mail import errors

_DOMAIN = r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+"
_ADDRESS = re.compile(rf"[a-z0-9!#$%&'*+/=?^_`{{|}}~.-]+@{_DOMAIN}")
_NAMED = re.compile(r"[^<>]*<([^<>]*)>")
_PREFIX = re.compile(r"(?:re|fwd|fw|aw|wg|sv|automatic reply|undelivered)\s*:\s*", re.IGNORECASE)
_WORDS = re.compile(r"\w+")

#: Nobody reads what is sent to an address that begins like this.
ROBOTS = ("no-reply", "noreply", "do-not-reply", "donotreply", "mailer-daemon", "postmaster", "bounce", "bounces")
MAILER_DAEMON = "mailer-daemon"

MOST_RECIPIENTS = 100
#: References beyond these are left out from the middle, as mail programs do.
_MOST_REFERENCES = 20


def clean_address(text: str, field: str) -> str:
    """An address in the form it is stored and compared in; "Ada <ada@example.com>" stands for the address in it.

    Raises: InvalidAddress.
    """
    named = _NAMED.fullmatch(text.strip())
    cleaned = (named[1] if named else text).strip().lower()
    if len(cleaned) > 254 or not _ADDRESS.fullmatch(cleaned):
        raise errors.InvalidAddress(field, text[:254])
    return cleaned


def clean_addresses(texts: Iterable[str], field: str) -> list[str]:
    """Addresses in their order, each once.

    Raises: InvalidAddress.
    """
    return list(dict.fromkeys(clean_address(text, field) for text in texts))


def clean_text(value: str, field: str) -> str:
    """A text that must say something, without the blanks around it.

    Raises: EmptyText.
    """
    cleaned = value.strip()
    if not cleaned:
        raise errors.EmptyText(field)
    return cleaned


def clean_line(value: str) -> str:
    """A text of one line, blanks squeezed."""
    return " ".join(value.split())


def in_utc(moment: datetime, field: str) -> datetime:
    """An instant as it is stored: in UTC, whole milliseconds.

    Raises: WithoutTimeZone, OutOfRange.
    """
    if moment.tzinfo is None:
        raise errors.WithoutTimeZone(field)
    try:
        moment = moment.astimezone(UTC)
    except OverflowError:
        raise errors.OutOfRange(field) from None
    if not 2 <= moment.year <= 9998:
        raise errors.OutOfRange(field)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def domain_of(address: str) -> str:
    return address.rpartition("@")[2]


def topic(subject: str) -> str:
    """What a conversation is about: its subject without "Re:" and the like, in lower case."""
    text = clean_line(subject)
    while found := _PREFIX.match(text):
        text = text[found.end() :]
    return text.lower()


def is_answer(subject: str) -> bool:
    """Does a subject say that it continues a conversation?"""
    return _PREFIX.match(clean_line(subject)) is not None


def prefixed(prefix: str, subject: str) -> str:
    """A subject with a prefix it does not have yet, such as "Re"."""
    if subject.lower().startswith(f"{prefix.lower()}:"):
        return subject
    return f"{prefix}: {subject}".strip()[:300]


def references(earlier: Sequence[str], header_id: str) -> list[str]:
    """What an answer refers to: all that the answered message did, and that message."""
    found = [*(id for id in earlier if id != header_id), header_id]
    return found if len(found) <= _MOST_REFERENCES else [found[0], *found[-_MOST_REFERENCES + 1 :]]


def signed(body: str, signature: str) -> str:
    """A body with the signature below it, as mail programs mark it."""
    body = body.rstrip()
    return f"{body}\n\n-- \n{signature}" if signature else body


def preview(body: str) -> str:
    """The beginning of a body, on one line."""
    text = clean_line(body)
    return text if len(text) <= 140 else f"{text[:139].rstrip()}…"


def is_robot(address: str) -> bool:
    """Does nobody read what is sent there?"""
    local = address.partition("@")[0]
    return local in ROBOTS or local.startswith(("no-reply", "noreply"))


def deserves_answer(
    *,
    sender: str,
    recipients: Collection[str],
    own: Collection[str],
    auto_submitted: str,
    list_id: str,
) -> bool:
    """May an absent owner's mailbox answer this? Only what a person wrote to that very address.

    Never answered: automatic mail and bounces, lists, robots, one's own mail, and mail that only came by way of bcc
    or a filter. As answers are automatic themselves, two absent people never write to each other for ever.
    """
    return (
        auto_submitted == "no"
        and not list_id
        and not is_robot(sender)
        and sender not in own
        and not set(own).isdisjoint(recipients)
    )


def contains_words(text: str, words: str) -> bool:
    """Does every word occur in a text, whole and in any case?"""
    present = set(_WORDS.findall(text.lower()))
    return all(word in present for word in _WORDS.findall(words.lower()))


def destination(direction: str, folder: str) -> str:
    """Where a message comes to lie that is moved to a folder: sent mail has one place besides the trash."""
    return "sent" if direction == "sent" and folder != "trash" else folder
