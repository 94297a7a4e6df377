"""How do payment links behave?"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from worlds.stripe import pages
from worlds.stripe.api import changing, errors, listing, wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.expanding import PARTS
from worlds.stripe.api.operations import find, lists, loads, operation
from worlds.stripe.api.validating import CLEARED
from worlds.stripe.checkout import items, linking, offering, opening, totals
from worlds.stripe.connect import sharing
from worlds.stripe.models import CheckoutItem, PaymentLink

NOUN = "payment link"
_INLINE = 10
_PLAIN = (
    "allow_promotion_codes", "application_fee_amount", "application_fee_percent", "billing_address_collection",
    "consent_collection", "customer_creation", "inactive_message", "invoice_creation", "managed_payments", "metadata",
    "name_collection", "on_behalf_of", "optional_items", "payment_intent_data", "payment_method_collection",
    "payment_method_options", "restrictions", "shipping_address_collection", "submit_type", "subscription_data",
    "tax_id_collection", "transfer_data",
)  # fmt: skip
_INTENT = (
    "capture_method", "description", "setup_future_usage", "statement_descriptor", "statement_descriptor_suffix",
    "transfer_group",
)  # fmt: skip
_CONFIRMATION: dict[str, Any] = {"type": "hosted_confirmation", "hosted_confirmation": {"custom_message": None}}
_SELF = {"type": "self"}

loads(PaymentLink)
lists("GetPaymentLinks", PaymentLink, "active", noun=NOUN)


@wire.shaped("payment_link")
def _shape(link: PaymentLink) -> dict[str, Any]:
    limit = (link.restrictions or {}).get("completed_sessions", {}).get("limit")
    counted = None if limit is None else {"completed_sessions": {"count": link.x_completed, "limit": limit}}
    tax = link.automatic_tax
    shown = {**link.subscription_data, "invoice_settings": {"issuer": _SELF}} if link.subscription_data else None
    return {
        "automatic_tax": {"enabled": tax.get("enabled", False), "liability": tax.get("liability")},
        "payment_intent_data": None if link.payment_intent_data is None else {
            **dict.fromkeys(_INTENT), "metadata": {}, **link.payment_intent_data},
        "restrictions": counted,
        "subscription_data": shown,
        "tax_id_collection": {"enabled": False, "required": "never", **(link.tax_id_collection or {})},
    }  # fmt: skip


def _line_items(call: Call, shown: dict[str, Any]) -> dict[str, Any]:
    rows = list(_lines(shown["id"])[: _INLINE + 1])
    url = f"/v1/payment_links/{shown['id']}/line_items"
    return listing.envelope([wire.of(row) for row in rows[:_INLINE]], url=url, has_more=len(rows) > _INLINE)


def _lines(link: str) -> Any:
    return CheckoutItem.objects.filter(x_payment_link=link).select_related("price").order_by("x_seq")


PARTS["payment_link", "line_items"] = _line_items


@operation("PostPaymentLinks")
def create(call: Call) -> PaymentLink:
    params = call.params
    if not params["line_items"]:
        raise errors.missing_parameter("line_items")
    code = f"test_{call.token(14)}"
    asked = offering.common(params)
    link = call.make(
        PaymentLink,
        "plink_",
        x_code=code,
        url=pages.address("plink", code),
        after_completion=_after(params.get("after_completion")),
        currency=params.get("currency"),
        payment_method_types=offering.types(params) if "payment_method_types" in params else None,
        **asked,
        **{**_DEFAULTS, **_values(call, None)},
    )
    made = items.sell(call, params["line_items"], mode=None, currency=link.currency, x_payment_link=link)
    link.currency = made[0].currency
    recurs = any(item.price is not None and item.price.recurring for item in made)
    link.payment_method_collection = link.payment_method_collection or "always"
    _require_fitting(link, recurs=recurs)
    link.shipping_options = opening.shipping(call, params.get("shipping_options") or [], made[0].currency)
    _reckon(call, link, made)
    link.save()
    call.emit("payment_link.created", link)
    return link


_DEFAULTS = {"billing_address_collection": "auto", "customer_creation": "if_required", "submit_type": "auto"}


def _values(call: Call, present: PaymentLink | None) -> dict[str, Any]:
    return {
        name: None if value == CLEARED else value
        for name, value in changing.values(call.params, _PLAIN, present).items()
    }


def _after(given: dict[str, Any] | None) -> dict[str, Any]:
    """What follows a payment: the shop's own page, or one of ours.

    Raises: StripeError for an address that is none.
    """
    if given is None:
        return _CONFIRMATION
    if given["type"] == "hosted_confirmation":
        told = (given.get("hosted_confirmation") or {}).get("custom_message")
        return {**_CONFIRMATION, "hosted_confirmation": {"custom_message": told}}
    url = (given.get("redirect") or {}).get("url")
    if url is None:
        raise errors.missing_parameter("after_completion[redirect][url]")
    if urlsplit(url).scheme not in ("http", "https"):
        raise StripeError("Not a valid URL", code="url_invalid", param="after_completion[redirect][url]")
    return {"type": "redirect", "redirect": {"url": url}}


def _require_fitting(link: PaymentLink, *, recurs: bool) -> None:
    if recurs and link.payment_intent_data:
        raise StripeError(
            "You can not pass `payment_intent_data` when the link sells a recurring price.", param="payment_intent_data"
        )
    if not recurs and link.subscription_data:
        raise StripeError(
            "You can not pass `subscription_data` when the link sells no recurring price.", param="subscription_data"
        )


def _reckon(call: Call, link: PaymentLink, made: list[CheckoutItem]) -> None:
    """Put amounts on what is sold, and see that they can be shared as the link says."""
    for item in made:
        item.amount_subtotal = item.amount_total = totals.amount_of(item)
        item.save()
    total = sum(item.amount_total for item in made)
    shared = {name: getattr(link, name) for name in ("application_fee_amount", "on_behalf_of", "transfer_data")}
    sharing.require_shareable(call, shared, total)


def _found(call: Call) -> PaymentLink:
    return find(call, PaymentLink, call.path["payment_link"], noun=NOUN, param="payment_link")


@operation("GetPaymentLinksPaymentLink")
def retrieve(call: Call) -> PaymentLink:
    return _found(call)


@operation("PostPaymentLinksPaymentLink")
def update(call: Call) -> PaymentLink:
    link, params = _found(call), call.params
    values = _values(call, link)
    if "active" in params:
        values["active"] = params["active"]
    if "after_completion" in params:
        values["after_completion"] = _after(params["after_completion"])
    for name in ("automatic_tax", "custom_fields", "custom_text", "phone_number_collection"):
        if name in params:
            values[name] = offering.common(params)[name]
    if "payment_method_types" in params:
        values["payment_method_types"] = params["payment_method_types"] or None
    if "shipping_options" in params:
        values["shipping_options"] = opening.shipping(call, params["shipping_options"] or [], link.currency or "")
    if "line_items" in params:
        _change_lines(link, params["line_items"])
    previous = changing.change(link, values)
    if previous or "line_items" in params:
        call.emit("payment_link.updated", link, previous or {})
    return link


def _change_lines(link: PaymentLink, given: list[dict[str, Any]]) -> None:
    present = {item.id: item for item in linking.items_of(link)}
    for index, line in enumerate(given):
        item = present.get(line["id"])
        if item is None:
            raise errors.no_such("line item", line["id"], param=f"line_items[{index}][id]", in_path=False)
        if "adjustable_quantity" in line:
            item.adjustable_quantity = items.adjustable(line["adjustable_quantity"])
        if "quantity" in line:
            items.require_quantity(line["quantity"], item.adjustable_quantity, f"line_items[{index}][quantity]")
            item.quantity = line["quantity"]
        item.amount_subtotal = item.amount_total = totals.amount_of(item)
        item.save()


@operation("GetPaymentLinksPaymentLinkLineItems")
def list_line_items(call: Call) -> dict[str, Any]:
    return listing.page(call, _lines(_found(call).id), noun="line item", oldest_first=True)
