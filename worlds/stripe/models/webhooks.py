"""What is stored of where events are sent, and of what became of each?"""

from __future__ import annotations

from django.db import models

from worlds.engine import choices
from worlds.stripe.models.base import WithMetadata, reference
from worlds.stripe.words import DeliveryStatus, EndpointStatus


class WebhookEndpoint(WithMetadata):
    """An address that events are sent to; `x_secret` signs them, and is shown once."""

    deleted = models.BooleanField(default=False)
    api_version = models.CharField(max_length=40, null=True)  # noqa: DJ001 - null and "" differ on the wire
    application = models.CharField(max_length=255, null=True)  # noqa: DJ001
    description = models.TextField(null=True)  # noqa: DJ001
    enabled_events = models.JSONField(default=list)
    status = models.CharField(max_length=8, default="enabled", choices=choices(EndpointStatus))
    url = models.TextField()
    #: Is it told of what happens in connected accounts, instead of its own?
    x_connect = models.BooleanField(default=False)
    x_secret = models.CharField(max_length=40)

    object_name = "webhook_endpoint"

    class Meta:
        db_table = "webhook_endpoints"


class WebhookDelivery(models.Model):
    """One event on its way to one endpoint; `attempts` has what each came to, in their order."""

    id = models.CharField(max_length=255, primary_key=True)
    x_seq = models.BigIntegerField(unique=True)
    event = reference("stripe.Event", null=False)
    webhook_endpoint = reference("stripe.WebhookEndpoint", null=False)
    created = models.DateTimeField()
    status = models.CharField(max_length=9, default="pending", choices=choices(DeliveryStatus))
    attempt_count = models.IntegerField(default=0)
    #: When the next attempt is due, on the account's clock; null when none is to come.
    next_attempt_at = models.DateTimeField(null=True)
    #: What the last one was answered with; null where nobody answered.
    response_status = models.IntegerField(null=True)
    attempts = models.JSONField(default=list)

    class Meta:
        db_table = "webhook_deliveries"
        indexes = [
            models.Index(
                fields=["status", "webhook_endpoint", "next_attempt_at", "x_seq"], name="webhook_deliveries_due"
            ),
            models.Index(fields=["event"], name="webhook_deliveries_event"),
        ]

    class Roles:
        bookkeeping = ("x_seq", "created")
        distinct = ("x_seq",)  # each is a number of ctx.seq()

    def __str__(self) -> str:
        return self.id
