"""Which endpoints is an event for?

It is queued for them in the transaction in which it happened: an event that never was is never sent.
"""

from __future__ import annotations

from datetime import timedelta

from worlds.engine import Ctx, prepared
from worlds.stripe.api.call import EMITTED, Call
from worlds.stripe.models import WebhookDelivery, WebhookEndpoint
from worlds.stripe.models.core import Event

#: Seconds from each attempt to the next, on the account's clock: after the last of them it is given up.
RETRIES = (1.0, 2.0, 4.0)
STATE = "webhook_retries"


_enabled = WebhookEndpoint.objects.filter(status="enabled", deleted=False).order_by("x_seq")
_own = prepared(lambda account: _enabled.filter(x_account=account, x_connect=False))
_of_platform = prepared(lambda: _enabled.filter(x_account="", x_connect=True))


def queue(call: Call, event: Event) -> None:
    """Note the event for each endpoint that wants it."""
    wanting = [endpoint for endpoint in _listening(call) if wants(endpoint, event.type)]
    if not wanting:
        return
    event.pending_webhooks = len(wanting)
    event.save(update_fields=["pending_webhooks"])
    for endpoint in wanting:
        add(call, event, endpoint)


def _listening(call: Call) -> list[WebhookEndpoint]:
    """The endpoints of the account; of one that is connected also its platform's that ask for that."""
    return [*_own(call.account), *(_of_platform() if call.account else ())]


def wants(endpoint: WebhookEndpoint, type: str) -> bool:
    """Is an endpoint told of events of a type?"""
    return "*" in endpoint.enabled_events or type in endpoint.enabled_events


def add(call: Call, event: Event, endpoint: WebhookEndpoint) -> WebhookDelivery:
    """An event on its way to an endpoint, at once."""
    row: WebhookDelivery = WebhookDelivery.objects.create(
        id=f"{endpoint.id}.{event.id}", x_seq=call.ctx.seq(), event=event, webhook_endpoint=endpoint, created=call.now,
        next_attempt_at=call.now,
    )  # fmt: skip
    return row


def again(ctx: Ctx, row: WebhookDelivery) -> None:
    """Put a delivery at the beginning of the queue once more."""
    row.status, row.next_attempt_at = "pending", ctx.clock.now()
    row.save(update_fields=["status", "next_attempt_at"])


def retry_after(ctx: Ctx, attempts: int) -> timedelta | None:
    """How long it takes from an attempt that failed, the how-manieth it was, to the next; None for no more."""
    waits = ctx.state.get(STATE, RETRIES)
    return timedelta(seconds=waits[attempts - 1]) if attempts <= len(waits) else None


EMITTED.append(queue)
