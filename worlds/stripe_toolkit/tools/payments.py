"""What can an agent do with payments, refunds, disputes and the balance?"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from worlds.engine import Ctx, tool
from worlds.stripe_toolkit import asking
from worlds.stripe_toolkit.asking import Embedded
from worlds.stripe_toolkit.tools.arguments import CustomerId, Limit, omissible, or_fails

_LONGEST = 20_000


class Evidence(BaseModel):
    """What speaks for the account in a dispute."""

    model_config = ConfigDict(extra="forbid", strict=True)

    cancellation_policy_disclosure: Annotated[
        str | None, omissible("How the customer was told the policy.", max_length=_LONGEST)
    ] = None
    duplicate_charge_explanation: Annotated[str | None, omissible("Why it is no duplicate.", max_length=_LONGEST)] = (
        None
    )
    uncategorized_text: Annotated[str | None, omissible("Anything else.", max_length=_LONGEST)] = None


@tool
@or_fails("retrieve balance")
def retrieve_balance(ctx: Ctx[Embedded]) -> Any:
    """Retrieve the account's balance."""
    return asking.get(ctx, "balance")


@tool
@or_fails("create refund")
def create_refund(
    ctx: Ctx[Embedded],
    payment_intent: Annotated[str, Field(description="The id of the payment intent.")],
    amount: Annotated[int | None, omissible("How much, in the smallest unit of the currency; else all.")] = None,
) -> Any:
    """Refund a payment."""
    found = asking.post(ctx, "refunds", payment_intent=payment_intent, amount=amount)
    return asking.some(found, "id", "status", "amount")


@tool
@or_fails("list payment intents")
def list_payment_intents(ctx: Ctx[Embedded], customer: CustomerId = None, limit: Limit = None) -> Any:
    """List payment intents."""
    return asking.listed(ctx, "payment_intents", customer=asking.customer(ctx, customer), limit=limit)


@tool
@or_fails("update dispute")
def update_dispute(
    ctx: Ctx[Embedded],
    dispute: Annotated[str, Field(description="The id of the dispute.")],
    evidence: Annotated[Evidence | None, omissible("The evidence.")] = None,
    submit: Annotated[bool | None, omissible("Send it to the bank now? Otherwise it is kept.")] = None,
) -> Any:
    """Answer a dispute with evidence."""
    given = None if evidence is None else evidence.model_dump(exclude_none=True)
    return asking.some(asking.post(ctx, f"disputes/{dispute}", evidence=given, submit=submit), "id")


@tool
@or_fails("list disputes")
def list_disputes(
    ctx: Ctx[Embedded],
    charge: Annotated[str | None, omissible("The id of a charge, to narrow the list to.")] = None,
    payment_intent: Annotated[str | None, omissible("The id of a payment intent.")] = None,
    limit: Annotated[int, Field(ge=1, le=100, description="How many to return, 1 to 100.")] = 10,
) -> Any:
    """List disputes. Returns their ids."""
    found = asking.listed(ctx, "disputes", charge=charge, payment_intent=payment_intent, limit=limit)
    return [asking.some(each, "id") for each in found]
