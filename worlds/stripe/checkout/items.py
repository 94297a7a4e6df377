"""What is bought: which prices, how many of each, and in which currency?"""

from __future__ import annotations

from typing import Any

from worlds.stripe.api import changing, errors
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.operations import find
from worlds.stripe.models import CheckoutItem, Price, Product, TaxRate
from worlds.stripe.resources import prices

_MOST = 100
_ADJUSTABLE_MOST = 99


def sell(
    call: Call, given: list[dict[str, Any]], *, mode: str | None, currency: str | None, **owner: Any
) -> list[CheckoutItem]:
    """Rows for what the parameters `line_items` say; `owner` is whose they are.

    Raises: StripeError for a price that is not sold, or not so.
    """
    if len(given) > _MOST:
        raise StripeError(f"You can pass at most {_MOST} line items.", param="line_items")
    made: list[CheckoutItem] = []
    for index, line in enumerate(given):
        within = f"line_items[{index}]"
        price = price_of(call, line, within)
        currency = currency or price.currency
        require_currency(price, currency, within)
        require_mode(price, mode)
        made.append(
            call.make(
                CheckoutItem,
                "li_",
                price=price,
                currency=currency,
                quantity=_quantity(price, line, within),
                description=price.product.name if price.product else None,
                adjustable_quantity=adjustable(line.get("adjustable_quantity")),
                metadata=changing.metadata(None, line.get("metadata")),
                x_tax_rates=_rates(call, line, within),
                **owner,
            )  # fmt: skip
        )
    if mode == "subscription" and not any(item.price and item.price.recurring for item in made):
        raise StripeError(
            "You must provide at least one recurring price in `subscription` mode when using prices.",
            param="line_items",
        )
    return made


def price_of(call: Call, line: dict[str, Any], within: str) -> Price:
    """The price a line names, or one made for it; what is made so is not offered to anybody else."""
    if "price" in line and "price_data" in line:
        raise StripeError(
            "You may only specify one of these parameters: price, price_data.",
            code="parameters_exclusive",
            param=f"{within}[price]",
        )
    if "price" in line:
        price = find(call, Price, line["price"], noun="price", param=f"{within}[price]", in_path=False)
        if not price.active:
            raise StripeError(
                "The price specified is inactive. This field only accepts active prices.", param=f"{within}[price]"
            )
        return price
    if "price_data" not in line:
        raise errors.missing_parameter(f"{within}[price]")
    return _made_for(call, line["price_data"], f"{within}[price_data]")


def _made_for(call: Call, data: dict[str, Any], within: str) -> Price:
    if "product" in data:
        product = find(call, Product, data["product"], noun="product", param=f"{within}[product]", in_path=False)
    elif "product_data" in data:
        told = {**data["product_data"], "metadata": data["product_data"].get("metadata", {})}
        product = call.make(Product, "prod_", updated=call.now, active=False, **told)
    else:
        raise errors.missing_parameter(f"{within}[product]")
    if "unit_amount" not in data and "unit_amount_decimal" not in data:
        raise errors.missing_parameter(f"{within}[unit_amount]")
    wanted = {name: value for name, value in data.items() if name not in ("product", "product_data")}
    return prices.make(call, product, {**wanted, "active": False})


def require_currency(price: Price, currency: str, within: str) -> None:
    """Refuse a price that is not sold in a currency.

    Raises: StripeError.
    """
    if currency not in (price.currency, *price.currency_options):
        raise StripeError(
            f"The price specified only supports `{price.currency}`. This doesn't match the expected currency: "
            f"`{currency}`.",
            param=f"{within}[price]",
        )


def require_mode(price: Price, mode: str | None) -> None:
    """Refuse what is paid again and again where one pays once.

    Raises: StripeError.
    """
    if mode == "payment" and price.recurring:
        raise StripeError(
            "You specified `payment` mode but passed a recurring price. Either switch to `subscription` mode or use "
            "only one-time prices.",
            param="line_items",
        )


def _quantity(price: Price, line: dict[str, Any], within: str) -> int | None:
    if (price.recurring or {}).get("usage_type") == "metered":
        return None
    if price.custom_unit_amount is not None:
        return int(line.get("quantity", 1))
    if "quantity" not in line:
        raise StripeError(f"Quantity is required. Add `quantity` to `{within}`", param=f"{within}[quantity]")
    require_quantity(line["quantity"], adjustable(line.get("adjustable_quantity")), f"{within}[quantity]")
    return int(line["quantity"])


def require_quantity(quantity: int, bounds: dict[str, Any] | None, param: str) -> None:
    """Refuse a quantity out of its bounds: one at least, where nothing else is said.

    Raises: StripeError.
    """
    least, most = (bounds or {}).get("minimum", 1), (bounds or {}).get("maximum")
    if quantity < least or (most is not None and quantity > most):
        upper = "" if most is None else f" and at most {most}"
        raise StripeError(f"Quantity must be at least {least}{upper}.", code="parameter_invalid_integer", param=param)


def adjustable(given: dict[str, Any] | None) -> dict[str, Any] | None:
    """Between what the shopper may choose a quantity; None where they may not."""
    if not given or not given["enabled"]:
        return None
    return {"enabled": True, "maximum": given.get("maximum", _ADJUSTABLE_MOST), "minimum": given.get("minimum", 0)}


def _rates(call: Call, line: dict[str, Any], within: str) -> list[str]:
    ids = line.get("tax_rates") or []
    for index, id in enumerate(ids):
        find(call, TaxRate, id, noun="tax rate", param=f"{within}[tax_rates][{index}]", in_path=False)
    return list(ids)
