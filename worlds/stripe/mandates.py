"""When and how does a customer permit debits?"""

from __future__ import annotations

from typing import Any

from worlds.stripe import bank_accounts
from worlds.stripe.api import changing
from worlds.stripe.api.call import Call
from worlds.stripe.models import Mandate, PaymentMethod

_CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_ADDRESS = "https://payments.stripe.com/mandates"
#: Which types are debited only after the holder permitted it in so many words.
NEEDS_ACCEPTANCE = frozenset(["acss_debit", "au_becs_debit", "bacs_debit", "sepa_debit", "us_bank_account"])


def make(
    call: Call,
    method: PaymentMethod,
    acceptance: dict[str, Any] | None,
    *,
    options: dict[str, Any] | None = None,
    single_use: dict[str, Any] | None = None,
) -> Mandate:
    """A mandate for a payment method, as the customer accepted it."""
    refused = bank_accounts.by_number(method.type, method.x_number).refuses_mandate
    return call.make(
        Mandate,
        "mandate_",
        by="3",
        payment_method=method,
        customer_acceptance=_acceptance(call, acceptance),
        payment_method_details={"type": method.type, method.type: _details(call, method.type, options or {})},
        status="inactive" if refused else "active",
        type="multi_use" if single_use is None else "single_use",
        multi_use={} if single_use is None else None,
        single_use=single_use,
    )


def _acceptance(call: Call, given: dict[str, Any] | None) -> dict[str, Any]:
    given = given or {"type": "offline"}
    kind = given["type"]
    return {"accepted_at": given.get("accepted_at", call.now_s), kind: dict(given.get(kind) or {}), "type": kind}


def _details(call: Call, type: str, options: dict[str, Any]) -> dict[str, Any]:
    """What the published shape shows of a mandate of the type."""
    asked = dict(options.get("mandate_options") or {})
    address = f"{_ADDRESS}/{call.token(24)}"
    if type == "sepa_debit":
        return {"reference": (asked.get("reference_prefix") or "") + call.ctx.ids.token(16, _CAPITALS), "url": address}
    if type == "bacs_debit":
        reference = (asked.get("reference_prefix") or "") + call.ctx.ids.token(8, _CAPITALS)
        return {"network_status": "accepted", "reference": reference, "url": address}
    if type == "au_becs_debit":
        return {"url": address}
    if type == "acss_debit":
        return {
            "interval_description": asked.get("interval_description"),
            "payment_schedule": asked.get("payment_schedule", "combined"),
            "transaction_type": asked.get("transaction_type", "personal"),
        }
    return {}


def revoke(call: Call, method: PaymentMethod) -> None:
    """End the mandates of a payment method, as its bank does when it refuses a debit for good."""
    for mandate in call.rows(Mandate).filter(payment_method=method, status="active").order_by("x_seq"):
        previous = changing.change(mandate, {"status": "inactive"})
        call.emit("mandate.updated", mandate, previous)
