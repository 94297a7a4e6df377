"""How do shipping rates behave?"""

from __future__ import annotations

from typing import Any

from worlds.stripe.api import changing, errors, listing
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.operations import find, loads, operation
from worlds.stripe.models import ShippingRate

NOUN = "shipping rate"
_BOUNDS = ("maximum", "minimum")

loads(ShippingRate)


@operation("PostShippingRates")
def create(call: Call) -> ShippingRate:
    """Make a shipping rate; nothing is told of it."""
    return make(call, call.params)


def make(call: Call, params: dict[str, Any], *, within: str = "") -> ShippingRate:
    """A new shipping rate, from its own parameters or from `shipping_rate_data`, which is then `within`."""
    amount = params.get("fixed_amount")
    if amount is None:
        raise errors.missing_parameter(f"{within}[fixed_amount]" if within else "fixed_amount")
    if amount["amount"] < 0:
        raise StripeError(
            "Invalid non-negative integer", code="parameter_invalid_integer", param="fixed_amount[amount]"
        )
    estimate = params.get("delivery_estimate")
    return call.make(
        ShippingRate, "shr_", display_name=params["display_name"], fixed_amount=_priced(amount),
        delivery_estimate=None if estimate is None else {name: estimate.get(name) for name in _BOUNDS},
        metadata=changing.metadata(None, params.get("metadata")), tax_code=params.get("tax_code"),
        tax_behavior=params.get("tax_behavior", "unspecified"), x_currency=amount["currency"],
    )  # fmt: skip


def _priced(amount: dict[str, Any], before: dict[str, Any] | None = None) -> dict[str, Any]:
    """An amount, with every other currency's as a whole."""
    options = {
        currency: {"tax_behavior": "unspecified", **((before or {}).get(currency) or {}), **option}
        for currency, option in amount.get("currency_options", {}).items()
    }
    plain = {name: value for name, value in amount.items() if name != "currency_options"}
    return {**plain, "currency_options": {**(before or {}), **options}} if options or before else plain


@operation("GetShippingRatesShippingRateToken")
def retrieve(call: Call) -> ShippingRate:
    return find(call, ShippingRate, call.path["shipping_rate_token"], noun=NOUN, param="shipping_rate_token")


@operation("PostShippingRatesShippingRateToken")
def update(call: Call) -> ShippingRate:
    rate = find(call, ShippingRate, call.path["shipping_rate_token"], noun=NOUN, param="shipping_rate_token")
    values = changing.values(call.params, ("active", "metadata", "tax_behavior"), rate)
    if rate.tax_behavior not in ("unspecified", values.get("tax_behavior", rate.tax_behavior)):
        raise StripeError("You cannot change `tax_behavior` once it has been set.", param="tax_behavior")
    if "fixed_amount" in call.params:
        given = {**rate.fixed_amount, **call.params["fixed_amount"]}
        values["fixed_amount"] = _priced(given, rate.fixed_amount.get("currency_options"))
    changing.change(rate, values)
    return rate


@operation("GetShippingRates")
def list_all(call: Call) -> dict[str, Any]:
    rows = call.rows(ShippingRate).filter(listing.equal(call, "active", "created"))
    if "currency" in call.params:
        rows = rows.filter(x_currency=call.params["currency"])
    return listing.page(call, rows, noun=NOUN)
