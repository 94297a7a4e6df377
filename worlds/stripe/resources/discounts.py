"""How do the discounts that customers have behave?"""

from __future__ import annotations

from typing import Any

from worlds.stripe import discounting
from worlds.stripe.api import wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.operations import find, loads, operation
from worlds.stripe.models import Customer, Discount

loads(Discount)


@wire.shaped("discount")
def _shape(discount: Discount) -> dict[str, Any]:
    return {"source": {"coupon": discount.coupon_id, "type": "coupon"}}


@operation("GetCustomersCustomerDiscount")
def retrieve(call: Call) -> Discount:
    customer = find(call, Customer, call.path["customer"], noun="customer")
    if customer.discount is None:
        raise StripeError(f"No active discount for customer: {customer.id}", status=404, code="resource_missing")
    return customer.discount


@operation("DeleteCustomersCustomerDiscount")
def delete(call: Call) -> dict[str, Any]:
    customer = find(call, Customer, call.path["customer"], noun="customer")
    discount = discounting.take(call, customer)
    return deleted(discount)


def deleted(discount: Discount) -> dict[str, Any]:
    """A discount that was taken away: it still says what it was."""
    return wire.complete("deleted_discount", {**wire.columns(discount), **_shape(discount), "deleted": True})
