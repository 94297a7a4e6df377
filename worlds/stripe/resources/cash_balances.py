"""How does the cash that customers send by bank transfer behave?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from worlds.stripe.api import listing, wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.expanding import PARTS
from worlds.stripe.api.operations import find, loads, operation
from worlds.stripe.models import CashBalance, Customer, CustomerCashBalanceTransaction

NOUN = "customer cash balance transaction"
#: How a transfer comes, by its currency; from everywhere else as in the United States.
_TRANSFERS = {"eur": "eu_bank_transfer", "gbp": "gb_bank_transfer", "jpy": "jp_bank_transfer"}
#: What is done once a transfer has arrived, with its customer and currency.
ON_FUNDED: list[Callable[[Call, Customer, str], None]] = []
_DETAILS = {"us_bank_transfer": {"network": "ach"}}

loads(CustomerCashBalanceTransaction)
wire.ONLY_EXPANDED.add(("customer", "cash_balance"))


@wire.shaped("customer_cash_balance_transaction")
def _shape(row: CustomerCashBalanceTransaction) -> dict[str, Any]:
    return {row.type: row.x_details} if row.x_details else {}


def _customer(call: Call) -> Customer:
    return find(call, Customer, call.path["customer"], noun="customer", param="customer")


def shown(balance: CashBalance) -> dict[str, Any]:
    """A cash balance as the API shows it."""
    settings = {
        "reconciliation_mode": balance.reconciliation_mode,
        "using_merchant_default": balance.using_merchant_default,
    }
    values = {"customer": balance.id, "available": balance.available or None, "settings": settings}
    return wire.complete("cash_balance", values)


PARTS["customer", "cash_balance"] = lambda call, customer: shown(of(customer["id"]))


def of(customer_id: str) -> CashBalance:
    """A customer's cash balance; it is stored once something is known of it."""
    return CashBalance.objects.filter(pk=customer_id).first() or CashBalance(id=customer_id)


def configure(customer_id: str, mode: str) -> CashBalance:
    """Say whether transfers are matched with payments by themselves; "merchant_default" leaves it to the account."""
    balance = of(customer_id)
    balance.using_merchant_default = mode == "merchant_default"
    balance.reconciliation_mode = "automatic" if balance.using_merchant_default else mode
    balance.save()
    return balance


def move(
    call: Call, customer: Customer, amount: int, currency: str, *, type: str, details: dict[str, Any]
) -> CustomerCashBalanceTransaction:
    """Write a movement down, and what it leaves."""
    balance = of(customer.id)
    left = balance.available.get(currency, 0) + amount
    balance.available = {**balance.available, currency: left}
    balance.save()
    row = call.make(
        CustomerCashBalanceTransaction, "ccsbtxn_", customer=customer, net_amount=amount, currency=currency, type=type,
        ending_balance=left, x_details=details,
    )  # fmt: skip
    call.emit("customer_cash_balance_transaction.created", row)
    return row


@operation("GetCustomersCustomerCashBalance")
def retrieve(call: Call) -> dict[str, Any]:
    return shown(of(_customer(call).id))


@operation("PostCustomersCustomerCashBalance")
def update(call: Call) -> dict[str, Any]:
    customer = _customer(call)
    mode = (call.params.get("settings") or {}).get("reconciliation_mode")
    return shown(of(customer.id) if mode is None else configure(customer.id, mode))


@operation("PostTestHelpersCustomersCustomerFundCashBalance")
def fund(call: Call) -> CustomerCashBalanceTransaction:
    """Have a bank transfer of the customer's arrive."""
    customer, currency = _customer(call), call.params["currency"]
    if call.params["amount"] <= 0:
        raise StripeError("Invalid positive integer", code="parameter_invalid_integer", param="amount")
    kind = _TRANSFERS.get(currency, "us_bank_transfer")
    transfer = {"type": kind, "reference": call.params.get("reference"), kind: _DETAILS.get(kind, {})}
    row = move(call, customer, call.params["amount"], currency, type="funded", details={"bank_transfer": transfer})
    call.emit("cash_balance.funds_available", shown(of(customer.id)))
    for follow in ON_FUNDED:
        follow(call, customer, currency)
    return row


@operation("GetCustomersCustomerCashBalanceTransactionsTransaction")
def retrieve_transaction(call: Call) -> CustomerCashBalanceTransaction:
    customer = _customer(call)
    row = find(call, CustomerCashBalanceTransaction, call.path["transaction"], noun=NOUN, param="transaction")
    if row.customer_id != customer.id:
        raise StripeError("Invalid request", status=404, param="customer")
    return row


@operation("GetCustomersCustomerCashBalanceTransactions")
def list_transactions(call: Call) -> dict[str, Any]:
    return listing.page(call, call.rows(CustomerCashBalanceTransaction).filter(customer=_customer(call)), noun=NOUN)
