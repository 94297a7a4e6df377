"""What became of each event on its way to an endpoint? A page of ours, and a way to send one again.

`GET /_webhooks` lists deliveries, newest first: as JSON unless a browser asks. `POST /_webhooks/<id>/resend` puts one
in the queue again. Whoever has no server reads here what would be sent.
"""

from __future__ import annotations

from html import escape
from typing import Any

from worlds.engine import Ctx, HttpRequest, HttpResponse
from worlds.stripe import pages
from worlds.stripe.models import WebhookDelivery
from worlds.stripe.webhooks import queueing, sending

_MOST = 100


def shown(row: WebhookDelivery) -> dict[str, Any]:
    """A delivery as it is listed, with the body that is sent."""
    assert row.event is not None
    assert row.webhook_endpoint is not None
    return {
        "id": row.id,
        "event": row.event.id,
        "type": row.event.type,
        "webhook_endpoint": row.webhook_endpoint.id,
        "url": row.webhook_endpoint.url,
        "status": row.status,
        "attempts": row.attempts,
        "response_status": row.response_status,
        "next_attempt_at": None if row.next_attempt_at is None else row.next_attempt_at.isoformat(),
        "body": sending.body_of(row.event).decode(),
    }


@pages.page("webhooks")
def show(ctx: Ctx, request: HttpRequest, rest: str) -> HttpResponse:
    """The delivery log, or a delivery sent again."""
    rows = WebhookDelivery.objects.select_related("event", "webhook_endpoint")
    key, _, action = rest.partition("/")
    if not key and request.method == "GET":
        found = [shown(row) for row in rows.order_by("-x_seq")[:_MOST]]
        is_browser = "text/html" in (request.header("accept") or "")
        return _page(found) if is_browser else HttpResponse.of_json({"deliveries": found})
    row = rows.filter(pk=key).first()
    if row is None:
        return HttpResponse.of_json({"error": {"message": f"There is no delivery {key!r:.80}."}}, 404)
    if action == "resend" and request.method == "POST":
        queueing.again(ctx, row)
    return HttpResponse.of_json(shown(row))


def _page(deliveries: list[dict[str, Any]]) -> HttpResponse:
    lines = "".join(
        f"<tr><td>{escape(each['type'])}<td>{escape(each['url'])}<td>{each['status']}"
        f"<td>{each['response_status'] or ''}<td>{len(each['attempts'])}"
        for each in deliveries
    )
    head = "<tr><th>Event<th>Endpoint<th>Status<th>Answered<th>Attempts"
    return pages.html("Webhook deliveries", f"<table>{head}{lines}</table>")
