"""Which rules does the product keep, whatever is stored?

Pure functions of plain values; those that refuse raise the product's errors.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime

from worlds.helpdesk import errors

_EMAIL = re.compile(r"[^@\s,;<>()\"]+@[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+")
_PLACEHOLDER = re.compile(r"\{\{\s*([^{}]*?)\s*\}\}")

#: What a macro's text may leave open, to be filled in for each ticket.
PLACEHOLDERS = (
    "customer.name",
    "customer.first_name",
    "customer.email",
    "ticket.number",
    "ticket.subject",
    "agent.name",
    "agent.first_name",
    "company.name",
)


def clean_email(email: str, field: str = "email") -> str:
    """An address in the form it is stored and compared in.

    Raises: InvalidEmail.
    """
    cleaned = email.strip().lower()
    if not _EMAIL.fullmatch(cleaned):
        raise errors.InvalidEmail(field, email)
    return cleaned


def clean_text(value: str, field: str) -> str:
    """A text that must say something, without the blanks around it.

    Raises: EmptyText.
    """
    cleaned = value.strip()
    if not cleaned:
        raise errors.EmptyText(field)
    return cleaned


def clean_tags(names: list[str], field: str = "tags") -> list[str]:
    """Tag names as they are stored: lower case, blanks squeezed, each once, sorted."""
    return sorted({clean_text(" ".join(name.lower().split()), field) for name in names})


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
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def check_placeholders(text: str) -> None:
    """Does a macro's text leave open only what can be filled in?

    Raises: UnknownPlaceholder.
    """
    for name in _PLACEHOLDER.findall(text):
        if name not in PLACEHOLDERS:
            raise errors.UnknownPlaceholder("{{" + name + "}}", ["{{" + known + "}}" for known in PLACEHOLDERS])


def filled(text: str, values: Mapping[str, str]) -> str:
    """A macro's text with its placeholders filled in."""
    return _PLACEHOLDER.sub(lambda found: values[found[1]], text)


def first_name(name: str, otherwise: str) -> str:
    """How somebody is addressed."""
    return name.split()[0] if name.split() else otherwise


def check_status(*, number: int, before: str, after: str, is_assigned: bool) -> None:
    """May a ticket that is not closed go from one status to another?

    Raises: ClosedBeforeSolved, since closing is what ends a solved ticket; NobodyToSolveIt for one without assignee.
    """
    if after == "closed" and before != "solved":
        raise errors.ClosedBeforeSolved(number, before)
    if after == "solved" and not is_assigned:
        raise errors.NobodyToSolveIt(number)


def check_targets(first_reply_minutes: int, resolution_minutes: int) -> None:
    """Can both targets of a service level be kept one after the other?

    Raises: TargetsOutOfOrder.
    """
    if resolution_minutes < first_reply_minutes:
        raise errors.TargetsOutOfOrder(first_reply_minutes, resolution_minutes)


def earlier(one: datetime | None, other: datetime | None) -> datetime | None:
    """The earlier of two instants, either of which may be unknown."""
    return min((moment for moment in (one, other) if moment is not None), default=None)
