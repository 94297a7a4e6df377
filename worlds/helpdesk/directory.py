"""Whom does an email address belong to?"""

from __future__ import annotations

from worlds.engine import Ctx
from worlds.helpdesk import errors, rules
from worlds.helpdesk.models import Customer, CustomerAddress


def customer_with(email: str) -> Customer | None:
    """The customer who writes from an address, be it the first or another one of theirs."""
    found = Customer.objects.filter(email=email).first()
    if found is None:
        address = CustomerAddress.objects.filter(email=email).select_related("customer").first()
        found = address.customer if address else None
    return found


def require_free(email: str, *, of: Customer | None = None) -> None:
    """Refuse an address that another customer has.

    Raises: CustomerEmailTaken.
    """
    other = customer_with(email)
    if other is not None and other != of:
        raise errors.CustomerEmailTaken(email, other.id)


def new_customer(
    ctx: Ctx, *, email: str, name: str = "", company_name: str = "", phone: str = "", about: str = ""
) -> Customer:
    """Store a customer.

    Raises: InvalidEmail, CustomerEmailTaken.
    """
    email = rules.clean_email(email)
    require_free(email)
    now = ctx.clock.now()
    customer = Customer(
        id=f"cust_{ctx.ids.token(14)}",
        email=email,
        name=name.strip(),
        company_name=company_name.strip(),
        phone=phone.strip(),
        about=about.strip(),
        created_at=now,
        updated_at=now,
    )
    customer.save(force_insert=True)
    return customer


def customer_for(ctx: Ctx, email: str, name: str = "", *, field: str) -> Customer:
    """The customer of an address, made when there is none; a name is taken down while none is known.

    Raises: InvalidEmail.
    """
    email = rules.clean_email(email, field)
    found = customer_with(email)
    if found is None:
        return new_customer(ctx, email=email, name=name)
    if not found.name and name.strip():
        found.name, found.updated_at = name.strip(), ctx.clock.now()
        found.save(update_fields=["name", "updated_at"])
    return found
