"""What does the shopper tell of themselves, and is it enough?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from worlds.stripe.api.errors import StripeError
from worlds.stripe.models import CheckoutSession

_ADDRESS = ("city", "country", "line1", "line2", "postal_code", "state")


@dataclass(slots=True)
class Shopper:
    """What a shopper enters: a card, an account of a `type`, or a payment method's id, and who they are."""

    card: dict[str, Any] | None = None
    payment_method: str | None = None
    #: Another type of payment method than a card, and what is to be known of it: its numbers, if it has any.
    type: str | None = None
    bank_account: dict[str, Any] = field(default_factory=dict)
    email: str | None = None
    name: str | None = None
    phone: str | None = None
    address: dict[str, Any] = field(default_factory=dict)
    shipping: dict[str, Any] = field(default_factory=dict)
    promotion_code: str | None = None
    shipping_rate: str | None = None
    #: By the key of a custom field, and by the id of a line.
    custom_fields: dict[str, str] = field(default_factory=dict)
    quantities: dict[str, int] = field(default_factory=dict)
    amounts: dict[str, int] = field(default_factory=dict)
    accepts_terms: bool = False
    wants_promotions: bool = False
    business_name: str | None = None


def take(session: CheckoutSession, shopper: Shopper) -> None:
    """Keep what the shopper tells, in the places where the shop reads it.

    Raises: StripeError for what is missing or cannot be.
    """
    known = session.customer_details or {}
    email = shopper.email or known.get("email")
    if not email or "@" not in email:
        raise _wanted("Enter an email address.", "email")
    phone = shopper.phone or known.get("phone")
    if session.phone_number_collection.get("enabled") and not phone:
        raise _wanted("Enter a phone number.", "phone")
    if session.billing_address_collection == "required" and not (
        shopper.address.get("country") and shopper.address.get("line1")
    ):
        raise _wanted("Enter your billing address.", "address")
    session.customer_details = {
        "address": address_of(shopper.address),
        "business_name": shopper.business_name,
        "email": email,
        "individual_name": None,
        "name": shopper.name or known.get("name"),
        "phone": phone,
        "tax_exempt": known.get("tax_exempt") or "none",
        "tax_ids": [] if session.tax_id_collection else known.get("tax_ids") or [],
    }
    _ship_to(session, shopper)
    _answer(session, shopper.custom_fields)
    _consent(session, shopper)
    if session.automatic_tax.get("enabled"):
        session.automatic_tax = {**session.automatic_tax, "status": "complete"}


def address_of(given: dict[str, Any]) -> dict[str, Any] | None:
    """An address with all its parts; None for none."""
    found = {part: given.get(part) or None for part in _ADDRESS}
    return found if any(found.values()) else None


def _wanted(message: str, param: str) -> StripeError:
    return StripeError(message, code="parameter_missing", param=param)


def _ship_to(session: CheckoutSession, shopper: Shopper) -> None:
    wanted = session.shipping_address_collection
    if wanted is None:
        return
    given = dict(shopper.shipping)
    address = address_of(given.get("address") or given)
    known = (session.collected_information or {}).get("shipping_details")
    if address is None and known is not None:
        return
    name = given.get("name") or shopper.name
    if address is None or not address["line1"] or not address["country"] or not name:
        raise _wanted("Enter a name and an address to ship to.", "shipping")
    if address["country"] not in wanted["allowed_countries"]:
        raise StripeError(f"Nothing is shipped to {address['country']}.", param="shipping")
    session.collected_information = {
        **(session.collected_information or {}), "shipping_details": {"address": address, "name": name},
    }  # fmt: skip


def _answer(session: CheckoutSession, answers: dict[str, str]) -> None:
    """Put answers into the shop's own questions."""
    kept = []
    for question in session.custom_fields:
        key, type = question["key"], question["type"]
        own = question[type]
        value = answers.get(key) or own.get("value") or own.get("default_value")
        param = f"custom_fields[{key}]"
        if not value:
            if not question["optional"]:
                raise _wanted(f"Fill in: {question['label'].get('custom') or key}.", param)
            kept.append(question)
            continue
        if type == "dropdown" and value not in [option["value"] for option in own["options"]]:
            raise StripeError("Choose one of the options.", param=param)
        if type == "numeric" and not (value.isascii() and value.isdigit()):
            raise StripeError("Enter digits only.", param=param)
        most, least = own.get("maximum_length"), own.get("minimum_length")
        if (most is not None and len(value) > most) or (least is not None and len(value) < least):
            raise StripeError("This is too long or too short.", param=param)
        kept.append({**question, type: {**own, "value": value}})
    session.custom_fields = kept


def _consent(session: CheckoutSession, shopper: Shopper) -> None:
    wanted = session.consent_collection
    if not wanted:
        return
    needs_terms = wanted.get("terms_of_service") == "required"
    if needs_terms and not shopper.accepts_terms:
        raise _wanted("Accept the terms of service.", "accepts_terms")
    asked = wanted.get("promotions") == "auto"
    session.consent = {
        "promotions": ("opt_in" if shopper.wants_promotions else "opt_out") if asked else None,
        "terms_of_service": "accepted" if needs_terms else None,
    }
