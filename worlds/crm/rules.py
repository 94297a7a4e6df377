"""Which rules does the product keep, whatever is stored?

Pure functions of plain values; those that refuse raise the product's errors.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from worlds.crm import errors

_EMAIL = re.compile(
    r"[^@\s,;<>()\"]+@(?P<domain>[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+)"
)
_DOMAIN = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+")

#: Whoever writes from one of these says nothing about where they work.
PERSONAL_MAIL = frozenset(
    f"{name}.{ending}"
    for ending, names in {
        "com": ("aol", "gmail", "hotmail", "icloud", "live", "mail", "me", "msn", "outlook", "protonmail", "yahoo"),
        "me": ("proton",),
        "net": ("gmx",),
    }.items()
    for name in names
)


def clean_email(email: str) -> str:
    """An address in the form it is stored and compared in.

    Raises: InvalidEmail.
    """
    cleaned = email.strip().lower()
    if not _EMAIL.fullmatch(cleaned):
        raise errors.InvalidEmail(email)
    return cleaned


def clean_domain(domain: str) -> str:
    """A domain in the form it is stored and compared in.

    Raises: InvalidDomain, for a web address too.
    """
    cleaned = domain.strip().lower().removeprefix("www.")
    if not _DOMAIN.fullmatch(cleaned):
        raise errors.InvalidDomain(domain)
    return cleaned


def clean_text(value: str, field: str) -> str:
    """A text that must say something, without the blanks around it.

    Raises: EmptyText.
    """
    cleaned = value.strip()
    if not cleaned:
        raise errors.EmptyText(field)
    return cleaned


def clean_tags(names: list[str]) -> list[str]:
    """Tag names as they are stored: lower case, blanks squeezed, each once, sorted."""
    return sorted({clean_text(" ".join(name.lower().split()), "tags") for name in names})


def work_domain(email: str) -> str | None:
    """The domain of the employer, as far as an address tells."""
    domain = email.rpartition("@")[2]
    return None if domain in PERSONAL_MAIL else domain


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


def later(one: datetime | None, other: datetime | None) -> datetime | None:
    """The later of two instants, either of which may be unknown."""
    return max((moment for moment in (one, other) if moment is not None), default=None)


def check_move(
    *,
    deal: str,
    from_kind: str,
    from_stage: str,
    to_kind: str,
    to_name: str,
    amount_cents: int,
    lost_reason: str | None,
    reopen: bool,
) -> None:
    """May a deal go from one stage to another?

    Raises: DealClosed unless it is reopened on purpose; AmountMissing for winning nothing; LostReasonMissing and
    LostReasonNotWanted, since a reason belongs to a lost deal and to no other.
    """
    if from_kind != "open" and not (reopen and to_kind == "open"):
        raise errors.DealClosed(deal, from_stage)
    if to_kind == "lost" and lost_reason is None:
        raise errors.LostReasonMissing
    if to_kind != "lost" and lost_reason is not None:
        raise errors.LostReasonNotWanted(to_name)
    if to_kind == "won" and not amount_cents:
        raise errors.AmountMissing
