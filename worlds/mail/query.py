"""What does a search query ask for?

Words and "quoted words", operators such as from:ada and is:unread, and a minus before what must not be.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import get_args

from worlds.mail import errors
from worlds.mail.words import Folder

OPERATORS = ("from", "to", "cc", "subject", "label", "in", "is", "has", "filename", "before", "after")
#: What `in:` and `is:` know.
PLACES = (*get_args(Folder), "anywhere")
STATES = ("unread", "read", "starred", "snoozed")

_TERM = re.compile(
    rf'(?P<minus>-)?(?:(?P<operator>{"|".join(OPERATORS)}):)?(?:"(?P<quoted>[^"]*)"|(?P<bare>[^\s"]+))', re.I
)
_WORD = re.compile(r"\w")


@dataclass(frozen=True)
class Term:
    """One thing asked for; `operator` is "" for words, of which a bare one may be the beginning."""

    operator: str
    value: str
    is_quoted: bool = False
    is_excluded: bool = False


def parse(query: str) -> list[Term]:
    """The terms of a query, their values checked; text without a letter or digit asks for nothing.

    Raises: BadOperator.
    """
    terms = []
    for found in _TERM.finditer(query.replace("\0", " ")):
        operator = (found["operator"] or "").lower()
        value = found["quoted"] if found["quoted"] is not None else found["bare"]
        if not operator and not _WORD.search(value):
            continue
        _check(operator, value)
        terms.append(Term(operator, value, found["quoted"] is not None, found["minus"] is not None))
    return terms


def _check(operator: str, value: str) -> None:
    expected = None
    if operator and not value.strip():
        expected = "Give a value right behind the colon."
    elif operator == "in" and value.lower() not in PLACES:
        expected = f"Folders are {', '.join(PLACES)}; labels are asked for with label:."
    elif operator == "is" and value.lower() not in STATES:
        expected = f"A message can be {', '.join(STATES)}."
    elif operator == "has" and value.lower() != "attachment":
        expected = "What a message can have is an attachment: has:attachment."
    elif operator in ("before", "after"):
        day(operator, value)
    if expected:
        raise errors.BadOperator(operator, value, expected)


def day(operator: str, value: str) -> datetime:
    """The beginning of a day in UTC, written 2026-06-01 or 2026/06/01.

    Raises: BadOperator.
    """
    try:
        return datetime.strptime(value.replace("/", "-"), "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        raise errors.BadOperator(operator, value, "Write a day as 2026-06-01.") from None


def as_match(term: Term) -> str:
    """A word or phrase in FTS5's own language; what it holds is quoted, so that no text is a syntax error."""
    text = term.value.replace('"', " ")
    return f'"{text}"' if term.is_quoted else f'"{text}"*'
