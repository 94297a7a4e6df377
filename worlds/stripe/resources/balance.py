"""How do the balance, and the account's settings of it, behave?"""

from __future__ import annotations

from typing import Any

from worlds.stripe import ledger
from worlds.stripe.api import wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.operations import operation
from worlds.stripe.models import PayoutSettings
from worlds.stripe.payments import paying_out
from worlds.stripe.resources import accounts


@operation("GetBalance")
def retrieve(call: Call) -> dict[str, Any]:
    return wire.complete("balance", shown(call))


def shown(call: Call) -> dict[str, Any]:
    """The balance as the sums of its movements."""
    totals = ledger.totals(call)
    own = accounts.own(call)
    known = {currency for parts in totals.values() for currency in parts}
    currencies = sorted(known or {own.default_currency if own is not None else "usd"})
    return {
        status: [_amount(currency, totals[status].get(currency, {})) for currency in currencies] for status in totals
    } | {"instant_available": [_amount(currency, totals["available"].get(currency, {})) for currency in currencies]}


def _amount(currency: str, parts: dict[str, int]) -> dict[str, Any]:
    return {"amount": sum(parts.values()), "currency": currency, "source_types": {"card": 0, **parts}}


@operation("GetBalanceSettings")
def retrieve_settings(call: Call) -> dict[str, Any]:
    return _settings(paying_out.settings(call))


@operation("PostBalanceSettings")
def update_settings(call: Call) -> dict[str, Any]:
    own = paying_out.settings(call)
    given = call.params.get("payments", {})
    payouts = given.get("payouts", {})
    schedule = payouts.get("schedule", {})
    if "debit_negative_balances" in given:
        own.debit_negative_balances = given["debit_negative_balances"]
    if "delay_days_override" in given.get("settlement_timing", {}):
        own.delay_days = given["settlement_timing"]["delay_days_override"] or 2
    if "minimum_balance_by_currency" in payouts:
        own.minimum_balance_by_currency = payouts["minimum_balance_by_currency"] or None
    own.statement_descriptor = payouts.get("statement_descriptor", own.statement_descriptor)
    own.weekly_payout_days = schedule.get("weekly_payout_days", own.weekly_payout_days)
    own.monthly_payout_days = schedule.get("monthly_payout_days", own.monthly_payout_days)
    own.save()
    if schedule.get("interval", own.interval) != own.interval:
        paying_out.choose_schedule(call, own, schedule["interval"])
    answer = _settings(own)
    call.emit("balance_settings.updated", answer)
    return answer


def _settings(own: PayoutSettings) -> dict[str, Any]:
    schedule: dict[str, Any] = {"interval": own.interval}
    if own.interval == "weekly":
        schedule["weekly_payout_days"] = own.weekly_payout_days or ["monday"]
    if own.interval == "monthly":
        schedule["monthly_payout_days"] = own.monthly_payout_days or [1]
    payouts = {
        "minimum_balance_by_currency": own.minimum_balance_by_currency,
        "schedule": schedule,
        "statement_descriptor": own.statement_descriptor,
        "status": "enabled",
    }
    return wire.complete(
        "balance_settings",
        {
            "payments": {
                "debit_negative_balances": own.debit_negative_balances,
                "payouts": payouts,
                "settlement_timing": {"delay_days": own.delay_days},
            }
        },
    )
