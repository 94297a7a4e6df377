"""What can an agent do with products, prices and payment links?"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from worlds.engine import Ctx, tool
from worlds.stripe_toolkit import asking
from worlds.stripe_toolkit.asking import Embedded
from worlds.stripe_toolkit.tools.arguments import Currency, Limit, omissible, or_fails


@tool
@or_fails("create product")
def create_product(
    ctx: Ctx[Embedded],
    name: Annotated[str, Field(description="The product's name.")],
    description: Annotated[str | None, omissible("What it is.")] = None,
) -> Any:
    """Create a product in Stripe."""
    return asking.post(ctx, "products", name=name, description=description)


@tool
@or_fails("list products")
def list_products(ctx: Ctx[Embedded], limit: Limit = None) -> Any:
    """List products."""
    return asking.listed(ctx, "products", limit=limit)


@tool
@or_fails("create price")
def create_price(
    ctx: Ctx[Embedded],
    product: Annotated[str, Field(description="The id of the product.")],
    unit_amount: Annotated[int, Field(description="The price of one, in the smallest unit of the currency.")],
    currency: Currency,
) -> Any:
    """Create a price of a product."""
    return asking.post(ctx, "prices", product=product, unit_amount=unit_amount, currency=currency.lower())


@tool
@or_fails("list prices")
def list_prices(
    ctx: Ctx[Embedded],
    product: Annotated[str | None, omissible("The id of a product, to narrow the list to.")] = None,
    limit: Limit = None,
) -> Any:
    """List prices."""
    return asking.listed(ctx, "prices", product=product, limit=limit)


@tool
@or_fails("create payment link")
def create_payment_link(
    ctx: Ctx[Embedded],
    price: Annotated[str, Field(description="The id of the price.")],
    quantity: Annotated[int, Field(description="How many.")],
    redirect_url: Annotated[str | None, omissible("Where to send the buyer after paying.")] = None,
) -> Any:
    """Create a payment link."""
    after = None if redirect_url is None else {"type": "redirect", "redirect": {"url": redirect_url}}
    found = asking.post(
        ctx, "payment_links", line_items=[{"price": price, "quantity": quantity}], after_completion=after
    )
    return asking.some(found, "id", "url")
