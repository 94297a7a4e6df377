"""Which tools does mail offer? Every module here registers those of one resource."""

from worlds.mail.tools import (
    absence,
    addresses,
    drafts,
    filters,
    gateway,
    labels,
    mailboxes,
    organizing,
    reading,
    search,
    sending,
    sql,
)

__all__ = [
    "absence",
    "addresses",
    "drafts",
    "filters",
    "gateway",
    "labels",
    "mailboxes",
    "organizing",
    "reading",
    "search",
    "sending",
    "sql",
]
