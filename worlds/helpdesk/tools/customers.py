"""What can be done with customers?"""

from __future__ import annotations

from typing import Annotated, Any

from django.db.models import Count, Q
from pydantic import Field

from worlds.engine import Ctx, tool
from worlds.helpdesk import directory, records, rules
from worlds.helpdesk.editing import change, given
from worlds.helpdesk.models import Customer, CustomerAddress, SatisfactionRating
from worlds.helpdesk.pagination import paginate
from worlds.helpdesk.tools.arguments import BY_CREATION, Cursor, CustomerId, Email, Limit, Order
from worlds.helpdesk.tools.merging import other_emails
from worlds.helpdesk.words import UNSOLVED

Name = Annotated[str, Field(description="Full name.", max_length=160)]
CompanyName = Annotated[str, Field(description="Where the customer works.", max_length=200)]
Phone = Annotated[str, Field(description="Telephone number.", max_length=40)]
About = Annotated[str, Field(description="What everybody who answers this customer should know.", max_length=5_000)]


@tool
def create_customer(
    ctx: Ctx, email: Email, name: Name = "", company_name: CompanyName = "", phone: Phone = "", about: About = ""
) -> dict[str, Any]:
    """Create a customer. Only the email address is needed, and no two customers share one."""
    customer = directory.new_customer(ctx, email=email, name=name, company_name=company_name, phone=phone, about=about)
    return customer.as_dict()


@tool
def get_customer(ctx: Ctx, customer_id: CustomerId) -> dict[str, Any]:
    """Get a customer, with their other addresses, how many tickets they have and how they rated them."""
    customer = records.customer(customer_id)
    tickets = customer.tickets.aggregate(
        ticket_count=Count("id"), unsolved_ticket_count=Count("id", filter=Q(status__in=UNSOLVED))
    )
    ratings = SatisfactionRating.objects.filter(ticket__requester=customer).aggregate(
        good_rating_count=Count("id", filter=Q(status="good")), bad_rating_count=Count("id", filter=Q(status="bad"))
    )
    return {**customer.as_dict(), "other_emails": other_emails(customer), **tickets, **ratings}


@tool
def list_customers(
    ctx: Ctx,
    email: Annotated[
        str | None, Field(description="Only the customer with this address, first or other.", max_length=254)
    ] = None,
    company_name: Annotated[
        str | None, Field(description="Only people of this company, as it is written.", max_length=200)
    ] = None,
    order: Order = "newest",
    limit: Limit = 20,
    cursor: Cursor | None = None,
) -> dict[str, Any]:
    """List customers, the newest first unless asked otherwise."""
    rows = Customer.objects.all()
    if email is not None:
        email = email.strip().lower()
        rows = rows.filter(Q(email=email) | Q(pk__in=CustomerAddress.objects.filter(email=email).values("customer")))
    if company_name is not None:
        rows = rows.filter(company_name=company_name)
    return paginate(
        "customers",
        rows,
        tool="list_customers",
        order=BY_CREATION[order],
        limit=limit,
        cursor=cursor,
        filters={"email": email, "company_name": company_name},
        render=Customer.as_dict,
    )


@tool
def update_customer(
    ctx: Ctx,
    customer_id: CustomerId,
    email: Annotated[
        str | None, Field(description="New first address; the former one stays theirs, too.", max_length=254)
    ] = None,
    name: Name | None = None,
    company_name: CompanyName | None = None,
    phone: Phone | None = None,
    about: About | None = None,
) -> dict[str, Any]:
    """Change the given fields of a customer; the others stay as they are. Text is emptied by setting it to ''."""
    customer = records.customer(customer_id)
    fields = {"name": name, "company_name": company_name, "phone": phone, "about": about}
    if email is not None:
        fields["email"] = _new_first_address(ctx, customer, rules.clean_email(email))
    change(customer, given(fields), ctx.clock.now())
    return {**customer.as_dict(), "other_emails": other_emails(customer)}


def _new_first_address(ctx: Ctx, customer: Customer, email: str) -> str:
    """Make room for another first address: the former one is kept beside it."""
    if email != customer.email:
        directory.require_free(email, of=customer)
        customer.addresses.filter(email=email).delete()
        CustomerAddress(email=customer.email, customer=customer, created_at=ctx.clock.now()).save(force_insert=True)
    return email
