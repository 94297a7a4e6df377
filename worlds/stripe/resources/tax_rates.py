"""How do tax rates behave?"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from worlds.stripe.api import changing, wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.operations import find, lists, loads, operation
from worlds.stripe.models import TaxRate
from worlds.stripe.resources.coupons import plain_number

NOUN = "tax rate"
_CHANGEABLE = (
    "active", "country", "description", "display_name", "jurisdiction", "metadata", "state", "tax_type",
)  # fmt: skip
_PLACES = 4

loads(TaxRate)
lists("GetTaxRates", TaxRate, "active", "created", "inclusive", noun=NOUN)


@wire.shaped("tax_rate")
def _shape(rate: TaxRate) -> dict[str, Any]:
    return {
        "percentage": plain_number(rate.percentage),
        "effective_percentage": plain_number(rate.effective_percentage),
    }


@operation("PostTaxRates")
def create(call: Call) -> TaxRate:
    percentage = call.params["percentage"]
    if not 0 <= percentage <= 100:
        raise StripeError("Invalid percentage: must be between 0 and 100", param="percentage")
    exponent = Decimal(str(percentage)).as_tuple().exponent
    if isinstance(exponent, int) and exponent < -_PLACES:
        raise StripeError(f"Invalid decimal: {percentage}; at most {_PLACES} decimal places", param="percentage")
    values = changing.values(call.params, (*_CHANGEABLE, "inclusive"))
    rate = call.make(
        TaxRate, "txr_", percentage=float(percentage), effective_percentage=None, **_checked(values)
    )  # fmt: skip
    call.emit("tax_rate.created", rate)
    return rate


def _checked(values: dict[str, Any]) -> dict[str, Any]:
    for name in ("country", "state"):
        value = values.get(name)
        if value and (len(value) != 2 or not value.isalnum()):
            raise StripeError(f"Invalid {name}: {value}; it is written with two letters", param=name)
    return values


@operation("GetTaxRatesTaxRate")
def retrieve(call: Call) -> TaxRate:
    return find(call, TaxRate, call.path["tax_rate"], noun=NOUN, param="tax_rate")


@operation("PostTaxRatesTaxRate")
def update(call: Call) -> TaxRate:
    """Change what a rate is called and whether it is used; what it charges stays."""
    rate = find(call, TaxRate, call.path["tax_rate"], noun=NOUN, param="tax_rate")
    previous = changing.change(rate, _checked(changing.values(call.params, _CHANGEABLE, rate)))
    if previous:
        call.emit("tax_rate.updated", rate, previous)
    return rate
