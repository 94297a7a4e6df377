"""How do plans behave, which are recurring prices under their former name?"""

from __future__ import annotations

from typing import Any

from worlds.stripe.api import changing, errors, listing, wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.expanding import LOADERS, PARTS
from worlds.stripe.api.operations import find, operation
from worlds.stripe.models import Price, Product
from worlds.stripe.resources import prices

NOUN = "plan"
_UNDER_ANOTHER_NAME = {
    "amount": "unit_amount", "amount_decimal": "unit_amount_decimal", "transform_usage": "transform_quantity",
}  # fmt: skip


def shown(price: Price) -> dict[str, Any]:
    """A recurring price as a plan."""
    recurring, transform = price.recurring or {}, price.transform_quantity
    values = {
        "id": price.id, "active": price.active, "amount": price.unit_amount,
        "amount_decimal": price.unit_amount_decimal,
        "billing_scheme": price.billing_scheme, "created": int(price.created.timestamp()), "currency": price.currency,
        "interval": recurring.get("interval"), "interval_count": recurring.get("interval_count", 1),
        "meter": recurring.get("meter"), "metadata": price.metadata, "nickname": price.nickname,
        "product": price.product_id, "tiers_mode": price.tiers_mode, "transform_usage": transform,
        "trial_period_days": recurring.get("trial_period_days"), "usage_type": recurring.get("usage_type", "licensed"),
    }  # fmt: skip
    found = wire.complete("plan", values)
    found.pop("tiers", None)  # they are shown only when they are asked for
    return found


def _load(call: Call, id: str) -> dict[str, Any] | None:
    price = call.rows(Price).filter(pk=id, type="recurring").first()
    return None if price is None else shown(price)


LOADERS["plan"] = _load
PARTS["plan", "tiers"] = lambda call, plan: Price.objects.get(pk=plan["id"]).tiers


@operation("PostPlans")
def create(call: Call) -> dict[str, Any]:
    params = call.params
    if (given := params.get("id")) is not None and Price.objects.filter(pk=given).exists():
        raise StripeError("Plan already exists.", code="resource_already_exists", param="id")
    recurring = {
        name: params[name] for name in ("interval", "interval_count", "meter", "trial_period_days", "usage_type")
        if name in params
    }  # fmt: skip
    as_price: dict[str, Any] = {"currency": params["currency"], "recurring": recurring}
    for name in ("active", "billing_scheme", "metadata", "nickname", "tiers", "tiers_mode"):
        if name in params:
            as_price[name] = params[name]
    for name, under in _UNDER_ANOTHER_NAME.items():
        if name in params:
            as_price[under] = params[name]
    price = prices.make(call, _product(call), as_price, id=given or f"plan_{call.token(14)}")
    call.emit("plan.created", shown(price))
    return shown(price)


def _product(call: Call) -> Product:
    given = call.params.get("product")
    if given is None:
        raise errors.missing_parameter("product")
    if isinstance(given, str):
        return find(call, Product, given, noun="product", param="product", in_path=False)
    product = call.make(Product, "prod_", updated=call.now, **given)
    call.emit("product.created", product)
    return product


def _find(call: Call) -> Price:
    row = find(call, Price, call.path["plan"], noun=NOUN, param="plan")
    if row.type != "recurring":
        raise errors.no_such(NOUN, row.id, param="plan")
    return row


@operation("GetPlansPlan")
def retrieve(call: Call) -> dict[str, Any]:
    return shown(_find(call))


@operation("PostPlansPlan")
def update(call: Call) -> dict[str, Any]:
    price = _find(call)
    before = shown(price)
    values = changing.values(call.params, ("active", "metadata", "nickname"), price)
    if "product" in call.params:
        values["product_id"] = find(
            call, Product, call.params["product"], noun="product", param="product", in_path=False
        ).id
    if "trial_period_days" in call.params:
        values["recurring"] = {**(price.recurring or {}), "trial_period_days": call.params["trial_period_days"]}
    previous = changing.change(price, values)
    if previous:
        call.emit("price.updated", price, previous)
        call.emit("plan.updated", shown(price), changing.differences(before, shown(price)))
    return shown(price)


@operation("DeletePlansPlan")
def delete(call: Call) -> dict[str, Any]:
    """Delete a plan, and the price it is; who has subscribed to it keeps it."""
    price = _find(call)
    call.emit("plan.deleted", shown(price))
    call.emit("price.deleted", price)
    changing.change(price, {"active": False})
    price.deleted = True
    price.save(update_fields=["deleted"])
    return {"id": price.id, "object": "plan", "deleted": True}


@operation("GetPlans")
def list_all(call: Call) -> dict[str, Any]:
    rows = call.rows(Price).filter(listing.equal(call, "active", "created", "product"))
    return listing.page(call, rows.filter(type="recurring", deleted=False), noun=NOUN, shown=shown)
