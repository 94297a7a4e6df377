"""What happens to tax ids by the mere passing of time?"""

from __future__ import annotations

from typing import Any

from worlds.engine import Ctx, event_handler
from worlds.stripe import tax_numbers
from worlds.stripe.api import changing
from worlds.stripe.api.call import Call
from worlds.stripe.models import TaxId


@event_handler
def tax_id_is_checked(ctx: Ctx, payload: dict[str, Any]) -> None:
    """The authority answers."""
    call = Call.of_clock(ctx, payload["account"])
    row = TaxId.objects.select_related("customer").get(pk=payload["tax_id"])
    found = tax_numbers.outcome(row.value)
    if row.deleted or found is None:
        return
    values: dict[str, Any] = {"x_status": found}
    if found == "verified" and row.customer is not None:
        address = row.customer.address or {}
        lines = [address[part] for part in ("line1", "postal_code", "city") if address.get(part)]
        values |= {"x_verified_name": row.customer.name or "", "x_verified_address": ", ".join(lines)}
    previous = changing.change(row, values)
    if previous and row.customer_id is not None:
        call.emit("customer.tax_id.updated", row, previous)
