"""Who may have a coupon, for how long, and what does having it change?"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from worlds.stripe.api import changing, errors, wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.calendar import months_after
from worlds.stripe.models import Charge, Coupon, Customer, Discount, PromotionCode

_FIRST_ONLY = "This promotion code cannot be redeemed because the associated customer has prior transactions."


def coupon_of(call: Call, id: str, *, param: str = "coupon") -> Coupon:
    """The coupon a parameter names, whether or not it can still be redeemed.

    Raises: StripeError for one that is not there.
    """
    row = call.rows(Coupon).filter(pk=id, deleted=False).first()
    if row is None:
        raise errors.no_such("coupon", id, param=param, in_path=False)
    return row


def promotion_code_of(call: Call, id: str, *, param: str = "promotion_code") -> PromotionCode:
    """The promotion code a parameter names by its id.

    Raises: StripeError for one that is not there.
    """
    row = call.rows(PromotionCode).select_related("coupon").filter(pk=id).first()
    if row is None:
        raise errors.no_such("promotion code", id, param=param, in_path=False)
    return row


def require_redeemable(call: Call, coupon: Coupon, *, param: str = "coupon") -> None:
    """Refuse a coupon whose time is over, or that was redeemed as often as it may be.

    Raises: StripeError.
    """
    if coupon.redeem_by is not None and coupon.redeem_by <= call.now:
        raise StripeError(f"Coupon expired: {coupon.id}", code="coupon_expired", param=param)
    if coupon.max_redemptions is not None and coupon.times_redeemed >= coupon.max_redemptions:
        raise StripeError(f"Coupon {coupon.id} is used up and cannot be applied.", code="coupon_expired", param=param)


def require_allowed(
    call: Call,
    code: PromotionCode,
    customer: Customer | None,
    *,
    amount: int | None = None,
    currency: str | None = None,
    param: str = "promotion_code",
) -> None:
    """Refuse a promotion code that is not for this customer, not for this amount, or not for anybody any more.

    `amount` is what is bought for, where that is known.
    Raises: StripeError.
    """
    if not code.active:
        raise StripeError("This promotion code is inactive.", code="coupon_expired", param=param)
    if code.customer_id is not None and (customer is None or customer.id != code.customer_id):
        raise StripeError("This promotion code cannot be redeemed by this customer.", param=param)
    if code.restrictions.get("first_time_transaction") and customer is not None and _has_paid(call, customer):
        raise StripeError(_FIRST_ONLY, param=param)
    least = _least(code, currency)
    if amount is not None and least is not None and amount < least:
        raise StripeError(
            "This promotion code cannot be redeemed because the amount does not meet its minimum.", param=param
        )


def _has_paid(call: Call, customer: Customer) -> bool:
    return call.rows(Charge).filter(customer=customer, status="succeeded").exists()


def _least(code: PromotionCode, currency: str | None) -> int | None:
    limits = code.restrictions
    if currency is None or limits.get("minimum_amount_currency") in (None, currency):
        return limits.get("minimum_amount")
    option = (limits.get("currency_options") or {}).get(currency)
    return None if option is None else option["minimum_amount"]


def redeem(
    call: Call, coupon: Coupon, code: PromotionCode | None = None, *, customer: Customer | None = None, **about: Any
) -> Discount:
    """Give a coupon once more; `about` says what the discount is for: `subscription`, `invoice` and their kin.

    Raises: StripeError for a coupon that cannot be redeemed.
    """
    require_redeemable(call, coupon, param="promotion_code" if code else "coupon")
    coupon.times_redeemed += 1
    coupon.save(update_fields=["times_redeemed"])
    if code is not None:
        code.times_redeemed += 1
        code.save(update_fields=["times_redeemed"])
        if code.max_redemptions is not None and code.times_redeemed >= code.max_redemptions:
            deactivate(call, code)
    if coupon.max_redemptions is not None and coupon.times_redeemed >= coupon.max_redemptions:
        end_validity(call, coupon)
    return call.make(
        Discount, "di_", by="1", coupon=coupon, promotion_code=code, customer=customer, start=call.now,
        end=end_of(coupon, call.now), **about,
    )  # fmt: skip


def end_of(coupon: Coupon, start: datetime) -> datetime | None:
    """When a discount that starts now is over; None for one that lasts, or is used up by being used once."""
    return months_after(start, coupon.duration_in_months or 0) if coupon.duration == "repeating" else None


def end_validity(call: Call, coupon: Coupon) -> None:
    """A coupon can be redeemed no more, and so its codes neither; discounts that were given stay."""
    if coupon.valid:
        coupon.valid = False
        coupon.save(update_fields=["valid"])
    for code in call.rows(PromotionCode).filter(coupon=coupon, active=True).order_by("x_seq"):
        deactivate(call, code)


def deactivate(call: Call, code: PromotionCode) -> None:
    """A promotion code can be entered no more."""
    previous = changing.change(code, {"active": False})
    if previous:
        call.emit("promotion_code.updated", code, previous)


# A customer's own discount.


def give(call: Call, customer: Customer, coupon: Coupon, code: PromotionCode | None = None) -> Discount:
    """Let a customer have a coupon on everything that is invoiced; it takes the place of one they had.

    Raises: StripeError for a coupon or code that cannot be redeemed.
    """
    if code is not None:
        require_allowed(call, code, customer)
    before = customer.discount
    discount = redeem(call, coupon, code, customer=customer)
    customer.discount = discount
    customer.save(update_fields=["discount"])
    if before is None:
        call.emit("customer.discount.created", discount)
    else:
        previous = changing.differences(wire.of(before), wire.of(discount))
        call.emit("customer.discount.updated", discount, previous)
    if discount.end is not None:
        payload = {"account": call.account, "discount": discount.id}
        call.ctx.schedule(discount.end, "customer_discount_ends", payload)
    return discount


def take(call: Call, customer: Customer) -> Discount:
    """Take a customer's discount away.

    Raises: StripeError for a customer without one.
    """
    discount = customer.discount
    if discount is None:
        raise StripeError(f"No active discount for customer: {customer.id}", status=404, code="resource_missing")
    customer.discount = None
    customer.save(update_fields=["discount"])
    call.emit("customer.discount.deleted", discount)
    discount.deleted = True
    discount.save(update_fields=["deleted"])
    return discount
