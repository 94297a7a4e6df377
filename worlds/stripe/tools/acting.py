"""How does an agent run an operation: reading with one tool, writing with another?"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from worlds.engine import Ctx, tool
from worlds.stripe.tools import approving, asking, gates
from worlds.stripe.tools.arguments import Context, Livemode, omissible


class HumanConfirmation(BaseModel):
    """A person's word."""

    model_config = ConfigDict(extra="forbid", strict=True)

    approval_token: Annotated[str, Field(description="The token of the answer that asked for confirmation.")]


@tool
def stripe_api_read(  # worlds.W206: Stripe's words, the same for agents with a key
    ctx: Ctx,
    stripe_api_operation_id: Annotated[str, Field(description="The id of a GET operation, for example GetCustomers.")],
    parameters: Annotated[dict[str, Any], Field(description="Path and query parameters together, by their names.")],
    stripe_context: Context,
    livemode: Livemode,
) -> dict[str, Any]:
    """Run an operation that only reads. Find it with stripe_api_search, and its parameters with stripe_api_details."""
    account = gates.account_of(ctx, stripe_context, livemode)
    operation = gates.operation_of(ctx, stripe_api_operation_id, "GET")
    gates.require_usable(ctx, operation)
    return asking.ask(ctx, operation, parameters, account)


# Without a transaction of its own: a declined payment is refused, and what was noted of it stays.
@tool(transaction=False)
def stripe_api_write(  # worlds.W206: Stripe's words, the same for agents with a key
    ctx: Ctx,
    stripe_api_operation_id: Annotated[
        str, Field(description="The id of a POST or DELETE operation, for example PostCustomers.")
    ],
    parameters: Annotated[
        dict[str, Any],
        Field(description="Path, query and body parameters together, by their names. Arrays must be JSON arrays."),
    ],
    stripe_context: Context,
    livemode: Livemode,
    human_confirmation: Annotated[
        HumanConfirmation | None,
        omissible("A person's word, where an answer before asked for it."),
    ] = None,
) -> dict[str, Any]:
    """Run an operation that creates, changes or deletes. Find it with stripe_api_search, and its parameters with
    stripe_api_details.
    """
    account = gates.account_of(ctx, stripe_context, livemode)
    operation = gates.operation_of(ctx, stripe_api_operation_id, "POST", "DELETE")
    gates.require_usable(ctx, operation)
    if ctx.state.get(gates.CONFIRMS):
        if human_confirmation is None:
            return approving.request(ctx, operation, parameters, account)
        approving.use(ctx, human_confirmation.approval_token, operation, parameters, account)
    return asking.ask(ctx, operation, parameters, account)
