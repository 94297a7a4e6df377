"""What moved the account's balance, and how much is there?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from django.db.models import Sum

from worlds.stripe import currencies
from worlds.stripe.api.call import Call
from worlds.stripe.models import BalanceTransaction
from worlds.stripe.models.payments import Charge

#: Money is there on the second day after, at midnight UTC.
_DAYS = 2
_RATE = Decimal("0.029")
_FIXED = {0: 30, 2: 30, 3: 300}
_DEBIT_RATE, _DEBIT_MOST, _DEBIT_FIXED = Decimal("0.008"), 500, 35
#: What a movement is called in reports, where not by its type.
_CATEGORIES = {"payment": "charge", "payment_refund": "refund", "payout_cancel": "payout_reversal"}
#: Give others their parts of what a captured charge has brought: `fn(call, charge, amount)`.
SHARES: list[Callable[[Call, Charge, int], None]] = []
FROM_BANKS = frozenset(
    ["us_bank_account", "acss_debit", "au_becs_debit", "bacs_debit", "nz_bank_account", "sepa_debit"]
)


def fee_of(amount: int, currency: str, method: str) -> int:
    """What Stripe keeps of a payment: 2.9 % and 30 of a card's, less of a bank debit's."""
    if method == "us_bank_account":
        return min(_share(amount, _DEBIT_RATE), _DEBIT_MOST)
    if method in FROM_BANKS:
        return min(_DEBIT_FIXED, amount)
    return _share(amount, _RATE) + _FIXED[currencies.digits(currency)]


def _share(amount: int, rate: Decimal) -> int:
    return int((amount * rate).quantize(Decimal(1), ROUND_HALF_UP))


def midnight(at: datetime, days: int = 0) -> datetime:
    """The beginning of a day, so many days after that of `at`."""
    return at.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=days)


def record(
    call: Call,
    type: str,
    *,
    amount: int,
    currency: str,
    source: str,
    fee: int = 0,
    description: str | None = None,
    available_on: datetime | None = None,
    category: str | None = None,
    source_type: str = "card",
    fee_description: str = "Stripe processing fees",
    fee_details: Sequence[dict[str, Any]] = (),
) -> BalanceTransaction:
    """Write a movement down; what is not there yet becomes available by the clock.

    `fee_details` are fees besides Stripe's own, which is `fee`.
    Units: minor units; what leaves the balance is negative.
    """
    at = available_on or call.now
    is_waiting = at > call.now
    if is_waiting and not call.rows(BalanceTransaction).filter(status="pending", available_on=at).exists():
        call.ctx.schedule(at, "balance_becomes_available", {"account": call.account})
    fees = [{"amount": fee, "application": None, "currency": currency, "description": fee_description,
             "type": "stripe_fee"}] if fee else []  # fmt: skip
    fees += fee_details
    fee += sum(each["amount"] for each in fee_details)
    return call.make(
        BalanceTransaction, "txn_", by="3", type=type, amount=amount, currency=currency, source=source, fee=fee,
        net=amount - fee, fee_details=fees, description=description, available_on=at,
        status="pending" if is_waiting else "available", reporting_category=category or _CATEGORIES.get(type, type),
        x_source_type=source_type,
    )  # fmt: skip


def take_in(call: Call, charge: Charge, amount: int, method: str, *, at_once: bool = False) -> BalanceTransaction:
    """Write down what a captured charge brings; only older bank debits are counted apart from the rest."""
    is_direct = bool(call.account and charge.application_fee_amount)
    return record(
        call,
        "charge" if charge.id.startswith("ch_") else "payment",
        amount=amount,
        currency=charge.currency,
        source=charge.id,
        fee=fee_of(amount, charge.currency, method),
        description=charge.description,
        available_on=call.now if at_once else midnight(call.now, _DAYS),
        source_type="bank_account" if method in FROM_BANKS and charge.payment_intent_id is None else "card",
        fee_details=[application_fee(charge.application_fee_amount or 0, charge.currency)] if is_direct else (),
    )


def share(call: Call, charge: Charge, amount: int) -> None:
    """Let others have their parts of what a charge has brought, where there are any."""
    if charge.transfer_data or charge.application_fee_amount:
        for give in SHARES:
            give(call, charge, amount)


def application_fee(amount: int, currency: str) -> dict[str, Any]:
    """The platform's part of a payment of an account's, as the account's movement tells of it."""
    return {
        "amount": amount, "application": None, "currency": currency, "description": "Application fee",
        "type": "application_fee",
    }  # fmt: skip


def give_back(call: Call, charge: Charge, type: str, *, amount: int, source: str, **more: Any) -> BalanceTransaction:
    """Write down what a charge's money loses or gets back; it is available when the charge's own is."""
    own = charge.balance_transaction
    waits = own is not None and own.status == "pending"
    return record(
        call,
        type,
        amount=amount,
        currency=charge.currency,
        source=source,
        available_on=own.available_on if own is not None and waits else call.now,
        source_type=own.x_source_type if own is not None else "card",
        **more,
    )


def totals(call: Call) -> dict[str, dict[str, dict[str, int]]]:
    """The balance: {status: {currency: {source type: net}}}."""
    found: dict[str, dict[str, dict[str, int]]] = {"available": defaultdict(dict), "pending": defaultdict(dict)}
    rows = call.rows(BalanceTransaction).values("status", "currency", "x_source_type").annotate(net=Sum("net"))
    for row in rows.order_by("status", "currency", "x_source_type"):
        found[row["status"]][row["currency"]][row["x_source_type"]] = row["net"]
    return found


def available(call: Call, currency: str, kind: str | None = None) -> int:
    """What may be paid out of a currency: all of it, or the part of one source type."""
    parts = totals(call)["available"].get(currency, {})
    return parts.get(kind, 0) if kind else sum(parts.values())


def available_now(call: Call) -> dict[str, int]:
    """What is there of each currency."""
    return {currency: sum(parts.values()) for currency, parts in totals(call)["available"].items()}
