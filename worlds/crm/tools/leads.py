"""What can be done with leads?"""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any, Literal

from django.db.models.functions import Coalesce
from pydantic import Field

from worlds.crm import errors, records, rules
from worlds.crm.acting import acting_user_id
from worlds.crm.editing import change, given
from worlds.crm.models import Lead, Tag
from worlds.crm.pagination import paginate
from worlds.crm.tools.arguments import (
    BY_CREATION,
    CompanyId,
    Cursor,
    Email,
    LeadId,
    Limit,
    NewOwnerId,
    OfOwner,
    Order,
    OwnerId,
)
from worlds.crm.words import OPEN_LEAD_STATUSES, EditableLeadStatus, LeadSource, LeadStatus
from worlds.engine import Ctx, instant, prepared, tool

FirstName = Annotated[str, Field(description="Given name.", max_length=80)]
LastName = Annotated[str, Field(description="Family name.", max_length=80)]
Title = Annotated[str, Field(description="Job title.", max_length=120)]
Phone = Annotated[str, Field(description="Telephone number.", max_length=40)]
Employer = Annotated[
    str, Field(description="Where the lead says to work, while it is not linked to a company.", max_length=200)
]
Source = Annotated[LeadSource, Field(description="How the lead came in.")]
Status = Annotated[
    EditableLeadStatus,
    Field(description="How far the team has got with the lead; convert_lead is what makes it converted."),
]
DoNotEmail = Annotated[bool, Field(description="true: the lead has asked not to be emailed, and emails are refused.")]


_ids_with_email = prepared(lambda email: Lead.objects.filter(email=email).values_list("id", flat=True))
_tags_of = prepared(lambda lead_id: Tag.objects.filter(leads=lead_id).order_by("name").values_list("name", flat=True))


def _free_email(email: str, *, of: Lead | None = None) -> str:
    """An address that no other lead has."""
    email = rules.clean_email(email)
    for other_id in _ids_with_email(email):
        if of is None or of.id != other_id:
            raise errors.LeadEmailTaken(email, other_id)
    return email


@tool
def create_lead(
    ctx: Ctx,
    email: Email,
    first_name: FirstName = "",
    last_name: LastName = "",
    title: Title = "",
    phone: Phone = "",
    company_id: CompanyId | None = None,
    company_name: Employer = "",
    source: Source = "other",
    status: Status = "new",
    owner_id: OwnerId | None = None,
    do_not_email: DoNotEmail = False,
) -> dict[str, Any]:
    """Create a lead. Only the email address is needed, and no two leads share one."""
    now = ctx.clock.now()
    records.require(company=company_id)
    lead = Lead(
        id=f"lead_{ctx.ids.token(14)}",
        email=_free_email(email),
        first_name=first_name.strip(),
        last_name=last_name.strip(),
        title=title.strip(),
        phone=phone.strip(),
        company_id=company_id,
        company_name=company_name.strip(),
        source=source,
        status=status,
        owner_id=records.owner(owner_id).id if owner_id is not None else acting_user_id(ctx),
        do_not_email=do_not_email,
        created_at=now,
        updated_at=now,
    )
    lead.save(force_insert=True)
    return lead.as_dict()


@tool
def get_lead(ctx: Ctx, lead_id: LeadId) -> dict[str, Any]:
    """Get a lead with its tags."""
    lead = records.lead(lead_id)
    return {**lead.as_dict(), "tags": _tags_of(lead_id)}


@tool
def list_leads(
    ctx: Ctx,
    status: Annotated[LeadStatus | None, Field(description="Only leads with this status.")] = None,
    owner_id: OfOwner | None = None,
    company_id: Annotated[str | None, Field(description="Only people of this company.", max_length=40)] = None,
    source: Annotated[LeadSource | None, Field(description="Only leads that came in this way.")] = None,
    tag: Annotated[str | None, Field(description="Only leads that carry this tag.", max_length=40)] = None,
    order: Order = "newest",
    limit: Limit = 20,
    cursor: Cursor | None = None,
) -> dict[str, Any]:
    """List leads, the newest first unless asked otherwise. Filters add up."""
    records.require(user=owner_id, company=company_id)
    filters = {"status": status, "owner_id": owner_id, "company_id": company_id, "source": source}
    rows = Lead.objects.filter(**{name: value for name, value in filters.items() if value is not None})
    if tag is not None:
        rows = rows.filter(tags=_tag(tag))
    return paginate(
        "leads",
        rows,
        tool="list_leads",
        order=BY_CREATION[order],
        limit=limit,
        cursor=cursor,
        filters={**filters, "tag": tag},
        render=Lead.as_dict,
    )


def _tag(name: str) -> Tag:
    found = Tag.objects.filter(name=name.strip().lower()).first()
    if found is None:
        raise errors.TagNotFound(name)
    return found


@tool
def list_stale_leads(
    ctx: Ctx,
    days: Annotated[int, Field(description="Untouched for this many days or more.", ge=1, le=3650)] = 30,
    owner_id: OfOwner | None = None,
    limit: Limit = 20,
    cursor: Cursor | None = None,
) -> dict[str, Any]:
    """List open leads nobody has been in touch with for a while, the longest neglected first.

    A call, email, meeting or completed task counts as touch, and so does the creation of the lead; edits do not.
    Converted and unqualified leads are left out. touched_at is when it last happened.
    """
    records.require(user=owner_id)
    rows = Lead.objects.annotate(touched_at=Coalesce("last_activity_at", "created_at"))
    rows = rows.filter(touched_at__lte=ctx.clock.now() - timedelta(days=days), status__in=OPEN_LEAD_STATUSES)
    if owner_id is not None:
        rows = rows.filter(owner_id=owner_id)
    return paginate(
        "leads",
        rows,
        tool="list_stale_leads",
        order="touched_at",
        limit=limit,
        cursor=cursor,
        filters={"days": days, "owner_id": owner_id},
        render=lambda lead: {**lead.as_dict(), "touched_at": instant(lead.last_activity_at or lead.created_at)},
    )


@tool
def update_lead(
    ctx: Ctx,
    lead_id: LeadId,
    email: Email | None = None,
    first_name: FirstName | None = None,
    last_name: LastName | None = None,
    title: Title | None = None,
    phone: Phone | None = None,
    company_id: CompanyId | None = None,
    company_name: Employer | None = None,
    source: Source | None = None,
    status: Status | None = None,
    owner_id: NewOwnerId | None = None,
    do_not_email: DoNotEmail | None = None,
    clear: Annotated[
        list[Literal["company_id", "owner_id"]] | None,
        Field(description="Fields to empty. Text fields are emptied by setting them to ''."),
    ] = None,
) -> dict[str, Any]:
    """Change the given fields of a lead; the others stay as they are."""
    lead = records.lead(lead_id)
    records.require(company=company_id)
    if status is not None and lead.status == "converted":
        raise errors.ConvertedStatusStays(lead.name)
    fields = {
        "email": _free_email(email, of=lead) if email is not None else None,
        "first_name": first_name,
        "last_name": last_name,
        "title": title,
        "phone": phone,
        "company_id": company_id,
        "company_name": company_name,
        "source": source,
        "status": status,
        "owner_id": records.owner(owner_id).id if owner_id is not None else None,
        "do_not_email": do_not_email,
    }
    change(lead, given(fields, clear), ctx.clock.now())
    return lead.as_dict()
