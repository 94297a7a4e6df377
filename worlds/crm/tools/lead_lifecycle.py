"""How do two leads become one, and how does a lead become a customer?"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from worlds.crm import errors, records, rules
from worlds.crm.editing import change
from worlds.crm.models import Activity, Company, Deal, Lead, Note, Tag
from worlds.crm.tools.arguments import AmountCents, CloseOn, CompanyId, LeadId
from worlds.crm.tools.companies import new_company
from worlds.crm.tools.deals import first_stage, new_deal
from worlds.crm.tools.notes import new_note
from worlds.crm.tools.tags import put_tags
from worlds.engine import Ctx, tool

#: What the kept lead takes over where it has nothing itself.
_FILLED = ("first_name", "last_name", "title", "phone", "company_id", "company_name", "owner_id")


@tool
def merge_leads(
    ctx: Ctx,
    keep_id: Annotated[str, Field(description="Id of the lead that stays.", max_length=40)],
    duplicate_id: Annotated[
        str, Field(description="Id of the lead that is merged into it and deleted.", max_length=40)
    ],
) -> dict[str, Any]:
    """Merge two leads that are the same person.

    The lead that stays keeps what it has and takes over what it lacks; activities, notes, deals and tags of both are
    its own afterwards. A wish not to be emailed survives. A note keeps the address of the duplicate, which is deleted
    for good.
    """
    if keep_id == duplicate_id:
        raise errors.SameLead
    keep, duplicate = records.lead(keep_id), records.lead(duplicate_id)
    if duplicate.status == "converted" and keep.status != "converted":
        raise errors.WouldLoseConversion(duplicate.id)
    now = ctx.clock.now()
    moved = {
        "activities": Activity.objects.filter(lead=duplicate).update(lead=keep),
        "notes": Note.objects.filter(lead=duplicate).update(lead=keep),
        "deals": Deal.objects.filter(contact=duplicate).update(contact=keep, updated_at=now),
    }
    put_tags(keep, Tag.objects.filter(leads__in=(keep, duplicate)).order_by("id"))
    duplicate.tags.clear()
    duplicate.delete()
    keep.last_activity_at = rules.later(keep.last_activity_at, duplicate.last_activity_at)
    keep.save(update_fields=["last_activity_at"])
    filled = {
        name: getattr(duplicate, name) for name in _FILLED if not getattr(keep, name) and getattr(duplicate, name)
    }
    change(keep, {**filled, "do_not_email": keep.do_not_email or duplicate.do_not_email}, now)
    new_note(ctx, f"Merged with {duplicate.name} ({duplicate.email}), lead {duplicate_id}.", lead_id=keep.id)
    return {**keep.as_dict(), "tags": sorted(tag.name for tag in keep.tags.all()), "moved": moved}


@tool
def convert_lead(
    ctx: Ctx,
    lead_id: LeadId,
    company_id: CompanyId | None = None,
    company_name: Annotated[
        str | None, Field(description="Create a company of this name for the lead.", max_length=200)
    ] = None,
    create_deal: Annotated[bool, Field(description="Whether to open a deal for the company as well.")] = True,
    deal_name: Annotated[
        str | None, Field(description="Name of the deal. Default: the company's name.", max_length=200)
    ] = None,
    amount_cents: AmountCents = 0,
    expected_close_on: CloseOn | None = None,
) -> dict[str, Any]:
    """Convert a lead: make it a contact of a company and open a deal at the first stage.

    The company is the one given, else the lead's own, else the one with the domain of the lead's address, else a new
    one by the name the lead gave. The deal belongs to the lead's owner.
    """
    if company_id is not None and company_name is not None:
        raise errors.ExactlyOne("company_id", "company_name")
    lead = records.lead(lead_id)
    if lead.status == "converted":
        raise errors.LeadAlreadyConverted(lead.name, lead.company_id)
    if lead.status == "unqualified":
        raise errors.LeadUnqualified(lead.name)
    now = ctx.clock.now()
    company = _company_of(ctx, lead, company_id, company_name)
    change(lead, {"company_id": company.id, "status": "converted", "converted_at": now}, now)
    deal = None
    if create_deal:
        deal = new_deal(
            ctx,
            name=company.name if deal_name is None else deal_name,
            stage=first_stage(),
            company_id=company.id,
            contact_id=lead.id,
            owner_id=lead.owner_id,
            amount_cents=amount_cents,
            expected_close_on=expected_close_on,
        )
    return {"lead": lead.as_dict(), "company": company.as_dict(), "deal": deal.as_dict() if deal else None}


def _company_of(ctx: Ctx, lead: Lead, company_id: str | None, company_name: str | None) -> Company:
    if company_id is not None or (company_name is None and lead.company_id is not None):
        return records.company(company_id or lead.company_id or "")
    domain = rules.work_domain(lead.email)
    known = Company.objects.filter(domain=domain).first() if domain else None
    if company_name is None and known is not None:
        return known
    name = company_name if company_name is not None else lead.company_name
    if not name:
        raise errors.CompanyUnknown(lead.name)
    return new_company(ctx, name=name, owner_id=lead.owner_id, domain=None if known else domain)
