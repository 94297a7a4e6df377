"""How do promotion codes behave?"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

from django.db.models import Q

from worlds.stripe import discounting
from worlds.stripe.api import changing, errors, listing, wire
from worlds.stripe.api.call import Call, utc
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.operations import find, loads, operation
from worlds.stripe.models import Customer, PromotionCode

NOUN = "promotion code"
_CODE = re.compile(r"[A-Za-z0-9_-]+")
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_LONGEST = timedelta(days=5 * 365 + 2)

loads(PromotionCode)


@wire.shaped("promotion_code")
def _shape(code: PromotionCode) -> dict[str, Any]:
    limits = {"first_time_transaction": False, "minimum_amount": None, "minimum_amount_currency": None}
    return {
        "promotion": {"coupon": code.coupon_id, "type": "coupon"},
        "restrictions": {**limits, **code.restrictions},
    }


@operation("PostPromotionCodes")
def create(call: Call) -> PromotionCode:
    params = call.params
    if "coupon" not in params["promotion"]:
        raise errors.missing_parameter("promotion[coupon]")
    coupon = discounting.coupon_of(call, params["promotion"]["coupon"], param="promotion[coupon]")
    owner = params.get("customer")
    customer = None if owner is None else find(call, Customer, owner, noun="customer", param="customer", in_path=False)
    if not coupon.valid:
        raise StripeError(
            f"Coupon {coupon.id} is no longer valid, so no promotion code can be made for it.",
            code="coupon_expired",
            param="promotion[coupon]",
        )
    active = params.get("active", True)
    row = call.make(
        PromotionCode, "promo_", coupon=coupon, customer=customer, active=active,
        code=_code(call, customer, active=active), metadata=changing.metadata(None, params.get("metadata")),
        restrictions=_restrictions(params.get("restrictions", {})), **_limits(call, coupon),
    )  # fmt: skip
    if row.expires_at is not None:
        payload = {"account": call.account, "promotion_code": row.id}
        call.ctx.schedule(row.expires_at, "promotion_code_expires", payload)
    call.emit("promotion_code.created", row)
    return row


def _code(call: Call, customer: Customer | None, *, active: bool) -> str:
    """What customers enter; made up where none was given."""
    given: str | None = call.params.get("code")
    if given is None:
        return call.ctx.ids.token(8, _LETTERS)
    if not _CODE.fullmatch(given):
        raise StripeError(
            "Promotion codes can only contain letters (a-z, A-Z), digits (0-9), dashes (-) and underscores (_).",
            param="code",
        )
    if active:
        _require_free(call, given, customer)
    return given


def _require_free(call: Call, code: str, customer: Customer | None, *, but: str = "") -> None:
    """Refuse a code that somebody could enter already and mean another promotion by it."""
    taken = call.rows(PromotionCode).filter(active=True, code__iexact=code).exclude(pk=but)
    if customer is not None:
        taken = taken.filter(Q(customer=customer) | Q(customer__isnull=True))
    if taken.exists():
        raise StripeError(f"An active promotion code with `code: {code}` already exists.")


def _limits(call: Call, coupon: Any) -> dict[str, Any]:
    most, until = call.params.get("max_redemptions"), call.params.get("expires_at")
    if most is not None and most < 1:
        raise StripeError("Invalid positive integer", code="parameter_invalid_integer", param="max_redemptions")
    if most is not None and coupon.max_redemptions is not None and most > coupon.max_redemptions:
        raise StripeError(
            "A promotion code cannot be redeemed more often than its coupon's max_redemptions.",
            param="max_redemptions",
        )
    if until is not None:
        if until <= call.now_s:
            raise StripeError("The expires_at date must be in the future.", param="expires_at")
        if utc(until) > call.now + _LONGEST:
            raise StripeError("The expires_at date must be within 5 years from now.", param="expires_at")
        if coupon.redeem_by is not None and utc(until) > coupon.redeem_by:
            raise StripeError("A promotion code cannot expire after its coupon's redeem_by date.", param="expires_at")
    return {"max_redemptions": most, "expires_at": None if until is None else utc(until)}


def _restrictions(given: dict[str, Any]) -> dict[str, Any]:
    if ("minimum_amount" in given) != ("minimum_amount_currency" in given):
        missing = "minimum_amount_currency" if "minimum_amount" in given else "minimum_amount"
        raise errors.missing_parameter(f"restrictions[{missing}]")
    return given


@operation("GetPromotionCodesPromotionCode")
def retrieve(call: Call) -> PromotionCode:
    return find(call, PromotionCode, call.path["promotion_code"], noun=NOUN, param="promotion_code")


@operation("PostPromotionCodesPromotionCode")
def update(call: Call) -> PromotionCode:
    row = find(call, PromotionCode, call.path["promotion_code"], noun=NOUN, param="promotion_code")
    values = changing.values(call.params, ("active", "metadata"), row)
    if "restrictions" in call.params:
        values["restrictions"] = changing.merged(row.restrictions, call.params["restrictions"])
    if values.get("active") and not row.active:
        _require_usable(call, row)
    previous = changing.change(row, values)
    if previous:
        call.emit("promotion_code.updated", row, previous)
    return row


def _require_usable(call: Call, row: PromotionCode) -> None:
    """Refuse to make a code active again that could not be redeemed, or that another has meanwhile."""
    is_over = row.expires_at is not None and row.expires_at <= call.now
    is_used_up = row.max_redemptions is not None and row.times_redeemed >= row.max_redemptions
    if is_over or is_used_up or not row.coupon.valid:
        raise StripeError(
            "This promotion code cannot be activated: it has expired, was redeemed as often as it may be, or its "
            "coupon is no longer valid.",
            param="active",
        )
    _require_free(call, row.code, row.customer, but=row.id)


@operation("GetPromotionCodes")
def list_all(call: Call) -> dict[str, Any]:
    rows = call.rows(PromotionCode).filter(listing.equal(call, "active", "created"))
    if "code" in call.params:
        rows = rows.filter(code__iexact=call.params["code"])
    if "coupon" in call.params:
        rows = rows.filter(coupon=discounting.coupon_of(call, call.params["coupon"]))
    if "customer" in call.params:
        owner = find(call, Customer, call.params["customer"], noun="customer", param="customer", in_path=False)
        rows = rows.filter(customer=owner)
    return listing.page(call, rows, noun=NOUN)
