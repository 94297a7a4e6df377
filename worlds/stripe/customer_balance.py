"""How does what a customer owes the account, or is owed by it, change?"""

from __future__ import annotations

from typing import Any

from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.models import Customer, CustomerBalanceTransaction

#: The currency of an account's first balance, where nothing else says one.
DEFAULT_CURRENCY = "usd"


def move(
    call: Call, customer: Customer, amount: int, currency: str, *, type: str = "adjustment", **about: Any
) -> CustomerBalanceTransaction:
    """Write a movement down, and what it makes of the balance: above zero the customer owes it.

    Raises: StripeError for another currency than the customer's.
    """
    if customer.currency is not None and customer.currency != currency:
        raise StripeError(
            f"The customer's currency is {customer.currency}, so a balance transaction in {currency} cannot be made.",
            param="currency",
        )
    customer.balance += amount
    customer.currency = currency
    customer.save(update_fields=["balance", "currency"])
    return call.make(
        CustomerBalanceTransaction, "cbtxn_", customer=customer, amount=amount, currency=currency, type=type,
        ending_balance=customer.balance, **about,
    )  # fmt: skip


def set_to(call: Call, customer: Customer, balance: int, *, type: str = "adjustment") -> None:
    """Move the balance to an amount, with the difference as a transaction."""
    if balance != customer.balance:
        move(call, customer, balance - customer.balance, customer.currency or DEFAULT_CURRENCY, type=type)
