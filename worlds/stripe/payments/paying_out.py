"""How does money reach the account's bank, and when does it not?"""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta
from typing import Any

from worlds.stripe import currencies, ledger
from worlds.stripe.api.call import Call, account_fragment
from worlds.stripe.api.errors import StripeError
from worlds.stripe.models import BalanceTransaction, Payout, PayoutSettings

#: Why a payout to each of the published test accounts fails.
FAILURES = {
    "000111111116": ("no_account", "The bank account has the right number of digits, but it is no account."),
    "000111111113": ("account_closed", "The bank account has been closed."),
    "000222222227": ("insufficient_funds", "Your Stripe account has insufficient funds to cover the payout."),
    "000333333335": ("debit_not_authorized", "Debit transactions are not approved on your bank account."),
    "000444444440": ("invalid_currency", "The bank was unable to process this payout because of its currency."),
}
_ON_ITS_WAY, _INSTANT = timedelta(hours=1), timedelta(minutes=30)
_DAYS = 2
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def settings(call: Call) -> PayoutSettings:
    """How the account acted for is paid out; what nobody has chosen is not stored."""
    found = PayoutSettings.objects.filter(pk=call.account).first()
    return found or PayoutSettings(x_account=call.account, bank_account=_bank_account_id(call))


def _bank_account_id(call: Call) -> str:
    """The bank account an account is paid out to, the same at every time."""
    fragment = account_fragment(call.ctx, call.account)
    rest = hashlib.sha256(fragment.encode()).hexdigest()
    return f"ba_1{rest[:5]}{fragment}{rest[5:13]}"


def bank_account(call: Call, id: str) -> dict[str, Any] | None:
    """The bank account an account is paid out to, as the API shows it."""
    own = settings(call)
    if id != own.bank_account:
        return None
    return {
        "id": id, "object": "bank_account", "account_holder_name": None, "account_holder_type": None,
        "account_type": None, "bank_name": "STRIPE TEST BANK", "country": "US", "currency": "usd",
        "fingerprint": hashlib.sha256(own.account_number.encode()).hexdigest()[:16], "last4": own.account_number[-4:],
        "routing_number": "110000000", "status": "new",
    }  # fmt: skip


def choose_schedule(call: Call, own: PayoutSettings, interval: str) -> None:
    """Pay out by a schedule from now on."""
    own.interval = interval
    own.schedule += 1
    own.save()
    if interval != "manual":
        later = {"account": call.account, "schedule": own.schedule}
        call.ctx.schedule(ledger.midnight(call.now, 1), "automatic_payout", later)


def is_payday(own: PayoutSettings, day: datetime) -> bool:
    """Does the schedule pay out on a day?"""
    if own.interval == "weekly":
        return _WEEKDAYS[day.weekday()] in (own.weekly_payout_days or ["monday"])
    if own.interval == "monthly":
        last = (day.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)
        return day.day in [min(wanted, last.day) for wanted in own.monthly_payout_days or [1]]
    return own.interval == "daily"


def require_covered(call: Call, amount: int, currency: str, source_type: str | None) -> None:
    """Refuse to pay out what is not available.

    Raises: StripeError.
    """
    there = ledger.available(call, currency, source_type)
    if amount > there:
        kind = {"bank_account": "bank account", "fpx": "FPX"}.get(source_type or "", source_type or "available")
        raise StripeError(
            f"You have insufficient funds in your Stripe account for this transfer. Your {kind} balance is too low: "
            f"{currencies.written(there, currency)} of it is available. You can use the /v1/balance endpoint to view "
            "your Stripe balance.",
            code="balance_insufficient",
            param="amount",
        )


