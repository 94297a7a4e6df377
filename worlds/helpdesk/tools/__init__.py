"""Which tools does the helpdesk offer? Every module here registers those of one resource."""

from worlds.helpdesk.tools import (
    account,
    agents,
    customers,
    macros,
    merging,
    messages,
    ratings,
    reports,
    search,
    sql,
    ticket_lists,
    tickets,
)

__all__ = [
    "account",
    "agents",
    "customers",
    "macros",
    "merging",
    "messages",
    "ratings",
    "reports",
    "search",
    "sql",
    "ticket_lists",
    "tickets",
]
