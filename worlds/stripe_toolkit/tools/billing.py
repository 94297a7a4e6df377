"""What can an agent do with invoices?"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from worlds.engine import Ctx, tool
from worlds.stripe_toolkit import asking
from worlds.stripe_toolkit.asking import Embedded
from worlds.stripe_toolkit.tools.arguments import CustomerId, Limit, omissible, or_fails


@tool
@or_fails("create invoice")
def create_invoice(
    ctx: Ctx[Embedded],
    customer: Annotated[str, Field(description="The id of the customer.")],
    days_until_due: Annotated[int | None, omissible("In how many days it is due.")] = None,
) -> Any:
    """Create an invoice that is sent to a customer."""
    found = asking.post(
        ctx, "invoices",
        customer=asking.customer(ctx, customer), days_until_due=days_until_due, collection_method="send_invoice",
    )  # fmt: skip
    return _invoice(found)


@tool
@or_fails("list invoices")
def list_invoices(ctx: Ctx[Embedded], customer: CustomerId = None, limit: Limit = None) -> Any:
    """List invoices."""
    return asking.listed(ctx, "invoices", customer=asking.customer(ctx, customer), limit=limit)


@tool
@or_fails("create invoice item")
def create_invoice_item(
    ctx: Ctx[Embedded],
    customer: Annotated[str, Field(description="The id of the customer.")],
    price: Annotated[str, Field(description="The id of the price.")],
    invoice: Annotated[str, Field(description="The id of the invoice to put it on.")],
) -> Any:
    """Put an item on a customer's invoice."""
    found = asking.post(
        ctx, "invoiceitems", customer=asking.customer(ctx, customer), pricing={"price": price}, invoice=invoice
    )
    return asking.some(found, "id", "invoice")


@tool
@or_fails("finalize invoice")
def finalize_invoice(ctx: Ctx[Embedded], invoice: Annotated[str, Field(description="The id of the invoice.")]) -> Any:
    """Finalize a draft invoice, so that it can be paid."""
    return _invoice(asking.post(ctx, f"invoices/{invoice}/finalize"))


def _invoice(found: dict[str, Any]) -> dict[str, Any]:
    return {"id": found["id"], "url": found.get("hosted_invoice_url"), **asking.some(found, "customer", "status")}
