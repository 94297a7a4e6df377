"""What do the numbers say?"""

from __future__ import annotations

from collections import defaultdict
from typing import Annotated, Any

from pydantic import Field

from worlds.crm import records
from worlds.crm.models import Deal, PipelineStage
from worlds.engine import Ctx, tool


@tool
def pipeline_report(
    ctx: Ctx,
    owner_id: Annotated[
        str | None, Field(description="Only deals of this user. Default: the whole team.", max_length=40)
    ] = None,
) -> dict[str, Any]:
    """Report the pipeline: every stage in order with its deals, and a forecast of the open ones by month.

    Amounts are in US cents. weighted_cents counts each deal by its probability. A deal past its expected close date
    counts as overdue and is left out of the months, as is one without a date.
    """
    records.require(user=owner_id)
    deals = Deal.objects.all() if owner_id is None else Deal.objects.filter(owner_id=owner_id)
    stages = {stage.id: stage for stage in PipelineStage.objects.order_by("position")}
    by_stage: dict[str, list[tuple[int, int]]] = defaultdict(list)
    by_month: dict[str, list[tuple[int, int]]] = defaultdict(list)
    today = ctx.clock.now().date()
    for stage_id, amount, probability, close_on in deals.values_list(  # worlds.W205: sums are made of them
        "stage_id", "amount_cents", "probability", "expected_close_on"
    ):
        by_stage[stage_id].append((amount, probability))
        if stages[stage_id].kind == "open":
            month = "undated" if close_on is None else "overdue" if close_on < today else f"{close_on:%Y-%m}"
            by_month[month].append((amount, probability))
    open_deals = [deal for stage_id, found in by_stage.items() if stages[stage_id].kind == "open" for deal in found]
    return {
        "stages": [
            {
                "id": stage.id,
                "name": stage.name,
                "kind": stage.kind,
                "probability": stage.probability,
                **_totals(by_stage[stage.id]),
            }
            for stage in stages.values()
        ],
        "open": _totals(open_deals),
        "forecast": [{"month": month, **_totals(by_month[month])} for month in sorted(by_month) if month[0].isdigit()],
        "overdue": _totals(by_month["overdue"]),
        "undated": _totals(by_month["undated"]),
    }


def _totals(deals: list[tuple[int, int]]) -> dict[str, int]:
    return {
        "deal_count": len(deals),
        "amount_cents": sum(amount for amount, _ in deals),
        "weighted_cents": sum(amount * probability for amount, probability in deals) // 100,
    }
