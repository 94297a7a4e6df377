"""How do Checkout Sessions behave?"""

from __future__ import annotations

from typing import Any

from worlds.stripe.api import changing, errors, listing, wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.expanding import PARTS
from worlds.stripe.api.operations import find, loads, operation
from worlds.stripe.checkout import collecting, finishing, hosted, items, opening, paying, totals
from worlds.stripe.models import CheckoutItem, CheckoutSession, TaxRate

NOUN = "checkout.session"
_INLINE = 10
_BREAKDOWN = "total_details.breakdown"

__all__ = ["hosted"]

loads(CheckoutSession)


@wire.shaped("checkout.session")
def _shape(session: CheckoutSession) -> dict[str, Any]:
    discounts = None
    if session.mode != "setup":
        coupon, code = session.x_coupon_id, session.x_promotion_code_id
        discounts = [{"coupon": None if code else coupon, "promotion_code": code}] if coupon else []
    return {"discounts": discounts}


@wire.shaped("item")
def _item(item: CheckoutItem) -> dict[str, Any]:
    assert item.price is not None
    return {"price": wire.of(item.price)}


def _line_items(call: Call, shown: dict[str, Any]) -> dict[str, Any]:
    """The lines of a session, a page of them."""
    rows = list(_lines(shown["id"])[: _INLINE + 1])
    url = f"/v1/checkout/sessions/{shown['id']}/line_items"
    return listing.envelope([wire.of(row) for row in rows[:_INLINE]], url=url, has_more=len(rows) > _INLINE)


def _lines(session: str) -> Any:
    return CheckoutItem.objects.filter(x_session=session).select_related("price").order_by("x_seq")


def _taxes(call: Call, shown: dict[str, Any]) -> list[dict[str, Any]]:
    item = CheckoutItem.objects.get(pk=shown["id"])
    return _taxed(item.x_taxes, dict.fromkeys(item.x_taxes, item.amount_subtotal - item.amount_discount))


def _taxed(amounts: dict[str, int], bases: dict[str, int]) -> list[dict[str, Any]]:
    rates = TaxRate.objects.filter(pk__in=amounts).order_by("x_seq")
    return [
        {"amount": amounts[rate.id], "rate": wire.of(rate), "taxability_reason": "standard_rated",
         "taxable_amount": bases[rate.id]}
        for rate in rates
    ]  # fmt: skip


def _taken_off(call: Call, shown: dict[str, Any]) -> list[dict[str, Any]]:
    item = CheckoutItem.objects.select_related("x_session__x_discount").get(pk=shown["id"])
    return _discounted(item.x_session, item.amount_discount)


def _discounted(session: CheckoutSession | None, amount: int) -> list[dict[str, Any]]:
    """What was taken off; there is no discount to name before the session is paid."""
    discount = session.x_discount if session is not None else None
    return [{"amount": amount, "discount": wire.of(discount)}] if discount is not None and amount else []


PARTS["checkout.session", "line_items"] = _line_items
PARTS["item", "taxes"] = _taxes
PARTS["item", "discounts"] = _taken_off


def shown(call: Call, session: CheckoutSession) -> dict[str, Any]:
    """A session as the request wants it, with what its totals are made of where that is asked for."""
    found = wire.of(session)
    asked = call.params.get("expand", [])
    if found["total_details"] and any(path.removeprefix("data.").startswith(_BREAKDOWN) for path in asked):
        found["total_details"]["breakdown"] = _breakdown(session)
    return found


def _breakdown(session: CheckoutSession) -> dict[str, Any]:
    amounts: dict[str, int] = {}
    bases: dict[str, int] = {}
    for item in totals.items_of(session):
        for rate, amount in item.x_taxes.items():
            amounts[rate] = amounts.get(rate, 0) + amount
            bases[rate] = bases.get(rate, 0) + item.amount_subtotal - item.amount_discount
    off = (session.total_details or {}).get("amount_discount", 0)
    return {"discounts": _discounted(session, off), "taxes": _taxed(amounts, bases)}


