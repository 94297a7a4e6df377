"""How does the company find one person or thing in all its systems?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from worlds.company import errors
from worlds.company.models import Employee
from worlds.engine import Ctx, WorldHandle, Worlds


class Systems(Worlds):
    """The worlds a company embeds."""

    crm: WorldHandle
    helpdesk: WorldHandle
    mail: WorldHandle
    payments: WorldHandle


def employee(email: str) -> Employee:
    """Who works here, or did, under an address.

    Raises: NoSuchEmployee.
    """
    found = Employee.objects.filter(email=email.strip().lower()).first()
    if found is None:
        raise errors.NoSuchEmployee(email)
    return found


def at_work(email: str) -> Employee:
    """Who works here now under an address.

    Raises: NoSuchEmployee, HasLeft.
    """
    found = employee(email)
    if found.left_at is not None:
        raise errors.HasLeft(found.name)
    return found


def lead_by_email(ctx: Ctx[Systems], email: str) -> dict[str, Any] | None:
    """The CRM's lead or contact with an address."""
    return ctx.worlds.crm.db.one("SELECT * FROM leads WHERE email = ?", email.strip().lower())


def account_owner(ctx: Ctx[Systems], lead: dict[str, Any]) -> Employee | None:
    """Who owns the account of a contact: the owner of its company, else of itself; only who works here."""
    company = ctx.worlds.crm.db.one("SELECT owner_id FROM companies WHERE id = ?", lead["company_id"])
    for owner_id in ((company or {}).get("owner_id"), lead["owner_id"]):
        found = Employee.objects.filter(crm_user_id=owner_id, left_at=None).first() if owner_id else None
        if found is not None:
            return found
    return None


def mailbox_of(ctx: Ctx[Systems], address: str) -> dict[str, Any] | None:
    """The open mailbox of an address."""
    return ctx.worlds.mail.db.one("SELECT * FROM mailboxes WHERE address = ? AND is_active = 1", address)


def is_ours(ctx: Ctx[Systems], address: str) -> bool:
    """Is it an address at one of the company's domains?"""
    domain = address.rpartition("@")[2]
    return ctx.worlds.mail.db.one("SELECT name FROM domains WHERE name = ?", domain) is not None


@contextmanager
def any_mailbox(ctx: Ctx[Systems]) -> Iterator[WorldHandle]:
    """Mail for the office itself, which may write from every mailbox."""
    mail = ctx.worlds.mail
    mail.state["host_acts"] = True
    try:
        yield mail
    finally:
        ctx.worlds.mail.state.pop("host_acts", None)


def addresses(value: str) -> list[str]:
    """A list of addresses as the mail store keeps it."""
    found: list[str] = json.loads(value)
    return found
