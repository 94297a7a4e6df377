"""How do coupons behave?"""

from __future__ import annotations

from typing import Any

from worlds.stripe import discounting
from worlds.stripe.api import changing, wire
from worlds.stripe.api.call import Call, utc
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.expanding import PARTS
from worlds.stripe.api.operations import find, lists, loads, operation
from worlds.stripe.models import Coupon

NOUN = "coupon"

loads(Coupon)
lists("GetCoupons", Coupon, "created", noun=NOUN)


@wire.shaped("coupon")
def _shape(coupon: Coupon) -> dict[str, Any]:
    # The products and the other currencies are shown only when they are asked for.
    return {"applies_to": None, "currency_options": None, "percent_off": plain_number(coupon.percent_off)}


def plain_number(value: float | None) -> float | int | None:
    """25, not 25.0."""
    return int(value) if value is not None and value.is_integer() else value


def _applies_to(call: Call, shown: dict[str, Any]) -> Any:
    return Coupon.objects.get(pk=shown["id"]).applies_to


def _currency_options(call: Call, shown: dict[str, Any]) -> Any:
    coupon = Coupon.objects.get(pk=shown["id"])
    own = {coupon.currency: {"amount_off": coupon.amount_off}} if coupon.currency else {}
    return {**own, **coupon.currency_options} or None


PARTS["coupon", "applies_to"] = _applies_to
PARTS["coupon", "currency_options"] = _currency_options


@operation("PostCoupons")
def create(call: Call) -> Coupon:
    params = call.params
    values = {**_amount(params), **_duration(params), **_limits(call)}
    if (given := params.get("id")) is not None and Coupon.objects.filter(pk=given).exists():
        raise StripeError("Coupon already exists.", code="resource_already_exists", param="id")
    coupon = call.make(
        Coupon, "", id=given or call.token(8), name=params.get("name"), applies_to=params.get("applies_to"),
        currency_options=params.get("currency_options", {}),
        metadata=changing.metadata(None, params.get("metadata")), **values,
    )  # fmt: skip
    if coupon.redeem_by is not None:
        call.ctx.schedule(coupon.redeem_by, "coupon_expires", {"account": call.account, "coupon": coupon.id})
    call.emit("coupon.created", coupon)
    return coupon


def _amount(params: dict[str, Any]) -> dict[str, Any]:
    """What it takes off: a part or an amount, and one of them."""
    percent, amount = params.get("percent_off"), params.get("amount_off")
    if percent is not None and amount is not None:
        raise StripeError(
            "You may only specify one of these parameters: percent_off, amount_off.",
            code="parameters_exclusive",
            param="percent_off",
        )
    if percent is not None:
        if not 0 < percent <= 100:
            raise StripeError("Invalid percent_off: must be greater than 0 and at most 100", param="percent_off")
        return {"percent_off": float(percent)}
    if amount is None:
        raise StripeError(
            "You must pass either percent_off or amount_off.", code="parameter_missing", param="percent_off"
        )
    if amount <= 0:
        raise StripeError("Invalid positive integer", code="parameter_invalid_integer", param="amount_off")
    if "currency" not in params:
        raise StripeError("You must pass currency when passing amount_off", code="parameter_missing", param="currency")
    return {"amount_off": amount, "currency": params["currency"]}


def _duration(params: dict[str, Any]) -> dict[str, Any]:
    duration, months = params.get("duration", "once"), params.get("duration_in_months")
    if duration == "repeating" and months is None:
        raise StripeError(
            "You must pass duration_in_months when passing duration=repeating.",
            code="parameter_missing",
            param="duration_in_months",
        )
    if duration != "repeating" and months is not None:
        raise StripeError(
            "You can only pass duration_in_months when passing duration=repeating.", param="duration_in_months"
        )
    if months is not None and months < 1:
        raise StripeError("Invalid positive integer", code="parameter_invalid_integer", param="duration_in_months")
    return {"duration": duration, "duration_in_months": months}


def _limits(call: Call) -> dict[str, Any]:
    most, until = call.params.get("max_redemptions"), call.params.get("redeem_by")
    if most is not None and most < 1:
        raise StripeError("Invalid positive integer", code="parameter_invalid_integer", param="max_redemptions")
    if until is not None and until <= call.now_s:
        raise StripeError("The redeem_by date must be in the future.", param="redeem_by")
    return {"max_redemptions": most, "redeem_by": None if until is None else utc(until)}


@operation("GetCouponsCoupon")
def retrieve(call: Call) -> Coupon:
    return find(call, Coupon, call.path["coupon"], noun=NOUN, param="coupon")


@operation("PostCouponsCoupon")
def update(call: Call) -> Coupon:
    """Change the name, the metadata and the other currencies; nothing that its holders count on."""
    coupon = find(call, Coupon, call.path["coupon"], noun=NOUN, param="coupon")
    values = changing.values(call.params, ("metadata", "name"), coupon)
    if "currency_options" in call.params:
        if coupon.amount_off is None:
            raise StripeError(
                "You can only pass currency_options for coupons with an amount_off.", param="currency_options"
            )
        values["currency_options"] = {**coupon.currency_options, **call.params["currency_options"]}
    previous = changing.change(coupon, values)
    if previous:
        call.emit("coupon.updated", coupon, previous)
    return coupon


@operation("DeleteCouponsCoupon")
def delete(call: Call) -> Coupon:
    """Delete a coupon: nobody gets it any more, whoever has it keeps it."""
    coupon = find(call, Coupon, call.path["coupon"], noun=NOUN, param="coupon")
    discounting.end_validity(call, coupon)
    call.emit("coupon.deleted", coupon)
    coupon.deleted = True
    coupon.save(update_fields=["deleted"])
    return coupon
