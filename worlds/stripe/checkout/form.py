"""How does the page look on which a shopper pays? Plain HTML that needs neither scripts nor anything from elsewhere."""

from __future__ import annotations

from html import escape

from worlds.engine import HttpResponse
from worlds.stripe import currencies, pages
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.checkout import totals
from worlds.stripe.models import CheckoutItem, CheckoutSession, ShippingRate
from worlds.stripe.resources import accounts

_BUTTONS = {"book": "Book", "donate": "Donate", "subscribe": "Subscribe"}
_ADDRESS = (
    ("line1", "Address", "address-line1"), ("line2", "Address line 2", "address-line2"), ("city", "City",
     "address-level2"), ("state", "State", "address-level1"), ("postal_code", "Postal code", "postal-code"),
    ("country", "Country", "country"),
)  # fmt: skip
Sent = dict[str, str]


def show(
    call: Call, session: CheckoutSession, sent: Sent | None = None, refusal: StripeError | None = None
) -> HttpResponse:
    """The form, with what was entered before except the card, and why that was not taken."""
    sent = sent or {}
    # A shopper with a browser reads the page either way.
    status = refusal.status if refusal is not None else 200
    parts = [
        f'<p role="alert" class="alert">{escape(refusal.message)}</p>' if refusal is not None else "",
        _summary(session) if session.mode != "setup" else "<p>Save your card for later payments.</p>",
        '<form method="post">',
        _adjustments(session, sent),
        _person(session, sent),
        _shipping(session, sent),
        _questions(session, sent),
        _ways_to_pay(session, sent),
        _consent(session, sent),
        f'<p><button name="action" value="pay">{_button(session)}</button></p></form>',
    ]
    if session.cancel_url:
        parts.append(f'<p><a href="{escape(session.cancel_url)}">Go back</a></p>')
    return pages.html(escape(_seller(call)), "".join(parts), status)


def _seller(call: Call) -> str:
    account = accounts.own(call)
    name = account.business_profile.get("name") if account is not None else None
    return str(name or "Checkout")


def _money(amount: int | None, session: CheckoutSession) -> str:
    return escape(currencies.written(amount or 0, session.currency or "usd"))


def _summary(session: CheckoutSession) -> str:
    lines = [_line(item, session) for item in totals.items_of(session)]
    told = session.total_details or {}
    for name, label in (("amount_discount", "Discount"), ("amount_shipping", "Shipping"), ("amount_tax", "Tax")):
        if told.get(name):
            sign = -1 if name == "amount_discount" else 1
            lines.append(f'<tr><th scope="row">{label}<td><td>{_money(sign * told[name], session)}')
    total = f'<tr><th scope="row">Total<td><td><strong>{_money(session.amount_total, session)}</strong>'
    return f"<table><caption>Your order</caption>{''.join(lines)}{total}</table>"


def _line(item: CheckoutItem, session: CheckoutSession) -> str:
    count = "" if item.quantity is None else f"× {item.quantity}"
    every = ""
    if item.price is not None and item.price.recurring:
        number, interval = item.price.recurring["interval_count"], item.price.recurring["interval"]
        every = f" per {interval}" if number == 1 else f" every {number} {interval}s"
    name = escape(item.description or "")
    return f'<tr><th scope="row">{name}<td>{count}<td>{_money(item.amount_subtotal, session)}{every}'


def field(name: str, label: str, value: str = "", **attributes: str) -> str:
    """A labelled input."""
    more = "".join(f' {key.rstrip("_")}="{escape(text)}"' for key, text in attributes.items())
    return f'<p><label>{escape(label)}<input name="{escape(name)}" value="{escape(value)}"{more}></label></p>'