@operation("PostCheckoutSessions")
def create(call: Call) -> dict[str, Any]:
    """Open a session; nothing is told of it until it is over."""
    return shown(call, opening.open_session(call, call.params))


def _found(call: Call) -> CheckoutSession:
    return find(call, CheckoutSession, call.path["session"], noun=NOUN, param="session")


@operation("GetCheckoutSessionsSession")
def retrieve(call: Call) -> dict[str, Any]:
    return shown(call, _found(call))


@operation("PostCheckoutSessionsSession")
def update(call: Call) -> dict[str, Any]:
    session, params = _found(call), call.params
    if [name for name in params if name not in ("metadata", "expand")]:
        paying.require_open(session)
    if "metadata" in params:
        session.metadata = changing.metadata(session.metadata, params["metadata"])
    details = (params.get("collected_information") or {}).get("shipping_details")
    if details is not None:
        kept = {"address": collecting.address_of(details["address"]), "name": details["name"]}
        session.collected_information = {**(session.collected_information or {}), "shipping_details": kept}
    if "line_items" in params:
        _replace(call, session, params["line_items"])
    if "shipping_options" in params:
        session.shipping_options = opening.shipping(call, params["shipping_options"] or [], session.currency or "")
        totals.ship(call, session, None)
    if "line_items" in params or "shipping_options" in params:
        totals.recount(session)
        totals.require_payable(session)
    session.save()
    return shown(call, session)


def _replace(call: Call, session: CheckoutSession, given: list[dict[str, Any]]) -> None:
    """Have a session's lines be those given: ones that are named stay, with what is said of them."""
    present = {item.id: item for item in totals.items_of(session)}
    kept: set[str] = set()
    for index, line in enumerate(given):
        within = f"line_items[{index}]"
        if "id" not in line:
            made = items.sell(call, [line], mode=None, currency=session.currency, x_session=session)
            kept.update(item.id for item in made)
            continue
        if line["id"] not in present:
            raise errors.no_such("line item", line["id"], param=f"{within}[id]", in_path=False)
        kept.add(line["id"])
        _change(present[line["id"]], line, within)
    if not kept:
        raise StripeError("A Checkout Session must have at least one line item.", param="line_items")
    CheckoutItem.objects.filter(x_session=session).exclude(pk__in=kept).delete()


def _change(item: CheckoutItem, line: dict[str, Any], within: str) -> None:
    if "adjustable_quantity" in line:
        item.adjustable_quantity = items.adjustable(line["adjustable_quantity"])
    if "quantity" in line:
        items.require_quantity(line["quantity"], item.adjustable_quantity, f"{within}[quantity]")
        item.quantity = line["quantity"]
    if "metadata" in line:
        item.metadata = changing.metadata(item.metadata, line["metadata"])
    if "tax_rates" in line:
        item.x_tax_rates = list(line["tax_rates"] or [])
    item.save()


@operation("PostCheckoutSessionsSessionExpire")
def expire(call: Call) -> dict[str, Any]:
    session = _found(call)
    finishing.require_expirable(session)
    finishing.expire(call, session)
    return shown(call, session)


@operation("GetCheckoutSessionsSessionLineItems")
def list_line_items(call: Call) -> dict[str, Any]:
    return listing.page(call, _lines(_found(call).id), noun="line item", oldest_first=True)


@operation("GetCheckoutSessions")
def list_all(call: Call) -> dict[str, Any]:
    names = ("created", "customer", "payment_intent", "payment_link", "status", "subscription")
    rows = call.rows(CheckoutSession).filter(listing.equal(call, *names))
    if "customer_details" in call.params:
        rows = rows.filter(customer_details__email=call.params["customer_details"]["email"])
    return listing.page(call, rows, noun=NOUN, shown=lambda session: shown(call, session))
