"""With what does a session begin, and what may not be asked of one?"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from worlds.stripe import facts, pages
from worlds.stripe.api import changing, errors
from worlds.stripe.api.call import Call, utc
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.operations import find
from worlds.stripe.checkout import items, offering, totals
from worlds.stripe.connect import sharing
from worlds.stripe.models import CheckoutSession, Customer, PaymentLink, SetupIntent, ShippingRate
from worlds.stripe.resources import setup_intents, shipping_rates

LASTS, _SHORTEST = timedelta(hours=24), timedelta(minutes=30)
#: How pages were called before they were given their present names.
_UI = {"custom": "elements", "embedded": "embedded_page", "hosted": "hosted_page"}
#: Which parameters go with one mode only.
_OF_MODE = {
    "payment_intent_data": ("payment",),
    "invoice_creation": ("payment",),
    "submit_type": ("payment", "subscription"),
    "setup_intent_data": ("setup",),
    "subscription_data": ("subscription",),
    "line_items": ("payment", "subscription"),
    "discounts": ("payment", "subscription"),
    "shipping_options": ("payment", "subscription"),
}
_EXCLUSIVE = (
    ("allow_promotion_codes", "discounts"),
    ("customer", "customer_email"),
    ("customer", "customer_creation"),
    ("excluded_payment_method_types", "payment_method_types"),
)
_PLAIN = (
    "after_expiration", "allow_promotion_codes", "billing_address_collection", "cancel_url", "client_reference_id",
    "consent_collection", "customer_email", "excluded_payment_method_types", "integration_identifier", "locale",
    "managed_payments", "name_collection", "optional_items", "origin_context", "permissions", "recovered_from",
    "return_url", "shipping_address_collection", "submit_type", "success_url", "tax_id_collection", "wallet_options",
)  # fmt: skip
_INVOICE = dict.fromkeys(
    ("account_tax_ids", "custom_fields", "description", "footer", "issuer", "rendering_options")
)  # fmt: skip
_BRANDING = {
    "background_color": "#ffffff", "border_style": "rounded", "button_color": "#0074d4", "display_name": "",
    "font_family": "default", "icon": None, "logo": None,
}  # fmt: skip


def open_session(call: Call, params: dict[str, Any], link: PaymentLink | None = None) -> CheckoutSession:
    """Open a session, as the request says or as the link does that was followed.

    Raises: StripeError for what does not go together, and for what is not there.
    """
    mode = _mode(params)
    ui = _UI.get(params.get("ui_mode", ""), params.get("ui_mode", "hosted_page"))
    _require_fitting(params, mode)
    _require_addresses(params, ui, link)
    customer = _customer(call, params)
    id = call.new_id("cs_test_")
    session = call.make(
        CheckoutSession,
        "cs_test_",
        id=id,
        mode=mode,
        ui_mode=ui,
        customer=customer,
        payment_link=link,
        url=pages.address("checkout", id) if ui == "hosted_page" else None,
        client_secret=None if ui == "hosted_page" else f"{id}_secret_{call.token(25)}",
        expires_at=_expiry(call, params),
        metadata=changing.metadata(None, params.get("metadata")),
        **_defaults(params, mode, customer, ui),
        **{name: params[name] for name in _PLAIN if name in params},
    )
    session.currency = params.get("currency")
    if mode != "setup":
        _fill(call, session, params)
    else:
        session.setup_intent = _setup_intent(call, session, params)
    session.save()
    later = {"account": call.account, "session": session.id}
    call.ctx.schedule(session.expires_at, "checkout_session_expires", later)
    return session


def _mode(params: dict[str, Any]) -> str:
    if "mode" not in params:
        raise errors.missing_parameter("mode")
    return str(params["mode"])


def _require_fitting(params: dict[str, Any], mode: str) -> None:
    for name, modes in _OF_MODE.items():
        if name in params and mode not in modes:
            raise StripeError(f"You can not pass `{name}` in `{mode}` mode.", param=name)
    for one, other in _EXCLUSIVE:
        if params.get(one) and params.get(other):
            raise StripeError(
                f"You may only specify one of these parameters: {one}, {other}.",
                code="parameters_exclusive",
                param=one,
            )
    if mode != "setup" and not params.get("line_items"):
        raise errors.missing_parameter("line_items")
    if mode == "setup" and "payment_method_types" not in params and "currency" not in params:
        raise StripeError(
            "You must provide `currency` in `setup` mode when `payment_method_types` is not set.",
            code="parameter_missing",
            param="currency",
        )
    if mode == "subscription" and params.get("customer_creation"):
        raise StripeError("`customer_creation` can not be used in `subscription` mode.", param="customer_creation")


def _require_addresses(params: dict[str, Any], ui: str, link: PaymentLink | None) -> None:
    """Refuse a session that would not know where the shopper goes next."""
    hosted = ui == "hosted_page"
    for name in ("success_url", "cancel_url", "return_url"):
        if name not in params:
            continue
        if urlsplit(params[name]).scheme not in ("http", "https"):
            raise StripeError("Not a valid URL", code="url_invalid", param=name)
        if hosted == (name == "return_url"):
            raise StripeError(f"You can not pass `{name}` when `ui_mode` is `{ui}`.", param=name)
    if hosted:
        if "success_url" not in params and link is None:
            raise errors.missing_parameter("success_url")
        if "redirect_on_completion" in params:
            raise StripeError(
                "You can not pass `redirect_on_completion` when `ui_mode` is `hosted_page`.",
                param="redirect_on_completion",
            )
    elif ui == "embedded_page":
        never = params.get("redirect_on_completion") == "never"
        if never and "return_url" in params:
            raise StripeError(
                "You can not pass `return_url` when `redirect_on_completion` is `never`.", param="return_url"
            )
        if not never and "return_url" not in params:
            raise errors.missing_parameter("return_url")


def _customer(call: Call, params: dict[str, Any]) -> Customer | None:
    id = params.get("customer")
    return None if not id else find(call, Customer, id, noun="customer", param="customer", in_path=False)


def _expiry(call: Call, params: dict[str, Any]) -> datetime:
    if "expires_at" not in params:
        return call.now + LASTS
    at = utc(params["expires_at"])
    if at < call.now + _SHORTEST:
        raise StripeError(
            "The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.",
            param="expires_at",
        )
    if at > call.now + LASTS:
        raise StripeError(
            "The `expires_at` timestamp must be less than 24 hours from Checkout Session creation.",
            param="expires_at",
        )
    return at


def _defaults(params: dict[str, Any], mode: str, customer: Customer | None, ui: str) -> dict[str, Any]:
    """What a new session shows where nothing was said."""
    is_embedded = ui == "embedded_page"
    found: dict[str, Any] = {
        **offering.common(params),
        "adaptive_pricing": {"enabled": bool((params.get("adaptive_pricing") or {}).get("enabled", False))},
        "branding_settings": {**_BRANDING, **params.get("branding_settings", {})},
        "customer_creation": None if customer else params.get("customer_creation", _creation(mode)),
        "customer_details": _details(customer, params),
        "invoice_creation": _invoice_creation(params) if mode == "payment" else None,
        "payment_method_collection": params.get(
            "payment_method_collection", "if_required" if mode == "payment" else "always"
        ),
        "payment_method_types": offering.types(params) or ["card"],
        "payment_method_options": _options(params),
        "payment_status": "no_payment_required" if mode == "setup" else "unpaid",
        "redirect_on_completion": params.get("redirect_on_completion", "always") if is_embedded else None,
        "x_intent_data": params.get("payment_intent_data") or params.get("setup_intent_data") or {},
        "x_subscription_data": params.get("subscription_data") or {},
    }  # fmt: skip
    if customer is not None:
        saved = params.get("saved_payment_method_options") or {}
        found["saved_payment_method_options"] = {
            "allow_redisplay_filters": saved.get("allow_redisplay_filters", ["always"]),
            "payment_method_remove": saved.get("payment_method_remove", "disabled"),
            "payment_method_save": saved.get("payment_method_save"),
        }
    return found


def _creation(mode: str) -> str:
    return "always" if mode == "subscription" else "if_required"


def _details(customer: Customer | None, params: dict[str, Any]) -> dict[str, Any] | None:
    email = customer.email if customer is not None else params.get("customer_email")
    if customer is None and email is None:
        return None
    return {
        "address": None, "business_name": None, "email": email, "individual_name": None, "name": None, "phone": None,
        "tax_exempt": "none", "tax_ids": None,
    }  # fmt: skip


def _invoice_creation(params: dict[str, Any]) -> dict[str, Any]:
    told = params.get("invoice_creation") or {}
    data = {name: value or None for name, value in (told.get("invoice_data") or {}).items()}
    return {
        "enabled": told.get("enabled", False),
        "invoice_data": {**_INVOICE, **data, "metadata": data.get("metadata") or {}},
    }


def _options(params: dict[str, Any]) -> dict[str, Any]:
    """The options of each type, as far as they are shown."""
    known = facts.objects()["checkout_session_payment_method_options"].fields
    card = {"request_three_d_secure": "automatic"}
    given = {
        type: {name: value for name, value in (told or {}).items() if value not in ("", None)}
        for type, told in (params.get("payment_method_options") or {}).items()
        if type in known
    }
    return {**given, "card": {**card, **given.get("card", {})}}


def _fill(call: Call, session: CheckoutSession, params: dict[str, Any]) -> None:
    """Put in what is bought, what is taken off, and what the way costs."""
    made = items.sell(call, params["line_items"], mode=session.mode, currency=session.currency, x_session=session)
    session.currency = made[0].currency
    offering.take_off(call, session, params.get("discounts") or [])
    session.shipping_options = shipping(call, params.get("shipping_options") or [], made[0].currency)
    session.save()
    totals.ship(call, session, None)
    totals.recount(session)
    totals.require_payable(session)
    sharing.require_shareable(call, session.x_intent_data, session.amount_total or 0)
    if session.amount_total == 0 and session.mode == "payment" and not any(_is_chosen(item) for item in made):
        session.payment_status = "no_payment_required"


def _is_chosen(item: Any) -> bool:
    return item.price.custom_unit_amount is not None


def shipping(call: Call, given: list[dict[str, Any]], currency: str) -> list[dict[str, Any]]:
    """The ways to ship that are offered, with what each costs.

    Raises: StripeError for one that is not there, or not in the currency.
    """
    found = []
    for index, option in enumerate(given):
        within = f"shipping_options[{index}]"
        if "shipping_rate" in option:
            param = f"{within}[shipping_rate]"
            id = option["shipping_rate"]
            rate = find(call, ShippingRate, id, noun="shipping rate", param=param, in_path=False)
        elif "shipping_rate_data" in option:
            rate = shipping_rates.make(call, option["shipping_rate_data"], within=f"{within}[shipping_rate_data]")
        else:
            raise errors.missing_parameter(f"{within}[shipping_rate]")
        found.append({"shipping_amount": totals.amount_in(rate, currency), "shipping_rate": rate.id})
    return found


def _setup_intent(call: Call, session: CheckoutSession, params: dict[str, Any]) -> SetupIntent:
    told = params.get("setup_intent_data") or {}
    wanted: dict[str, Any] = {"payment_method_types": session.payment_method_types, "usage": "off_session", **told}
    if session.customer_id is not None:
        wanted["customer"] = session.customer_id
    operation = facts.operations()["PostSetupIntents"]
    made = setup_intents.create(Call(call.ctx, operation, {}, wanted, account=call.account, request_id=call.request_id))
    assert isinstance(made, SetupIntent)
    return made
