"""What can an agent do with customers, coupons and the documentation?"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from worlds.engine import Ctx, tool
from worlds.stripe_toolkit import asking
from worlds.stripe_toolkit.asking import Embedded
from worlds.stripe_toolkit.tools.arguments import Language, Limit, omissible, or_fails

Email = Annotated[str | None, omissible("The customer's email.", shown={"format": "email"})]


@tool
@or_fails("create customer")
def create_customer(
    ctx: Ctx[Embedded], name: Annotated[str, Field(description="The customer's name.")], email: Email = None
) -> Any:
    """Create a customer in Stripe."""
    return asking.some(asking.post(ctx, "customers", name=name, email=email), "id")


@tool
@or_fails("list customers")
def list_customers(ctx: Ctx[Embedded], limit: Limit = None, email: Email = None) -> Any:
    """List customers; only those with an exact email when it is given. Returns their ids."""
    return [asking.some(found, "id") for found in asking.listed(ctx, "customers", limit=limit, email=email)]


@tool
@or_fails("list coupons")
def list_coupons(ctx: Ctx[Embedded], limit: Limit = None) -> Any:
    """List coupons."""
    names = ("id", "name", "percent_off", "amount_off", "duration")
    return [asking.some(found, *names) for found in asking.listed(ctx, "coupons", limit=limit)]


@tool
def create_coupon(
    ctx: Ctx[Embedded],
    name: Annotated[str, Field(description="What customers read of it.")],
    amount_off: Annotated[float, Field(description="What is taken off, in the smallest unit of the currency.")],
    percent_off: Annotated[float | None, omissible("Which part is taken off instead.", ge=0, le=100)] = None,
    currency: Annotated[str, Field(description="The currency of amount_off.")] = "USD",
    duration: Annotated[
        Literal["once", "repeating", "forever"], Field(description="For how long it is taken off.")
    ] = "once",
    duration_in_months: Annotated[float | None, omissible("For how many months, when repeating.")] = None,
) -> Any:
    """Create a coupon. Give percent_off or amount_off, not both: with percent_off, amount_off is 0."""
    off: dict[str, Any] = {"amount_off": round(amount_off), "currency": currency.lower()}
    if percent_off is not None:
        off = {"percent_off": percent_off} | (off if amount_off else {})
    months = None if duration_in_months is None else round(duration_in_months)
    try:
        found = asking.post(ctx, "coupons", name=name, duration=duration, duration_in_months=months, **off)
    except asking.Refused as error:
        return asking.failed(f"create coupon: {error.message}")
    return asking.some(found, "id")


@tool
@or_fails("search documentation")
def search_stripe_documentation(
    ctx: Ctx[Embedded],
    question: Annotated[str, Field(description="What to look up.")],
    language: Annotated[Language | None, omissible("The language examples are wanted in.")] = None,
) -> Any:
    """Search Stripe's documentation for an answer to a question."""
    return ctx.worlds.stripe.call("search_stripe_documentation", question=question)["sources"]
