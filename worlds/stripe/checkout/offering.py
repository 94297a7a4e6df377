"""What do sessions and links show alike of what a shopper is offered?"""

from __future__ import annotations

from typing import Any

from worlds.stripe import discounting, facts
from worlds.stripe.api import errors
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.models import CheckoutSession, Coupon, Customer, PromotionCode

_TEXTS = ("after_submit", "shipping_address", "submit", "terms_of_service_acceptance")
_LENGTHS = ("maximum_length", "minimum_length")
_MOST_FIELDS = 3


def common(params: dict[str, Any]) -> dict[str, Any]:
    """Nested objects with every key they are shown with."""
    tax = params.get("automatic_tax") or {}
    on = bool(tax.get("enabled", False))
    liability = tax.get("liability") or ({"type": "self"} if on else None)
    texts = params.get("custom_text") or {}
    return {
        "automatic_tax": {
            "enabled": on, "liability": liability, "provider": "stripe" if on else None,
            "status": "requires_location_inputs" if on else None,
        },
        "custom_fields": fields(params.get("custom_fields") or []),
        "custom_text": {name: texts.get(name) or None for name in _TEXTS},
        "phone_number_collection": {"enabled": (params.get("phone_number_collection") or {}).get("enabled", False)},
    }  # fmt: skip


def fields(given: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The shop's own questions, as they are shown: without answers as yet.

    Raises: StripeError for too many, or two of one key.
    """
    if len(given) > _MOST_FIELDS:
        raise StripeError(f"You can pass at most {_MOST_FIELDS} custom fields.", param="custom_fields")
    keys = [field["key"] for field in given]
    if len(set(keys)) < len(keys):
        raise StripeError("The keys of custom fields must be unique.", param="custom_fields")
    found = []
    for index, field in enumerate(given):
        type = field["type"]
        told = field.get(type)
        if type == "dropdown" and told is None:
            raise errors.missing_parameter(f"custom_fields[{index}][dropdown]")
        parts = ("options",) if type == "dropdown" else _LENGTHS
        own = {"default_value": (told or {}).get("default_value"), "value": None}
        found.append(
            {
                "key": field["key"], "label": field["label"], "optional": field.get("optional", False), "type": type,
                type: {**own, **{name: (told or {}).get(name) for name in parts}},
            }
        )  # fmt: skip
    return found


def types(params: dict[str, Any]) -> list[str] | None:
    """The types of payment methods that are taken.

    Raises: StripeError for one that is none.
    """
    given = params.get("payment_method_types") or None
    known = facts.objects()["checkout_session_payment_method_options"].fields
    for index, type in enumerate(given or []):
        if type not in known and type not in ("alma", "card", "zip"):
            raise StripeError(
                f"The payment method type provided: {type} is invalid.", param=f"payment_method_types[{index}]"
            )
    excluded = params.get("excluded_payment_method_types") or []
    return list(given) if given else [type for type in ("card",) if type not in excluded]


def take_off(call: Call, session: CheckoutSession, given: list[dict[str, Any]]) -> None:
    """Take off what a coupon or a code says, which the shop has chosen.

    Raises: StripeError for several, and for one that cannot be redeemed.
    """
    if len(given) > 1:
        raise StripeError("You can only apply one discount to a Checkout Session.", param="discounts")
    for each in given:
        if "promotion_code" in each:
            within = "discounts[0][promotion_code]"
            code = discounting.promotion_code_of(call, each["promotion_code"], param=within)
            use(call, session, code.coupon, code, param=within)
        elif "coupon" in each:
            within = "discounts[0][coupon]"
            use(call, session, discounting.coupon_of(call, each["coupon"], param=within), None, param=within)
        else:
            raise errors.missing_parameter("discounts[0][coupon]")


def use(call: Call, session: CheckoutSession, coupon: Coupon | None, code: PromotionCode | None, *, param: str) -> None:
    """Have a coupon count, if it may.

    Raises: StripeError.
    """
    assert coupon is not None
    buyer: Customer | None = session.customer
    if code is not None:
        discounting.require_allowed(
            call, code, buyer, amount=session.amount_subtotal, currency=session.currency, param=param
        )
    discounting.require_redeemable(call, coupon, param=param)
    options = (coupon.currency, *coupon.currency_options)
    if coupon.amount_off is not None and session.currency not in options:
        raise StripeError(
            f"The coupon {coupon.id} is in `{coupon.currency}`. This doesn't match the currency of the session: "
            f"`{session.currency}`.",
            param=param,
        )
    session.x_coupon, session.x_promotion_code = coupon, code


def enter_code(call: Call, session: CheckoutSession, text: str) -> None:
    """Take a code that the shopper has entered.

    Raises: StripeError where codes are not taken, and for one that is none.
    """
    if not session.allow_promotion_codes:
        raise StripeError("Promotion codes are not taken here.", param="promotion_code")
    rows = call.rows(PromotionCode).select_related("coupon").filter(code__iexact=text.strip(), active=True)
    buyer = session.customer_id
    code = next((row for row in rows.order_by("-x_seq") if row.customer_id in (None, buyer)), None)
    if code is None:
        raise StripeError("This code is invalid.", code="resource_missing", param="promotion_code")
    use(call, session, code.coupon, code, param="promotion_code")