def _adjustments(session: CheckoutSession, sent: Sent) -> str:
    """What changes the total: quantities, amounts, a code, a way to ship."""
    parts = []
    for item in totals.items_of(session) if session.mode != "setup" else ():
        bounds, custom = item.adjustable_quantity, item.price.custom_unit_amount if item.price else None
        what = item.description or "item"
        if bounds:
            limits = {"min": str(bounds["minimum"]), "max": str(bounds["maximum"])}
            parts.append(
                field(f"quantity_{item.id}", f"Quantity of {what}", str(item.quantity), type="number", **limits)
            )
        if custom is not None:
            chosen = item.x_chosen_amount if item.x_chosen_amount is not None else custom.get("preset")
            label = f"Amount for {what}, in the smallest unit of {(session.currency or '').upper()}"
            parts.append(field(f"amount_{item.id}", label, str(chosen or ""), inputmode="numeric"))
    if len(session.shipping_options) > 1:
        parts.append(_ways(session))
    if session.allow_promotion_codes:
        entered = session.x_promotion_code.code if session.x_promotion_code else sent.get("promotion_code", "")
        parts.append(field("promotion_code", "Promotion code", entered, autocomplete="off"))
    if not parts:
        return ""
    button = '<p><button name="action" value="update" formnovalidate>Update the total</button></p>'
    # The first button of a form is the one that the Enter key presses.
    usual = '<button name="action" value="pay" class="unseen" tabindex="-1" aria-hidden="true">Pay</button>'
    return f"{usual}<fieldset><legend>Order</legend>{''.join(parts)}{button}</fieldset>"


def _ways(session: CheckoutSession) -> str:
    names = dict(
        ShippingRate.objects.filter(pk__in=[each["shipping_rate"] for each in session.shipping_options]).values_list(
            "pk", "display_name"
        )
    )
    chosen = (session.shipping_cost or {}).get("shipping_rate")
    options = [
        (way["shipping_rate"], f"{names[way['shipping_rate']]} - "
         f"{currencies.written(way['shipping_amount'], session.currency or '')}")
        for way in session.shipping_options
    ]  # fmt: skip
    return select("shipping_rate", "Shipping", options, chosen)


def select(name: str, label: str, options: list[tuple[str, str]], chosen: str | None, *, required: bool = True) -> str:
    """A labelled choice."""
    choices = "".join(
        f'<option value="{escape(value)}"{" selected" if value == chosen else ""}>{escape(text)}</option>'
        for value, text in options
    )
    needed = " required" if required else ""
    return f'<p><label>{escape(label)}<select name="{escape(name)}"{needed}>{choices}</select></label></p>'


def _person(session: CheckoutSession, sent: Sent) -> str:
    known = session.customer_details or {}
    email = sent.get("email") or known.get("email") or ""
    parts = [field("email", "Email", email, type="email", autocomplete="email", required="")]
    if session.phone_number_collection.get("enabled"):
        phone = sent.get("phone") or known.get("phone") or ""
        parts.append(field("phone", "Phone number", phone, type="tel", autocomplete="tel", required=""))
    return f"<fieldset><legend>Contact</legend>{''.join(parts)}</fieldset>"


def _address(prefix: str, sent: Sent, *, required: bool) -> str:
    needed = {"required": ""} if required else {}
    return "".join(
        field(
            f"{prefix}_{part}", label, sent.get(f"{prefix}_{part}", ""), autocomplete=auto,
            **(needed if part in ("line1", "country") else {}),
        )
        for part, label, auto in _ADDRESS
        if part != "country"
    )  # fmt: skip


def _country(prefix: str, sent: Sent, allowed: list[str] | None, *, required: bool) -> str:
    name = f"{prefix}_country"
    if allowed:
        return select(name, "Country", [(code, code) for code in allowed], sent.get(name), required=required)
    more = {"required": ""} if required else {}
    return field(name, "Country (two letters)", sent.get(name, ""), maxlength="2", autocomplete="country", **more)


def _shipping(session: CheckoutSession, sent: Sent) -> str:
    wanted = session.shipping_address_collection
    if wanted is None:
        return ""
    name = field("shipping_name", "Name", sent.get("shipping_name", ""), autocomplete="shipping name", required="")
    country = _country("shipping", sent, wanted["allowed_countries"], required=True)
    return f"<fieldset><legend>Ship to</legend>{name}{_address('shipping', sent, required=True)}{country}</fieldset>"


