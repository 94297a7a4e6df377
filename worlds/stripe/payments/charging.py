"""What becomes of a charge when it is sent to the card's or the account's bank?"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from worlds.stripe import entered_cards, ledger
from worlds.stripe.api.call import Call
from worlds.stripe.cards import TestCard
from worlds.stripe.models import Account, Charge, PaymentMethod

#: How long an authorization holds, and how long one that was asked to.
HOLD, _LONG_HOLD = timedelta(days=7), timedelta(days=30)
_RISK = {"normal": (0, 60), "elevated": (65, 74), "highest": (75, 99)}
_NO_ADDRESS = {"city": None, "country": None, "line1": None, "line2": None, "postal_code": None, "state": None}


@dataclass(slots=True)
class Order:
    """What is to be charged: `columns` are those a charge takes over as they are."""

    amount: int
    currency: str
    captures: bool = True
    options: dict[str, Any] = field(default_factory=dict)
    columns: dict[str, Any] = field(default_factory=dict)
    authenticated: bool = False


def send(
    call: Call, order: Order, method: PaymentMethod, *, decline: tuple[str, str | None, str] | None = None
) -> Charge:
    """Make a charge: authorized, captured, or failed where there is a decline (code, decline code, message)."""
    card = method.test_card
    ok = decline is None
    values = {
        **_of_method(call, order, method),
        "amount_captured": order.amount if ok and order.captures else 0,
        "captured": ok and order.captures,
        "paid": ok,
        "status": "succeeded" if ok else "failed",
        "outcome": _outcome(call, card, decline),
    }
    if decline is not None:
        values |= {"failure_code": decline[0], "failure_message": decline[2], "receipt_url": None}
    elif order.captures:
        at_once = card is not None and card.is_available_at_once
        moved = ledger.take_in(call, Charge(**values), order.amount, method.type, at_once=at_once)
        values["balance_transaction"] = moved
    charge = call.make(Charge, "", **values)
    if charge.captured:
        ledger.share(call, charge, order.amount)
    return charge


def begin_debit(call: Call, order: Order, method: PaymentMethod) -> Charge:
    """Make a charge of which the bank will tell in some days."""
    values = {
        **_of_method(call, order, method),
        "amount_captured": order.amount,
        "captured": True,
        "paid": False,
        "status": "pending",
        "outcome": _outcome(call, None, None),
    }
    return call.make(Charge, "", **values)


def _of_method(call: Call, order: Order, method: PaymentMethod) -> dict[str, Any]:
    details = _card_details(call, order, method) if method.type == "card" else dict(method.rail)
    id = call.new_id("ch_" if method.type == "card" else "py_", by="3")
    return {
        **order.columns,
        "id": id,
        "amount": order.amount,
        "currency": order.currency,
        "receipt_url": f"https://pay.stripe.com/receipts/payment/{id}",
        "billing_details": _billing(method),
        "payment_method": method.id,
        "payment_method_details": {"type": method.type, method.type: details},
        "calculated_statement_descriptor": _descriptor(call, order),
        "x_number": method.x_number,
    }


def _descriptor(call: Call, order: Order) -> str:
    """What stands on the shopper's statement."""
    own = Account.objects.filter(pk=call.account) if call.account else Account.objects.filter(x_is_platform=True)
    settings = own.values_list("settings", flat=True).first() or {}
    usual = settings.get("payments", {}).get("statement_descriptor") or "STRIPE"
    suffix = order.columns.get("statement_descriptor_suffix")
    prefix = settings.get("card_payments", {}).get("statement_descriptor_prefix") or usual
    return str(order.columns.get("statement_descriptor") or (f"{prefix}* {suffix}" if suffix else usual))[:22]


def _billing(method: PaymentMethod) -> dict[str, Any]:
    given = method.billing_details or {}
    plain: dict[str, Any] = {name: given.get(name) for name in ("email", "name", "phone", "tax_id")}
    return {"address": {**_NO_ADDRESS, **(given.get("address") or {})}, **plain}


def _outcome(call: Call, card: TestCard | None, decline: tuple[str, str | None, str] | None) -> dict[str, Any]:
    """What the network and Radar said."""
    risk = card.risk if card is not None else "normal"
    found: dict[str, Any] = {
        "advice_code": None,
        "network_advice_code": None,
        "network_decline_code": None,
        "network_status": "approved_by_network",
        "reason": None,
        "risk_level": risk if card is not None else "not_assessed",
        "seller_message": "Payment complete.",
        "type": "authorized",
    }
    if card is not None:
        found["risk_score"] = call.ctx.random.randint(*_RISK[risk])
    if decline is not None:
        found |= _declined(decline[0], decline[1], risk)
    elif risk != "normal":
        found |= {"reason": f"{risk}_risk_level", "type": "manual_review" if risk == "elevated" else "authorized"}
    return found


def _declined(code: str, decline_code: str | None, risk: str) -> dict[str, Any]:
    if risk == "highest":
        return {
            "network_status": "not_sent_to_network",
            "reason": "highest_risk_level",
            "seller_message": "Stripe blocked this payment as too risky.",
            "type": "blocked",
        }
    reason = decline_code or code
    vague = reason == "generic_decline"
    return {
        "advice_code": "try_again_later" if reason in ("insufficient_funds", "processing_error") else None,
        "network_decline_code": "01",
        "network_status": "declined_by_network",
        "reason": reason,
        "seller_message": "The bank did not return any further details with this decline."
        if vague
        else f"The bank returned the decline code `{reason}`.",
        "type": "issuer_declined",
    }


def _card_details(call: Call, order: Order, method: PaymentMethod) -> dict[str, Any]:
    rail, asked = method.rail, order.options.get("card", {})
    brand = rail.get("brand")

    def available(name: str) -> str:
        return "available" if asked.get(f"request_{name}") == "if_available" else "unavailable"

    extended = asked.get("request_extended_authorization") == "if_available"
    most = order.amount * 12 // 10 if available("overcapture") == "available" else order.amount
    found: dict[str, Any] = {
        "amount_authorized": order.amount,
        "authorization_code": call.ctx.ids.token(6, "0123456789"),
        "brand": brand,
        "checks": entered_cards.checked(rail, method.test_card, method.billing_details)["checks"],
        "extended_authorization": {"status": "enabled" if extended else "disabled"},
        "incremental_authorization": {"status": available("incremental_authorization")},
        "installments": None,
        "mandate": None,
        "multicapture": {"status": available("multicapture")},
        "network": brand,
        "network_token": {"used": False},
        "network_transaction_id": call.ctx.ids.token(15, "0123456789"),
        "overcapture": {"maximum_amount_capturable": most, "status": available("overcapture")},
        "three_d_secure": _three_d_secure(call) if order.authenticated else None,
    }
    for name in ("country", "exp_month", "exp_year", "fingerprint", "funding", "last4", "regulated_status", "wallet"):
        found[name] = rail.get(name)
    if not order.captures:
        found["capture_before"] = int((call.now + (_LONG_HOLD if extended else HOLD)).timestamp())
    return found


def _three_d_secure(call: Call) -> dict[str, Any]:
    return {
        "authentication_flow": "challenge",
        "electronic_commerce_indicator": "05",
        "exemption_indicator": None,
        "result": "authenticated",
        "result_reason": None,
        "transaction_id": call.token(24),
        "version": "2.2.0",
    }
