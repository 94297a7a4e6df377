"""What can an agent do with subscriptions?"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from worlds.engine import Ctx, tool
from worlds.stripe_toolkit import asking
from worlds.stripe_toolkit.asking import Embedded
from worlds.stripe_toolkit.tools.arguments import CustomerId, Limit, omissible, or_fails

Status = Literal[
    "active", "past_due", "unpaid", "canceled", "incomplete", "incomplete_expired", "trialing", "all"
]  # fmt: skip
Proration = Literal["create_prorations", "none", "always_invoice", "none_implicit"]


class Item(BaseModel):
    """One item of a subscription, as it shall be."""

    model_config = ConfigDict(extra="forbid", strict=True)

    id: Annotated[str | None, omissible("The item to change; a new one without.")] = None
    price: Annotated[str | None, omissible("The id of the price to change to.")] = None
    quantity: Annotated[int | None, omissible("How many.", ge=1)] = None
    deleted: Annotated[bool | None, omissible("Take the item away?")] = None


@tool
@or_fails("list subscriptions")
def list_subscriptions(
    ctx: Ctx[Embedded],
    customer: CustomerId = None,
    price: Annotated[str | None, omissible("The id of a price, to narrow the list to.")] = None,
    status: Annotated[Status | None, omissible("Only those with this status.")] = None,
    limit: Limit = None,
) -> Any:
    """List subscriptions."""
    customer = asking.customer(ctx, customer)
    return asking.listed(ctx, "subscriptions", customer=customer, price=price, status=status, limit=limit)


@tool
@or_fails("cancel subscription")
def cancel_subscription(
    ctx: Ctx[Embedded], subscription: Annotated[str, Field(description="The id of the subscription.")]
) -> Any:
    """Cancel a subscription at once."""
    return asking.delete(ctx, f"subscriptions/{subscription}")


@tool
@or_fails("update subscription")
def update_subscription(
    ctx: Ctx[Embedded],
    subscription: Annotated[str, Field(description="The id of the subscription.")],
    proration_behavior: Annotated[
        Proration | None, omissible("What becomes of the part of a period that is paid for already.")
    ] = None,
    items: Annotated[list[Item] | None, omissible("The items to change, add or take away.")] = None,
) -> Any:
    """Change the items of a subscription."""
    given = None if items is None else [item.model_dump(exclude_none=True) for item in items]
    proration = "none" if proration_behavior == "none_implicit" else proration_behavior
    return asking.post(ctx, f"subscriptions/{subscription}", proration_behavior=proration, items=given)
