"""What can be done with companies?"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from django.db.models import Count, Exists, OuterRef, Q, Sum
from pydantic import Field

from worlds.crm import errors, records, rules
from worlds.crm.acting import acting_user_id
from worlds.crm.editing import change, given
from worlds.crm.models import Company, Lead
from worlds.crm.pagination import paginate
from worlds.crm.tools.arguments import BY_CREATION, CompanyId, Cursor, Limit, NewOwnerId, OfOwner, Order, OwnerId
from worlds.engine import Ctx, tool

Name = Annotated[str, Field(description="Name of the company.", max_length=200)]
Domain = Annotated[
    str, Field(description="Web domain, such as example.com; no two companies share one.", max_length=200)
]
Industry = Annotated[str, Field(description="What the company does, in the team's own words.", max_length=80)]
EmployeeCount = Annotated[int, Field(description="How many people work there.", ge=0, le=10_000_000)]
City = Annotated[str, Field(description="City of the head office.", max_length=80)]
Country = Annotated[str, Field(description="Country of the head office.", max_length=80)]


def new_company(ctx: Ctx, *, name: str, owner_id: str | None, domain: str | None = None, **fields: Any) -> Company:
    """Store a company.

    Raises: EmptyText, InvalidDomain, DomainTaken.
    """
    now = ctx.clock.now()
    company = Company(
        id=f"comp_{ctx.ids.token(14)}",
        name=rules.clean_text(name, "name"),
        domain=_free_domain(domain),
        owner_id=owner_id,
        created_at=now,
        updated_at=now,
        **fields,
    )
    company.save(force_insert=True)
    return company


def _free_domain(domain: str | None, *, of: Company | None = None) -> str | None:
    """A domain that no other company has."""
    if domain is None:
        return None
    domain = rules.clean_domain(domain)
    other = Company.objects.filter(domain=domain).first()
    if other is not None and other != of:
        raise errors.DomainTaken(domain, other.id)
    return domain


@tool
def create_company(
    ctx: Ctx,
    name: Name,
    domain: Domain | None = None,
    industry: Industry = "",
    employee_count: EmployeeCount | None = None,
    city: City = "",
    country: Country = "",
    owner_id: OwnerId | None = None,
) -> dict[str, Any]:
    """Create a company."""
    company = new_company(
        ctx,
        name=name,
        domain=domain,
        owner_id=records.owner(owner_id).id if owner_id is not None else acting_user_id(ctx),
        industry=industry.strip(),
        employee_count=employee_count,
        city=city.strip(),
        country=country.strip(),
    )
    return company.as_dict()


@tool
def get_company(ctx: Ctx, company_id: CompanyId) -> dict[str, Any]:
    """Get a company, with how many leads and deals it has and what its open deals are worth."""
    company = records.company(company_id)
    open_deals = Q(stage__kind="open")
    deals = company.deals.aggregate(
        open_deal_count=Count("id", filter=open_deals),
        open_amount_cents=Sum("amount_cents", filter=open_deals, default=0),
        won_amount_cents=Sum("amount_cents", filter=Q(stage__kind="won"), default=0),
    )
    return {**company.as_dict(), "lead_count": company.leads.count(), **deals}


@tool
def list_companies(
    ctx: Ctx,
    owner_id: OfOwner | None = None,
    industry: Annotated[str | None, Field(description="Only this industry, as it is written.", max_length=80)] = None,
    has_leads: Annotated[
        bool | None, Field(description="false: only companies nobody is known at; true: only the others.")
    ] = None,
    order: Order = "newest",
    limit: Limit = 20,
    cursor: Cursor | None = None,
) -> dict[str, Any]:
    """List companies, the newest first unless asked otherwise."""
    records.require(user=owner_id)
    rows = Company.objects.all()
    if owner_id is not None:
        rows = rows.filter(owner_id=owner_id)
    if industry is not None:
        rows = rows.filter(industry=industry)
    if has_leads is not None:
        known = Exists(Lead.objects.filter(company=OuterRef("pk")))
        rows = rows.filter(known if has_leads else ~known)
    return paginate(
        "companies",
        rows,
        tool="list_companies",
        order=BY_CREATION[order],
        limit=limit,
        cursor=cursor,
        filters={"owner_id": owner_id, "industry": industry, "has_leads": has_leads},
        render=Company.as_dict,
    )


@tool
def update_company(
    ctx: Ctx,
    company_id: CompanyId,
    name: Name | None = None,
    domain: Domain | None = None,
    industry: Industry | None = None,
    employee_count: EmployeeCount | None = None,
    city: City | None = None,
    country: Country | None = None,
    owner_id: NewOwnerId | None = None,
    clear: Annotated[
        list[Literal["domain", "employee_count", "owner_id"]] | None,
        Field(description="Fields to empty. Text fields are emptied by setting them to ''."),
    ] = None,
) -> dict[str, Any]:
    """Change the given fields of a company; the others stay as they are."""
    company = records.company(company_id)
    fields = {
        "name": rules.clean_text(name, "name") if name is not None else None,
        "domain": _free_domain(domain, of=company),
        "industry": industry,
        "employee_count": employee_count,
        "city": city,
        "country": country,
        "owner_id": records.owner(owner_id).id if owner_id is not None else None,
    }
    change(company, given(fields, clear), ctx.clock.now())
    return company.as_dict()
