"""Where does mail to an address go?"""

from __future__ import annotations

from typing import NamedTuple

from worlds.engine import prepared
from worlds.mail.models import Domain, Mailbox
from worlds.mail.rules import domain_of

# Every recipient is looked up, so these are prepared.
_active = prepared(lambda address: Mailbox.objects.filter(address=address, is_active=True))
_by_alias = prepared(lambda address: Mailbox.objects.filter(aliases__address=address, is_active=True))
_closed = prepared(lambda address: Mailbox.objects.filter(address=address, is_active=False))
_domain = prepared(lambda name: Domain.objects.filter(pk=name))

UNKNOWN = "There is no mailbox with this address."
CLOSED = "The mailbox of this address has been closed."


class Route(NamedTuple):
    """Where an address leads: to a mailbox here, nowhere for a reason, or (neither) out of the house."""

    mailbox: Mailbox | None = None
    refusal: str | None = None


def route(address: str) -> Route:
    """Where mail to an address goes. The alias of an open mailbox takes over the address of a closed one."""
    mailbox = _active.first(address) or _by_alias.first(address)
    if mailbox is not None:
        return Route(mailbox)
    if _closed.first(address) is not None:
        return Route(refusal=CLOSED)
    return Route(refusal=UNKNOWN) if is_hosted(domain_of(address)) else Route()


def is_hosted(domain: str) -> bool:
    """Does mail to a domain arrive here?"""
    return _domain.first(domain) is not None


def addresses_of(mailbox: Mailbox) -> set[str]:
    """The address of a mailbox and its aliases."""
    return {mailbox.address, *mailbox.aliases.values_list("address", flat=True)}
