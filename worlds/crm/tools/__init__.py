"""Which tools does the CRM offer? Every module here registers those of one resource."""

from worlds.crm.tools import (
    activities,
    companies,
    deals,
    lead_lifecycle,
    leads,
    notes,
    ownership,
    reports,
    search,
    sql,
    tags,
    users,
)

__all__ = [
    "activities",
    "companies",
    "deals",
    "lead_lifecycle",
    "leads",
    "notes",
    "ownership",
    "reports",
    "search",
    "sql",
    "tags",
    "users",
]
