"""Which account to debit does a payment method leave behind that is itself used once?"""

from __future__ import annotations

from typing import Any

from worlds.stripe import rails
from worlds.stripe.api.call import Call
from worlds.stripe.models import Mandate, PaymentMethod, SetupIntent

#: The account that the shopper's bank tells of, by type.
_IBANS = {
    "bancontact": "BE62510007547061",
    "ideal": "NL39RABO0300065264",
    "sofort": "DE89370400440532013000",
}


def sepa_debit(call: Call, intent: SetupIntent, method: PaymentMethod) -> PaymentMethod:
    """The account that stands behind a payment method, as one of its own."""
    rail, number = rails.rail(call, "sepa_debit", {"iban": _IBANS[method.type]})
    rail["generated_from"] = {"charge": None, "setup_attempt": intent.latest_attempt_id}
    return call.make(
        PaymentMethod,
        "pm_",
        by="3",
        type="sepa_debit",
        rail=rail,
        x_number=number,
        billing_details=method.billing_details,
    )


def details(method: PaymentMethod, made: PaymentMethod, mandate: Mandate) -> dict[str, Any]:
    """What the attempt shows of it."""
    return {
        **{name: value for name, value in method.rail.items() if name != "country"},
        "generated_sepa_debit": made.id,
        "generated_sepa_debit_mandate": mandate.id,
        "iban_last4": made.rail["last4"],
        "verified_name": method.billing_details.get("name"),
    }
