"""What is behind a payment link, and what happens when somebody follows one?

The page stands below the account's HTTP API and needs no key: `GET /_plink/<code>` opens a session and leads to it.
"""

from __future__ import annotations

from html import escape
from typing import Any
from urllib.parse import parse_qs

from worlds.engine import Ctx, HttpRequest, HttpResponse
from worlds.stripe import pages
from worlds.stripe.api.call import Call
from worlds.stripe.checkout import opening
from worlds.stripe.models import CheckoutItem, CheckoutSession, PaymentLink

#: What a session takes over from its link as it is.
_SAME = (
    "billing_address_collection", "consent_collection", "currency", "managed_payments", "name_collection",
    "optional_items", "payment_intent_data", "payment_method_collection", "payment_method_types",
    "phone_number_collection", "shipping_address_collection", "submit_type", "subscription_data", "tax_id_collection",
)  # fmt: skip
_INACTIVE = "This link is no longer active."


def items_of(link: PaymentLink) -> list[CheckoutItem]:
    """What a link sells, in its order."""
    rows = CheckoutItem.objects.filter(x_payment_link=link).select_related("price")
    return list(rows.order_by("x_seq"))


def follow(call: Call, link: PaymentLink, query: dict[str, str] | None = None) -> CheckoutSession:
    """Open the session of a visit; its address may say who comes: `client_reference_id`, `prefilled_email`."""
    query = query or {}
    lines = items_of(link)
    recurs = any(item.price is not None and item.price.recurring for item in lines)
    params: dict[str, Any] = {name: getattr(link, name) for name in _SAME if getattr(link, name)}
    params |= {
        "mode": "subscription" if recurs else "payment",
        "line_items": [_line(item) for item in lines],
        "allow_promotion_codes": link.allow_promotion_codes,
        "automatic_tax": {"enabled": link.automatic_tax["enabled"]},
        "custom_text": {name: text for name, text in link.custom_text.items() if text},
        "metadata": dict(link.metadata),
        "shipping_options": [{"shipping_rate": each["shipping_rate"]} for each in link.shipping_options],
    }
    if not recurs:
        params["customer_creation"] = link.customer_creation
        data = {name: value for name, value in (link.payment_intent_data or {}).items() if value}
        for name in ("application_fee_amount", "on_behalf_of", "transfer_data"):
            if getattr(link, name):
                data[name] = getattr(link, name)
        params["payment_intent_data"] = data
    else:
        params["subscription_data"] = {name: value for name, value in (link.subscription_data or {}).items() if value}
        params.pop("payment_intent_data", None)
    for name, given in (("client_reference_id", "client_reference_id"), ("prefilled_email", "customer_email")):
        if query.get(name):
            params[given] = query[name][:200]
    if url := (link.after_completion.get("redirect") or {}).get("url"):
        params["success_url"] = url
    session = opening.open_session(call, params, link)
    if link.custom_fields:
        session.custom_fields = link.custom_fields
        session.save(update_fields=["custom_fields"])
    return session


def _line(item: CheckoutItem) -> dict[str, Any]:
    line: dict[str, Any] = {"price": item.price_id}
    if item.quantity is not None:
        line["quantity"] = item.quantity
    if item.adjustable_quantity:
        line["adjustable_quantity"] = item.adjustable_quantity
    return line


@pages.page("plink")
def page(ctx: Ctx, request: HttpRequest, code: str) -> HttpResponse:
    """Lead a visitor to a session of their own."""
    link = PaymentLink.objects.filter(x_code=code).first()
    if link is None:
        return pages.html("Nothing here", "<p>There is no such link; it may be incomplete.</p>", 404)
    if not link.active:
        return pages.html("Not available", f"<p>{escape(link.inactive_message or _INACTIVE)}</p>", 410)
    query = {name: values[-1] for name, values in parse_qs(request.query).items()}
    session = follow(Call.of_clock(ctx, link.x_account), link, query)
    return HttpResponse(303, (("location", str(session.url)),))
