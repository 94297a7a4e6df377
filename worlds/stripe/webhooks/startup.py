"""How often are deliveries tried again?"""

from __future__ import annotations

from worlds.engine import Ctx, WorldBug, instance_startup
from worlds.stripe.webhooks import queueing

_MOST = 20


@instance_startup
def set_webhook_retries(ctx: Ctx, *, webhook_retries: list[float] | None = None) -> None:
    """Wait so many seconds of the account's clock after each attempt that failed; an empty list tries once only."""
    if webhook_retries is None:
        return
    is_fit = isinstance(webhook_retries, list) and len(webhook_retries) <= _MOST
    if not is_fit or not all(isinstance(each, int | float) and each >= 0 for each in webhook_retries):
        raise WorldBug(
            f"startup keyword webhook_retries is {webhook_retries!r:.60}; write the seconds to wait after each "
            f"attempt, at most {_MOST}: [1, 2, 4]"
        )
    ctx.state[queueing.STATE] = [float(each) for each in webhook_retries]
