"""What can be done with notes?"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from worlds.crm import errors, records, rules
from worlds.crm.acting import acting_user_id
from worlds.crm.models import Note
from worlds.crm.pagination import paginate
from worlds.crm.tools.arguments import BY_CREATION, Cursor, Limit, OnCompany, OnDeal, OnLead, Order
from worlds.engine import Ctx, tool


def new_note(
    ctx: Ctx, body: str, *, author_id: str | None = None, lead_id: str | None = None, **about: str | None
) -> Note:
    """Store a note, by the acting user unless somebody else wrote it.

    Raises: EmptyText.
    """
    note = Note(
        id=f"note_{ctx.ids.token(14)}",
        body=rules.clean_text(body, "body"),
        lead_id=lead_id,
        author_id=acting_user_id(ctx) if author_id is None else author_id,
        created_at=ctx.clock.now(),
        **about,
    )
    note.save(force_insert=True)
    return note


@tool
def add_note(
    ctx: Ctx,
    body: Annotated[str, Field(description="What to remember.", max_length=20_000)],
    lead_id: OnLead | None = None,
    company_id: OnCompany | None = None,
    deal_id: OnDeal | None = None,
    author_id: Annotated[
        str | None, Field(description="Id of the user who wrote it. Default: you.", max_length=40)
    ] = None,
) -> dict[str, Any]:
    """Add a note to one lead, company or deal. A note is no touch: nobody was in contact."""
    _require_one(lead_id, company_id, deal_id)
    records.require(lead=lead_id, company=company_id, deal=deal_id, user=author_id)
    return new_note(ctx, body, author_id=author_id, lead_id=lead_id, company_id=company_id, deal_id=deal_id).as_dict()


@tool
def list_notes(
    ctx: Ctx,
    lead_id: OnLead | None = None,
    company_id: OnCompany | None = None,
    deal_id: OnDeal | None = None,
    order: Order = "newest",
    limit: Limit = 20,
    cursor: Cursor | None = None,
) -> dict[str, Any]:
    """List the notes on one lead, company or deal."""
    _require_one(lead_id, company_id, deal_id)
    records.require(lead=lead_id, company=company_id, deal=deal_id)
    filters = {"lead_id": lead_id, "company_id": company_id, "deal_id": deal_id}
    return paginate(
        "notes",
        Note.objects.filter(**{name: value for name, value in filters.items() if value is not None}),
        tool="list_notes",
        order=BY_CREATION[order],
        limit=limit,
        cursor=cursor,
        filters=filters,
        render=Note.as_dict,
    )


def _require_one(lead_id: str | None, company_id: str | None, deal_id: str | None) -> None:
    if sum(id is not None for id in (lead_id, company_id, deal_id)) != 1:
        raise errors.ExactlyOne("lead_id", "company_id", "deal_id")
