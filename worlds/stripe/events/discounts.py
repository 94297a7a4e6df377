"""What happens to discounts by the mere passing of time?"""

from __future__ import annotations

from typing import Any

from worlds.engine import Ctx, event_handler
from worlds.stripe import discounting
from worlds.stripe.api.call import Call
from worlds.stripe.models import Coupon, Customer, PromotionCode


@event_handler
def customer_discount_ends(ctx: Ctx, payload: dict[str, Any]) -> None:
    """The months of a customer's discount are over."""
    call = Call.of_clock(ctx, payload["account"])
    customer = call.rows(Customer).filter(discount=payload["discount"], deleted=False).first()
    if customer is not None:
        discounting.take(call, customer)


@event_handler
def coupon_expires(ctx: Ctx, payload: dict[str, Any]) -> None:
    """The time in which a coupon can be redeemed is over."""
    call = Call.of_clock(ctx, payload["account"])
    discounting.end_validity(call, Coupon.objects.get(pk=payload["coupon"]))


@event_handler
def promotion_code_expires(ctx: Ctx, payload: dict[str, Any]) -> None:
    """The time in which a promotion code can be entered is over."""
    call = Call.of_clock(ctx, payload["account"])
    discounting.deactivate(call, PromotionCode.objects.get(pk=payload["promotion_code"]))
