"""How do webhook endpoints behave?"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from worlds.stripe.api import changing, errors, wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.operations import find, lists, loads, operation
from worlds.stripe.models import WebhookEndpoint
from worlds.stripe.webhooks import log, sending, startup

__all__ = ["log", "sending", "startup"]

NOUN = "webhook endpoint"
_MOST = 16

loads(WebhookEndpoint)
lists("GetWebhookEndpoints", WebhookEndpoint, noun=NOUN)


@operation("PostWebhookEndpoints")
def create(call: Call) -> dict[str, Any]:
    """Make an endpoint; the answer is the only one that shows its secret."""
    params = call.params
    values = _checked(changing.values(params, ("description", "enabled_events", "metadata", "url")))
    if not values["enabled_events"]:
        raise errors.missing_parameter("enabled_events")
    if call.rows(WebhookEndpoint).filter(deleted=False).count() >= _MOST:
        raise StripeError(f"You have reached the maximum of {_MOST} test webhook endpoints.")
    row = call.make(
        WebhookEndpoint, "we_", api_version=params.get("api_version"), x_connect=params.get("connect", False),
        x_secret=f"whsec_{call.token(32)}", **values,
    )  # fmt: skip
    return wire.complete("webhook_endpoint", {**wire.columns(row), "secret": row.x_secret})


def _checked(values: dict[str, Any]) -> dict[str, Any]:
    events = values.get("enabled_events")
    if events is not None and "*" in events and len(events) > 1:
        raise StripeError(
            "You cannot name other events together with `*`, which is all of them.", param="enabled_events"
        )
    if "url" in values:
        parts = urlsplit(values["url"])
        if parts.scheme not in ("http", "https"):
            raise StripeError(
                "Invalid URL: An explicit scheme (such as https) must be provided.", code="url_invalid", param="url"
            )
        if not parts.hostname:
            raise StripeError("Invalid URL: it names no host.", code="url_invalid", param="url")
    return values


def _find(call: Call) -> WebhookEndpoint:
    return find(call, WebhookEndpoint, call.path["webhook_endpoint"], noun=NOUN, param="webhook_endpoint")


@operation("GetWebhookEndpointsWebhookEndpoint")
def retrieve(call: Call) -> WebhookEndpoint:
    return _find(call)


@operation("PostWebhookEndpointsWebhookEndpoint")
def update(call: Call) -> WebhookEndpoint:
    row = _find(call)
    values = _checked(changing.values(call.params, ("description", "enabled_events", "metadata", "url"), row))
    if "enabled_events" in values and not values["enabled_events"]:
        raise errors.empty_parameter("enabled_events")
    if "disabled" in call.params:
        values["status"] = "disabled" if call.params["disabled"] else "enabled"
    changing.change(row, values)
    return row


@operation("DeleteWebhookEndpointsWebhookEndpoint")
def delete(call: Call) -> WebhookEndpoint:
    """Delete an endpoint: what was on its way to it is not sent."""
    row = _find(call)
    row.deleted = True
    row.save(update_fields=["deleted"])
    return row
