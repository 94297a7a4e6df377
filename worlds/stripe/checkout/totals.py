"""What is to be paid: prices, what is taken off, taxes, shipping?"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from worlds.stripe import currencies
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.models import CheckoutItem, CheckoutSession, Coupon, Price, ShippingRate, TaxRate


def items_of(session: CheckoutSession) -> list[CheckoutItem]:
    """What is bought, in its order."""
    rows = CheckoutItem.objects.filter(x_session=session).select_related("price__product")
    return list(rows.order_by("x_seq"))


def recount(session: CheckoutSession) -> None:
    """Reckon a session's lines and its totals anew; the session is saved by whoever asks."""
    if session.mode == "setup":
        return
    items = items_of(session)
    for item in items:
        item.amount_subtotal = 0 if _is_on_trial(session, item) else amount_of(item)
    for item, off in zip(items, _taken_off(session, items), strict=True):
        item.amount_discount = off
        _tax(item)
        item.save()
    shipping = shipping_amount(session)
    session.amount_subtotal = sum(item.amount_subtotal for item in items)
    session.amount_total = sum(item.amount_total for item in items) + (shipping or 0)
    session.total_details = {
        "amount_discount": sum(item.amount_discount for item in items),
        "amount_shipping": shipping or 0,
        "amount_tax": sum(item.amount_tax for item in items),
    }


def _is_on_trial(session: CheckoutSession, item: CheckoutItem) -> bool:
    assert item.price is not None
    told = session.x_subscription_data
    return bool(item.price.recurring and (told.get("trial_period_days") or told.get("trial_end")))


def amount_of(item: CheckoutItem) -> int:
    """What a line costs before anything is taken off; what is metered costs nothing yet."""
    price, quantity = item.price, item.quantity
    assert price is not None
    if quantity is None:
        return 0
    if price.custom_unit_amount is not None:
        chosen = item.x_chosen_amount
        return int(chosen if chosen is not None else price.custom_unit_amount.get("preset") or 0) * quantity
    if price.transform_quantity:
        whole, rest = divmod(quantity, price.transform_quantity["divide_by"])
        quantity = whole + (1 if rest and price.transform_quantity["round"] == "up" else 0)
    if price.tiers:
        return _whole(_tiered(price, quantity))
    return _whole(_unit(price, item.currency) * quantity)


def _unit(price: Price, currency: str) -> Decimal:
    found: dict[str, Any] = price.currency_options.get(currency) or {}
    if currency == price.currency or not found:
        return Decimal(price.unit_amount_decimal or price.unit_amount or 0)
    return Decimal(str(found.get("unit_amount_decimal", found.get("unit_amount", 0))))


def _tiered(price: Price, quantity: int) -> Decimal:
    """By the tier the quantity falls in, or tier upon tier."""
    total, below = Decimal(0), 0
    for tier in price.tiers or []:
        up_to = tier["up_to"]
        is_last = up_to is None or quantity <= up_to
        unit = Decimal(tier["unit_amount_decimal"] or 0)
        flat = Decimal(tier["flat_amount_decimal"] or 0)
        if price.tiers_mode == "volume":
            if is_last:
                return unit * quantity + flat
            continue
        total += unit * ((quantity if is_last else up_to) - below) + flat
        if is_last:
            break
        below = up_to
    return total


def _whole(amount: Decimal) -> int:
    return int(amount.quantize(Decimal(1), ROUND_HALF_UP))


def _taken_off(session: CheckoutSession, items: list[CheckoutItem]) -> list[int]:
    """What the coupon takes off each line: a share of the whole, what is left over off the last."""
    coupon = session.x_coupon
    parts = [0] * len(items)
    if coupon is None:
        return parts
    fit = [index for index, item in enumerate(items) if item.amount_subtotal and _applies(coupon, item)]
    base = sum(items[index].amount_subtotal for index in fit)
    whole = _off(coupon, base, session.currency or "")
    for index in fit:
        parts[index] = whole * items[index].amount_subtotal // base
    if fit:
        parts[fit[-1]] += whole - sum(parts)
    return parts


def _applies(coupon: Coupon, item: CheckoutItem) -> bool:
    products = (coupon.applies_to or {}).get("products")
    return not products or (item.price is not None and item.price.product_id in products)


def _off(coupon: Coupon, base: int, currency: str) -> int:
    if coupon.percent_off is not None:
        return _whole(Decimal(str(coupon.percent_off)) * base / 100)
    amount = coupon.amount_off or 0
    if currency != coupon.currency:
        amount = (coupon.currency_options.get(currency) or {}).get("amount_off", 0)
    return min(amount, base)


def _tax(item: CheckoutItem) -> None:
    """Reckon a line's taxes: what is contained in the price is part of the total already."""
    base = item.amount_subtotal - item.amount_discount
    item.x_taxes, added = {}, 0
    for rate in TaxRate.objects.filter(pk__in=item.x_tax_rates).order_by("x_seq"):
        part = Decimal(str(rate.percentage))
        amount = _whole(base * part / (100 + part)) if rate.inclusive else _whole(base * part / 100)
        item.x_taxes[rate.id] = amount
        added += 0 if rate.inclusive else amount
    item.amount_tax = sum(item.x_taxes.values())
    item.amount_total = base + added


def shipping_amount(session: CheckoutSession) -> int | None:
    """What the way costs that the shopper has chosen; None where none is offered."""
    cost = session.shipping_cost
    return None if cost is None else int(cost["amount_total"])


def ship(call: Call, session: CheckoutSession, rate_id: str | None) -> None:
    """Choose a way to ship: the one named, else the first that is offered.

    Raises: StripeError for one that is not offered.
    """
    offered = {option["shipping_rate"]: option["shipping_amount"] for option in session.shipping_options}
    if not offered:
        session.shipping_cost = None
        return
    chosen = rate_id or next(iter(offered))
    if chosen not in offered:
        raise StripeError("This way to ship is not offered.", param="shipping_rate")
    amount = offered[chosen]
    session.shipping_cost = {
        "amount_subtotal": amount, "amount_tax": 0, "amount_total": amount, "shipping_rate": chosen,
    }  # fmt: skip


def amount_in(rate: ShippingRate, currency: str) -> int:
    """What a way to ship costs in a currency.

    Raises: StripeError where it is not offered in that.
    """
    amount = rate.fixed_amount
    if amount["currency"] == currency:
        return int(amount["amount"])
    other = (amount.get("currency_options") or {}).get(currency)
    if other is None:
        raise StripeError(
            f"The shipping rate {rate.id} is in `{amount['currency']}`. This doesn't match the expected currency: "
            f"`{currency}`.",
            param="shipping_options",
        )
    return int(other["amount"])


def require_payable(session: CheckoutSession) -> None:
    """Refuse a total that no card is charged; nothing at all is nothing to pay.

    Raises: StripeError.
    """
    total, currency = session.amount_total, session.currency
    if session.mode != "payment" or not total or currency is None:
        return
    if total < currencies.smallest(currency):
        raise StripeError(
            f"The Checkout Session's total amount must be at least "
            f"{currencies.written(currencies.smallest(currency), currency)}.",
            code="amount_too_small",
        )
    currencies.require_chargeable(total, currency, "line_items")
