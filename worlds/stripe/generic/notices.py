"""Which event tells of what happened to an object?"""

from __future__ import annotations

import functools
from typing import Any

from worlds.stripe import facts

#: How the types of events call an object, where it is not by its own name.
_CALLED = {
    "subscription": "customer.subscription",
    "tax_id": "customer.tax_id",
    "discount": "customer.discount",
    "dispute": "charge.dispute",
    "bank_account": "customer.source",
    "card": "customer.source",
    "fee_refund": "application_fee.refund",
    "scheduled_query_run": "sigma.scheduled_query_run",
    "customer_cash_balance_transaction": "customer_cash_balance_transaction",
}


@functools.cache
def types() -> frozenset[str]:
    """Every published type of event."""
    shape = facts.resolved(facts.operations()["PostWebhookEndpoints"].body["enabled_events"])
    return frozenset(facts.resolved(shape[1])[1])


def type_for(name: str, what: str, data: dict[str, Any] | None = None) -> str | None:
    """The type for something that happened to an object: `created`, `updated`, `canceled`; None where there is none."""
    if name in ("bank_account", "card") and (data or {}).get("account"):
        found = f"account.external_account.{what}"
        return found if found in types() else None
    for prefix in (_CALLED.get(name), name, name.replace(".", "_")):
        if prefix is not None and f"{prefix}.{what}" in types():
            return f"{prefix}.{what}"
    return None
