"""What is sent to an endpoint, and what does its answer make of a delivery?

What is queued, and in which order, replays. What endpoints answer is taken as it comes; a replay takes it from the
episode.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Iterator
from typing import Any

import orjson

from worlds.engine import Ctx, Outgoing, outbox, prepared
from worlds.stripe.api import wire
from worlds.stripe.models import WebhookDelivery, WebhookEndpoint
from worlds.stripe.models.core import Event
from worlds.stripe.webhooks import queueing

_HEADERS = (
    ("content-type", "application/json; charset=utf-8"),
    ("user-agent", "Stripe/1.0 (+https://stripe.com/docs/webhooks)"),
    ("accept", "*/*; q=0.5, application/xml"),
    ("cache-control", "no-cache"),
)
#: Deliveries to one endpoint that are looked at in one go; the others come after them.
_AT_ONCE = 4
_endpoints = prepared(lambda: WebhookEndpoint.objects.filter(status="enabled", deleted=False).order_by("x_seq"))
_pending = prepared(
    lambda endpoint: WebhookDelivery.objects.filter(status="pending", webhook_endpoint=endpoint).order_by(
        "next_attempt_at", "x_seq"
    )[:_AT_ONCE]
)
_event = prepared(lambda id: Event.objects.filter(pk=id))
_ANY = "SELECT 1 FROM webhook_deliveries WHERE status = 'pending' LIMIT 1"


def body_of(event: Event) -> bytes:
    """An event as it is sent."""
    return orjson.dumps(wire.of(event), option=orjson.OPT_INDENT_2)


def signature(secret: str, body: bytes, seconds: int) -> str:
    """The value of the header that proves where a body comes from."""
    digest = hmac.new(secret.encode(), f"{seconds}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={seconds},v1={digest}"


def _signs(secret: str, body: bytes) -> Callable[[int], tuple[tuple[str, str], ...]]:
    return lambda seconds: (("stripe-signature", signature(secret, body, seconds)),)


def told(ctx: Ctx, key: str, outcome: dict[str, Any]) -> None:
    """Note what an attempt came to: what is 2xx was received, everything else is tried again for a while."""
    row = WebhookDelivery.objects.select_related("event").filter(pk=key).first()
    if row is None or row.status != "pending":
        return
    status = outcome.get("status")
    row.attempt_count += 1
    row.response_status = status
    now = ctx.clock.now()
    row.attempts = [*row.attempts, {"at": int(now.timestamp()), **outcome}]
    row.next_attempt_at = None
    if status is not None and 200 <= status < 300:
        row.status = "succeeded"
        _one_less(row.event)
    elif (wait := queueing.retry_after(ctx, row.attempt_count)) is not None:
        row.next_attempt_at = now + wait
    else:
        row.status = "failed"
        _one_less(row.event)
    row.save()


def _one_less(event: Event | None) -> None:
    """One delivery fewer that an event waits for."""
    if event is not None and event.pending_webhooks:
        event.pending_webhooks -= 1
        event.save(update_fields=["pending_webhooks"])


@outbox(told=told)
def deliveries(ctx: Ctx) -> Iterator[Outgoing]:
    """The deliveries that are pending: of each endpoint those that are due first."""
    if ctx.db.one(_ANY) is None:
        return
    for endpoint in _endpoints():
        for row in _pending(endpoint.id):
            event, at = _event.first(row.event_id), row.next_attempt_at
            assert event is not None
            assert at is not None
            body = body_of(event)
            sign = _signs(endpoint.x_secret, body)
            yield Outgoing(row.id, endpoint.url, at, group=endpoint.id, headers=_HEADERS, body=body, sign=sign)
