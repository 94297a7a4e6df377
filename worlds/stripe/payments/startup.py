"""How is an account paid out from the start?"""

from __future__ import annotations

from worlds.engine import Ctx, WorldBug, instance_startup
from worlds.stripe.api.call import Call
from worlds.stripe.payments import paying_out

_INTERVALS = ("daily", "manual", "monthly", "weekly")


@instance_startup
def begin_payouts(ctx: Ctx, *, payout_schedule: str | None = None, payout_account_number: str | None = None) -> None:
    """Choose when the account is paid out by itself, and the number of the test account it is paid to."""
    if payout_schedule is None and payout_account_number is None:
        return
    if payout_schedule not in (None, *_INTERVALS):
        raise WorldBug(f"payout_schedule is {payout_schedule!r:.40}; it must be one of {', '.join(_INTERVALS)}")
    call = Call.of_clock(ctx)
    own = paying_out.settings(call)
    own.account_number = payout_account_number or own.account_number
    paying_out.choose_schedule(call, own, payout_schedule or own.interval)
