"""How are the balance's movements read?"""

from __future__ import annotations

from typing import Any

from worlds.stripe.api import listing
from worlds.stripe.api.call import Call
from worlds.stripe.api.operations import find, loads, operation
from worlds.stripe.models import BalanceTransaction

loads(BalanceTransaction)


@operation("GetBalanceTransactionsId", "GetBalanceHistoryId")
def retrieve(call: Call) -> BalanceTransaction:
    return find(call, BalanceTransaction, call.path["id"], noun="balance transaction")


@operation("GetBalanceTransactions", "GetBalanceHistory")
def list_all(call: Call) -> dict[str, Any]:
    """All of them; those of a dispute are not found by it."""
    rows = call.rows(BalanceTransaction).filter(listing.equal(call, "created", "currency", "source", "type"))
    if str(call.params.get("source", "")).startswith(("du_", "dp_")):
        rows = rows.none()
    if "payout" in call.params:
        rows = rows.filter(x_payout=call.params["payout"])
    return listing.page(call, rows, noun="balance transaction")
