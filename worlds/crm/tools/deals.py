"""What can be done with deals?"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import Field

from worlds.crm import errors, records, rules
from worlds.crm.acting import acting_user_id
from worlds.crm.editing import change, given
from worlds.crm.models import Deal, PipelineStage, StageChange
from worlds.crm.pagination import paginate
from worlds.crm.tools.arguments import (
    BY_CREATION,
    AmountCents,
    CloseOn,
    CompanyId,
    Cursor,
    DealId,
    Limit,
    NewOwnerId,
    OfOwner,
    Order,
    OwnerId,
    Probability,
    StageId,
)
from worlds.crm.words import LostReason, StageKind
from worlds.engine import Ctx, tool

Name = Annotated[str, Field(description="Name of the deal.", max_length=200)]
ContactId = Annotated[str, Field(description="Id of the lead who is the contact for this deal.", max_length=40)]
NextStep = Annotated[str, Field(description="What is to happen next.", max_length=500)]


def first_stage() -> PipelineStage:
    """The stage at which deals begin.

    Raises: PipelineEmpty.
    """
    found = PipelineStage.objects.filter(kind="open").order_by("position").first()
    if found is None:
        raise errors.PipelineEmpty
    return found


def new_deal(
    ctx: Ctx,
    *,
    name: str,
    stage: PipelineStage,
    company_id: str | None,
    contact_id: str | None,
    owner_id: str | None,
    amount_cents: int,
    expected_close_on: date | None,
    next_step: str = "",
) -> Deal:
    """Store a deal with the first line of its history.

    Raises: EmptyText.
    """
    now = ctx.clock.now()
    deal = Deal(
        id=f"deal_{ctx.ids.token(14)}",
        name=rules.clean_text(name, "name"),
        company_id=company_id,
        contact_id=contact_id,
        owner_id=owner_id,
        stage=stage,
        amount_cents=amount_cents,
        probability=stage.probability,
        expected_close_on=expected_close_on,
        next_step=next_step.strip(),
        created_at=now,
        updated_at=now,
    )
    deal.save(force_insert=True)
    _note_move(ctx, deal, from_stage_id=None)
    return deal


def _note_move(ctx: Ctx, deal: Deal, *, from_stage_id: str | None) -> None:
    StageChange(
        id=f"move_{ctx.ids.token(14)}",
        deal=deal,
        from_stage_id=from_stage_id,
        to_stage_id=deal.stage_id,
        changed_by_id=acting_user_id(ctx),
        changed_at=ctx.clock.now(),
    ).save(force_insert=True)


@tool
def create_deal(
    ctx: Ctx,
    name: Name,
    company_id: CompanyId | None = None,
    contact_id: ContactId | None = None,
    amount_cents: AmountCents = 0,
    stage_id: StageId | None = None,
    expected_close_on: CloseOn | None = None,
    next_step: NextStep = "",
    owner_id: OwnerId | None = None,
) -> dict[str, Any]:
    """Create a deal at an open stage, the first one unless stage_id says otherwise.

    It is for a company, a contact or both; a contact's company is taken when none is given.
    """
    if company_id is None and contact_id is None:
        raise errors.AtLeastOne("company_id", "contact_id")
    stage = first_stage() if stage_id is None else records.stage(stage_id)
    if stage.kind != "open":
        raise errors.StageNotOpen(stage.name)
    records.require(company=company_id)
    if contact_id is not None:
        contact = records.lead(contact_id)
        company_id = contact.company_id if company_id is None else company_id
    deal = new_deal(
        ctx,
        name=name,
        stage=stage,
        company_id=company_id,
        contact_id=contact_id,
        owner_id=records.owner(owner_id).id if owner_id is not None else acting_user_id(ctx),
        amount_cents=amount_cents,
        expected_close_on=expected_close_on,
        next_step=next_step,
    )
    return deal.as_dict()


@tool
def get_deal(ctx: Ctx, deal_id: DealId) -> dict[str, Any]:
    """Get a deal with its tags and the stages it went through, oldest first."""
    deal = records.deal(deal_id)
    return {
        **deal.as_dict(),
        "tags": list(deal.tags.order_by("name").values_list("name", flat=True)),
        "stage_history": [move.as_dict() for move in deal.stage_changes.order_by("changed_at", "id")],
    }


@tool
def list_deals(
    ctx: Ctx,
    status: Annotated[StageKind | None, Field(description="Only deals that are open, won or lost.")] = None,
    stage_id: Annotated[str | None, Field(description="Only deals at this stage.", max_length=40)] = None,
    owner_id: OfOwner | None = None,
    company_id: Annotated[str | None, Field(description="Only deals of this company.", max_length=40)] = None,
    closes_before: Annotated[
        date | None,
        Field(description="Only deals expected to close before this date; with status=open and today: the overdue."),
    ] = None,
    min_amount_cents: Annotated[int | None, Field(description="Only deals worth this much or more.", ge=0)] = None,
    order: Order = "newest",
    limit: Limit = 20,
    cursor: Cursor | None = None,
) -> dict[str, Any]:
    """List deals, the newest first unless asked otherwise. Filters add up."""
    records.require(stage=stage_id, user=owner_id, company=company_id)
    filters = {
        "stage__kind": status,
        "stage_id": stage_id,
        "owner_id": owner_id,
        "company_id": company_id,
        "expected_close_on__lt": closes_before,
        "amount_cents__gte": min_amount_cents,
    }
    return paginate(
        "deals",
        Deal.objects.filter(**{name: value for name, value in filters.items() if value is not None}),
        tool="list_deals",
        order=BY_CREATION[order],
        limit=limit,
        cursor=cursor,
        filters=filters,
        render=Deal.as_dict,
    )


@tool
def update_deal(
    ctx: Ctx,
    deal_id: DealId,
    name: Name | None = None,
    contact_id: ContactId | None = None,
    amount_cents: AmountCents | None = None,
    probability: Probability | None = None,
    expected_close_on: CloseOn | None = None,
    next_step: NextStep | None = None,
    owner_id: NewOwnerId | None = None,
    clear: Annotated[
        list[Literal["contact_id", "expected_close_on", "owner_id"]] | None,
        Field(description="Fields to empty. next_step is emptied by setting it to ''."),
    ] = None,
) -> dict[str, Any]:
    """Change the given fields of a deal; the others stay as they are.

    The stage is changed with move_deal. What a closed deal was worth, and when, is settled until it is reopened.
    """
    deal = records.deal(deal_id)
    settled = (amount_cents, probability, expected_close_on) != (None, None, None) or "expected_close_on" in (
        clear or ()
    )
    if settled and deal.stage.kind != "open":
        raise errors.DealClosed(deal.name, deal.stage_id)
    records.require(lead=contact_id)
    fields = {
        "name": rules.clean_text(name, "name") if name is not None else None,
        "contact_id": contact_id,
        "amount_cents": amount_cents,
        "probability": probability,
        "expected_close_on": expected_close_on,
        "next_step": next_step,
        "owner_id": records.owner(owner_id).id if owner_id is not None else None,
    }
    change(deal, given(fields, clear), ctx.clock.now())
    return deal.as_dict()


@tool
def move_deal(
    ctx: Ctx,
    deal_id: DealId,
    stage_id: StageId,
    lost_reason: Annotated[
        LostReason | None, Field(description="Why the deal was lost; needed at a lost stage, refused at any other.")
    ] = None,
    reopen: Annotated[bool, Field(description="true: a closed deal goes back to an open stage.")] = False,
) -> dict[str, Any]:
    """Move a deal to another stage of the pipeline; also how it is won, lost or reopened.

    The deal takes on the stage's probability. Winning needs an amount, losing a reason. A deal that is there already
    stays as it is.
    """
    deal, to = records.deal(deal_id), records.stage(stage_id)
    came_from = deal.stage
    if to == came_from and lost_reason in (None, deal.lost_reason):
        return deal.as_dict()
    rules.check_move(
        deal=deal.name,
        from_stage=came_from.id,
        from_kind=came_from.kind,
        to_name=to.name,
        to_kind=to.kind,
        amount_cents=deal.amount_cents,
        lost_reason=lost_reason,
        reopen=reopen,
    )
    now = ctx.clock.now()
    fields = {
        "stage_id": to.id,
        "probability": to.probability,
        "lost_reason": lost_reason or "",
        "closed_at": None if to.kind == "open" else now,
    }
    change(deal, fields, now)
    _note_move(ctx, deal, from_stage_id=came_from.id)
    return deal.as_dict()
