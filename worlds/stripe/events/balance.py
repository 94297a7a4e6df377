"""What happens to the balance by the mere passing of time?"""

from __future__ import annotations

from typing import Any

from worlds.engine import Ctx, event_handler
from worlds.stripe import ledger
from worlds.stripe.api import wire
from worlds.stripe.api.call import Call
from worlds.stripe.models import BalanceTransaction, Payout, PayoutSettings
from worlds.stripe.payments import paying_out
from worlds.stripe.resources import balance


@event_handler
def balance_becomes_available(ctx: Ctx, payload: dict[str, Any]) -> None:
    """Money that was on its way is there."""
    call = Call.of_clock(ctx, payload["account"])
    rows = call.rows(BalanceTransaction).filter(status="pending", available_on__lte=call.now)
    if rows.update(status="available"):
        call.emit("balance.available", wire.complete("balance", balance.shown(call)))


@event_handler
def payout_leaves(ctx: Ctx, payload: dict[str, Any]) -> None:
    """A payout goes to the bank."""
    paying_out.leave(Call.of_clock(ctx, payload["account"]), Payout.objects.get(pk=payload["payout"]))


@event_handler
def payout_arrives(ctx: Ctx, payload: dict[str, Any]) -> None:
    """A payout reaches the bank account, or does not."""
    paying_out.arrive(Call.of_clock(ctx, payload["account"]), Payout.objects.get(pk=payload["payout"]))


@event_handler
def automatic_payout(ctx: Ctx, payload: dict[str, Any]) -> None:
    """It is the time of day for an automatic payout."""
    call = Call.of_clock(ctx, payload["account"])
    own = PayoutSettings.objects.get(pk=call.account)
    if own.interval == "manual" or own.schedule != payload["schedule"]:
        return
    if paying_out.is_payday(own, call.now):
        paying_out.send_automatically(call)
    ctx.schedule(ledger.midnight(call.now, 1), "automatic_payout", payload)
