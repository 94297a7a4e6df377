"""What can be set when an instance starts?"""

from __future__ import annotations

from worlds.engine import Ctx, WorldBug, instance_startup

#: Where `ctx.state` keeps the one customer the agent acts for.
CUSTOMER = "customer"


@instance_startup
def act_for(ctx: Ctx, *, toolkit_customer: str | None = None) -> None:
    """Let the agent act for one customer, whose id then stands in for any other it gives."""
    if toolkit_customer is None:
        return
    if not isinstance(toolkit_customer, str) or not toolkit_customer.startswith("cus_"):
        raise WorldBug(f"startup keyword toolkit_customer is {toolkit_customer!r:.60}; write a customer's id, cus_…")
    ctx.state[CUSTOMER] = toolkit_customer