def _questions(session: CheckoutSession, sent: Sent) -> str:
    parts = []
    for question in session.custom_fields:
        type, key = question["type"], f"field_{question['key']}"
        own, label = question[type], question["label"].get("custom") or question["key"]
        value = sent.get(key) or own.get("value") or own.get("default_value") or ""
        if type == "dropdown":
            options = [(each["value"], each["label"]) for each in own["options"]]
            blank = [("", "None")] if question["optional"] else []
            parts.append(select(key, label, blank + options, value, required=not question["optional"]))
            continue
        more = {} if question["optional"] else {"required": ""}
        if type == "numeric":
            more["inputmode"] = "numeric"
        parts.append(field(key, label, value, **more))
    return f"<fieldset><legend>More</legend>{''.join(parts)}</fieldset>" if parts else ""


def _ways_to_pay(session: CheckoutSession, sent: Sent) -> str:
    """A card, and what else is taken: without scripts all fields are there, and the choice says which count."""
    if session.mode == "payment" and session.payment_status == "no_payment_required":
        return ""
    types = session.payment_method_types or []
    parts = []
    if types != ["card"]:
        options = [(type, type.replace("_", " ").capitalize()) for type in types]
        parts.append(select("type", "Pay with", options, sent.get("type")))
    if "card" in types:
        is_needed = types == ["card"] and bool(session.mode != "payment" or session.amount_total)
        parts.append(_card(session, is_needed=is_needed))
    numbers = [(name, label) for type, name, label in _NUMBERS if type in types]
    if numbers:
        fields = "".join(field(name, label, autocomplete="off") for name, label in numbers)
        parts.append(f"<fieldset><legend>Bank account</legend>{fields}</fieldset>")
    if "card" not in types:
        parts.append(field("name", "Your name", sent.get("name", ""), autocomplete="name"))
    return "".join(parts)


_NUMBERS = (
    ("us_bank_account", "routing_number", "Routing number"), ("us_bank_account", "account_number", "Account number"),
    ("sepa_debit", "iban", "IBAN"),
)  # fmt: skip


def _card(session: CheckoutSession, *, is_needed: bool) -> str:
    needed = {"required": ""} if is_needed else {}
    parts = [
        field("card_number", "Card number", inputmode="numeric", autocomplete="cc-number",
              placeholder="4242 4242 4242 4242", **needed),
        field("card_expiry", "Expiry (MM / YY)", autocomplete="cc-exp", placeholder="12 / 34", **needed),
        field("card_cvc", "Security code", inputmode="numeric", autocomplete="cc-csc", maxlength="4"),
        field("name", "Name on card", (session.customer_details or {}).get("name") or "", autocomplete="cc-name"),
    ]  # fmt: skip
    if session.billing_address_collection == "required":
        parts += [_address("address", {}, required=True), _country("address", {}, None, required=True)]
    return f"<fieldset><legend>Card</legend>{''.join(parts)}</fieldset>"


def _consent(session: CheckoutSession, sent: Sent) -> str:
    wanted = session.consent_collection or {}
    boxes = []
    if wanted.get("terms_of_service") == "required":
        boxes.append(("accepts_terms", "I agree to the terms of service", " required"))
    if wanted.get("promotions") == "auto":
        boxes.append(("wants_promotions", "Send me news and offers", ""))
    return "".join(
        f'<p><label><input type="checkbox" name="{name}" value="yes"{" checked" if name in sent else ""}{needed}> '
        f"{label}</label></p>"
        for name, label, needed in boxes
    )


def _button(session: CheckoutSession) -> str:
    if session.mode == "setup":
        return "Save card"
    verb = _BUTTONS.get(session.submit_type or "", "Subscribe" if session.mode == "subscription" else "Pay")
    return f"{verb} {_money(session.amount_total, session)}" if verb == "Pay" else verb


def thanks(session: CheckoutSession) -> HttpResponse:
    """What is shown where the shop has no page of its own for it."""
    after = session.payment_link.after_completion if session.payment_link is not None else {}
    said = (after.get("hosted_confirmation") or {}).get("custom_message")
    return pages.html("Thank you", f"<p>{escape(said or 'Your order is complete.')}</p>")


def over(session: CheckoutSession) -> HttpResponse:
    """What is shown of a session that has expired."""
    back = f'<p><a href="{escape(session.cancel_url)}">Go back</a></p>' if session.cancel_url else ""
    return pages.html("This page has expired", f"<p>You were not charged. Please begin again.</p>{back}", 410)
