"""How do prices behave?"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from worlds.stripe.api import changing, errors, listing, wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.operations import find, loads, operation
from worlds.stripe.models import Price, Product

_RECURRING = {"interval_count": 1, "usage_type": "licensed", "meter": None, "trial_period_days": None}
_CHANGEABLE = ("active", "metadata", "nickname", "tax_behavior")

loads(Price)


@wire.shaped("price")
def _shape(price: Price) -> dict[str, Any]:
    # Tiers and options by currency are shown only when they are asked for.
    return {"tiers": None, "currency_options": None}


@operation("PostPrices")
def create(call: Call) -> Price:
    product = _product(call)
    price = make(call, product, call.params)
    return price


def _product(call: Call) -> Product:
    params = call.params
    if "product_data" in params:
        if "product" in params:
            raise StripeError(
                "You may only specify one of these parameters: product, product_data.", code="parameters_exclusive"
            )
        data = params["product_data"]
        product = call.make(Product, "prod_", updated=call.now, **data)
        call.emit("product.created", product)
        return product
    if "product" not in params:
        raise errors.missing_parameter("product")
    return find(call, Product, params["product"], noun="product", param="product", in_path=False)


def make(call: Call, product: Product, params: dict[str, Any], *, id: str | None = None) -> Price:
    """A new price of a product; only one that is made as a plan may have an id that was chosen for it."""
    amounts = _amounts(params)
    recurring = params.get("recurring")
    if recurring is not None and recurring.get("usage_type") == "metered" and "meter" not in recurring:
        raise StripeError("Metered prices must be backed by a meter: pass recurring[meter].", param="recurring[meter]")
    lookup_key = params.get("lookup_key")
    if lookup_key is not None:
        _take_lookup_key(call, lookup_key, transfer=params.get("transfer_lookup_key", False))
    price = call.make(
        Price,
        "price_",
        **({} if id is None else {"id": id}),
        product=product,
        currency=params["currency"],
        active=params.get("active", True),
        metadata=changing.metadata(None, params.get("metadata")),
        nickname=params.get("nickname"),
        lookup_key=lookup_key,
        recurring=None if recurring is None else {**_RECURRING, **recurring},
        type="one_time" if recurring is None else "recurring",
        tax_behavior=params.get("tax_behavior", "unspecified"),
        transform_quantity=params.get("transform_quantity"),
        currency_options=params.get("currency_options", {}),
        **amounts,
    )
    call.emit("price.created", price)
    return price


def _amounts(params: dict[str, Any]) -> dict[str, Any]:
    """What the price is: an amount, tiers, or what the customer chooses."""
    if "unit_amount" in params and "unit_amount_decimal" in params:
        raise StripeError(
            "You may only specify one of these parameters: unit_amount, unit_amount_decimal.",
            code="parameters_exclusive",
            param="unit_amount",
        )
    if params.get("billing_scheme") == "tiered":
        return _tiers(params)
    if (custom := params.get("custom_unit_amount")) is not None:
        bounds = {name: custom.get(name) for name in ("maximum", "minimum", "preset")}
        return {"billing_scheme": "per_unit", "custom_unit_amount": bounds}
    if "unit_amount_decimal" in params:
        exact = Decimal(params["unit_amount_decimal"])
        whole = int(exact) if exact == exact.to_integral_value() else None
        return {
            "billing_scheme": "per_unit",
            "unit_amount": whole,
            "unit_amount_decimal": params["unit_amount_decimal"],
        }
    if "unit_amount" not in params:
        raise StripeError(
            "Prices require an `unit_amount` or `unit_amount_decimal` parameter to be set.",
            code="parameter_missing",
            param="unit_amount",
        )
    amount = params["unit_amount"]
    if amount < 0:
        raise errors.invalid("non-negative integer", amount, "unit_amount")
    return {"billing_scheme": "per_unit", "unit_amount": amount, "unit_amount_decimal": str(amount)}


def _tiers(params: dict[str, Any]) -> dict[str, Any]:
    if "recurring" not in params:
        raise StripeError("One-time prices cannot be tiered.", param="billing_scheme")
    tiers, mode = params.get("tiers"), params.get("tiers_mode")
    if not tiers:
        raise errors.missing_parameter("tiers")
    if mode is None:
        raise errors.missing_parameter("tiers_mode")
    if tiers[-1]["up_to"] != "inf":
        raise StripeError("The last tier must have up_to set to inf.", param="tiers")
    shown = [
        {
            "flat_amount": tier.get("flat_amount"),
            "flat_amount_decimal": _decimal(tier, "flat_amount"),
            "unit_amount": tier.get("unit_amount"),
            "unit_amount_decimal": _decimal(tier, "unit_amount"),
            "up_to": None if tier["up_to"] == "inf" else int(tier["up_to"]),
        }
        for tier in tiers
    ]
    return {"billing_scheme": "tiered", "tiers": shown, "tiers_mode": mode}


def _decimal(tier: dict[str, Any], name: str) -> str | None:
    amount = tier.get(f"{name}_decimal", tier.get(name))
    return None if amount is None else str(amount)


def _take_lookup_key(call: Call, key: str, *, transfer: bool, holder: Price | None = None) -> None:
    """Make a lookup key free: it belongs to one price of the account."""
    taken = call.rows(Price).filter(lookup_key=key).exclude(pk=holder.pk if holder else "").first()
    if taken is None:
        return
    if not transfer:
        raise StripeError(
            f"A price (`{taken.id}`) already uses that lookup key.", code="resource_already_exists", param="lookup_key"
        )
    previous = changing.change(taken, {"lookup_key": None})
    call.emit("price.updated", taken, previous)


@operation("GetPricesPrice")
def retrieve(call: Call) -> Price:
    return find(call, Price, call.path["price"], noun="price", param="price")


@operation("PostPricesPrice")
def update(call: Call) -> Price:
    price = find(call, Price, call.path["price"], noun="price", param="price")
    params = call.params
    values = changing.values(params, _CHANGEABLE, price)
    if params.get("tax_behavior") and price.tax_behavior not in ("unspecified", params["tax_behavior"]):
        raise StripeError("You cannot change `tax_behavior` once it has been set.", param="tax_behavior")
    if "lookup_key" in params:
        _take_lookup_key(call, params["lookup_key"], transfer=params.get("transfer_lookup_key", False), holder=price)
        values["lookup_key"] = params["lookup_key"]
    if "currency_options" in params:
        values["currency_options"] = params["currency_options"] or {}
    previous = changing.change(price, values)
    if previous:
        call.emit("price.updated", price, previous)
    return price


@operation("GetPrices")
def list_all(call: Call) -> dict[str, Any]:
    rows = call.rows(Price).filter(listing.equal(call, "active", "created", "currency", "product", "type"))
    rows = rows.filter(deleted=False)
    if "lookup_keys" in call.params:
        rows = rows.filter(lookup_key__in=call.params["lookup_keys"])
    for name, value in call.params.get("recurring", {}).items():
        rows = rows.filter(**{f"recurring__{name}": value})
    return listing.page(call, rows, noun="price")