def send(call: Call, amount: int, currency: str, **columns: Any) -> Payout:
    """Send money off."""
    own = settings(call)
    instant = columns.get("method") == "instant"
    arrives = call.now + _INSTANT if instant else ledger.midnight(call.now, _DAYS)
    payout = call.make(
        Payout,
        "po_",
        by="1",
        amount=amount,
        currency=currency,
        arrival_date=arrives,
        status="pending",
        trace_id={"status": "pending", "value": None},
        **{"destination": own.bank_account, "x_account_number": own.account_number, **columns},
    )
    payout.balance_transaction = ledger.record(
        call, "payout", amount=-amount, currency=currency, source=payout.id,
        description="STRIPE PAYOUT", source_type=payout.source_type,
    )  # fmt: skip
    payout.save(update_fields=["balance_transaction"])
    call.emit("payout.created", payout)
    later = {"account": call.account, "payout": payout.id}
    call.ctx.schedule(call.now + min(_ON_ITS_WAY, (arrives - call.now) / 2), "payout_leaves", later)
    call.ctx.schedule(arrives, "payout_arrives", later)
    return payout


def send_automatically(call: Call) -> None:
    """Pay out everything there is."""
    for currency, parts in ledger.totals(call)["available"].items():
        for source_type, amount in parts.items():
            if amount <= 0:
                continue
            rows = call.rows(BalanceTransaction).filter(
                status="available", currency=currency, x_source_type=source_type, x_payout__isnull=True
            )
            included = list(rows.exclude(type__startswith="payout").values_list("pk", flat=True))
            payout = send(
                call, amount, currency, source_type=source_type, automatic=True, reconciliation_status="in_progress"
            )
            assert payout.balance_transaction is not None
            numbers = [*included, payout.balance_transaction.pk]
            BalanceTransaction.objects.filter(pk__in=numbers).update(x_payout=payout)


def leave(call: Call, payout: Payout) -> None:
    """The bank has it under way."""
    if payout.status == "pending":
        payout.status = "in_transit"
        payout.save(update_fields=["status"])
        call.emit("payout.updated", payout, {"status": "pending"})


def arrive(call: Call, payout: Payout) -> None:
    """It has arrived, or the bank sends it back."""
    if payout.status not in ("pending", "in_transit"):
        return
    failure = FAILURES.get(payout.x_account_number)
    if failure is not None:
        payout.status = "failed"
        payout.failure_code, payout.failure_message = failure
        payout.failure_balance_transaction = _take_back(call, payout, "payout_failure", "STRIPE PAYOUT FAILURE")
        payout.save()
        call.emit("payout.failed", payout)
        return
    payout.status = "paid"
    payout.trace_id = {"status": "supported", "value": call.ctx.ids.token(15, "0123456789")}
    if payout.automatic:
        payout.reconciliation_status = "completed"
    payout.save()
    call.emit("payout.paid", payout)
    if payout.automatic:
        call.emit("payout.reconciliation_completed", payout)


def _take_back(call: Call, payout: Payout, type: str, description: str) -> BalanceTransaction:
    return ledger.record(
        call, type, amount=payout.amount, currency=payout.currency, source=payout.id, description=description,
        source_type=payout.source_type,
    )  # fmt: skip


def cancel(call: Call, payout: Payout) -> None:
    """Stop a payout that has not left.

    Raises: StripeError.
    """
    if payout.status != "pending":
        raise StripeError(f"Payouts can only be canceled while they are pending; this one is {payout.status}.")
    payout.status = "canceled"
    payout.failure_balance_transaction = _take_back(call, payout, "payout_cancel", "STRIPE PAYOUT CANCEL")
    payout.save()
    call.emit("payout.canceled", payout)


def reverse(call: Call, payout: Payout, metadata: dict[str, str]) -> Payout:
    """Have a payout that arrived come back.

    Raises: StripeError.
    """
    if payout.status != "paid" or payout.amount < 0:
        raise StripeError(f"Only payouts that have been paid can be reversed; this one is {payout.status}.")
    if payout.reversed_by_id is not None:
        raise StripeError(f"The payout {payout.id} has already been reversed by {payout.reversed_by_id}.")
    back = send(
        call, -payout.amount, payout.currency, original_payout=payout, source_type=payout.source_type,
        destination=payout.destination, metadata=metadata, x_account_number="",
    )  # fmt: skip
    payout.reversed_by = back
    payout.save(update_fields=["reversed_by"])
    call.emit("payout.updated", payout, {"reversed_by": None})
    return back
