"""How does the ledger of a customer's balance behave?"""

from __future__ import annotations

from typing import Any

from worlds.stripe import customer_balance
from worlds.stripe.api import changing, listing, wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.operations import find, loads, operation
from worlds.stripe.models import Customer, CustomerBalanceTransaction

NOUN = "customer balance transaction"

loads(CustomerBalanceTransaction)


def _customer(call: Call) -> Customer:
    return find(call, Customer, call.path["customer"], noun="customer", param="customer")


def _own(call: Call) -> CustomerBalanceTransaction:
    """The transaction of the path, if it is the customer's of the path."""
    customer = _customer(call)
    row = find(call, CustomerBalanceTransaction, call.path["transaction"], noun=NOUN, param="transaction")
    if row.customer_id != customer.id:
        raise StripeError("Invalid request", status=404, param="customer")
    return row


@operation("PostCustomersCustomerBalanceTransactions")
def create(call: Call) -> CustomerBalanceTransaction:
    """Move a customer's balance by an amount; the customer is what is told of."""
    customer = _customer(call)
    before = wire.of(customer)
    row = customer_balance.move(
        call, customer, call.params["amount"], call.params["currency"], description=call.params.get("description"),
        metadata=changing.metadata(None, call.params.get("metadata")),
    )  # fmt: skip
    if previous := changing.differences(before, wire.of(customer)):
        call.emit("customer.updated", customer, previous)
    return row


@operation("GetCustomersCustomerBalanceTransactionsTransaction")
def retrieve(call: Call) -> CustomerBalanceTransaction:
    return _own(call)


@operation("PostCustomersCustomerBalanceTransactionsTransaction")
def update(call: Call) -> CustomerBalanceTransaction:
    row = _own(call)
    changing.change(row, changing.values(call.params, ("description", "metadata"), row))
    return row


@operation("GetCustomersCustomerBalanceTransactions")
def list_all(call: Call) -> dict[str, Any]:
    rows = call.rows(CustomerBalanceTransaction).filter(listing.equal(call, "created", "invoice"))
    return listing.page(call, rows.filter(customer=_customer(call)), noun=NOUN)
