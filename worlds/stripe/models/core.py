"""What does the account remember of requests and of what happened?"""

from __future__ import annotations

from django.db import models

from worlds.stripe.models.base import Resource


class Event(Resource):
    """Something that happened; `data` holds the object as it was sent."""

    api_version = models.CharField(max_length=40)
    data = models.JSONField()
    pending_webhooks = models.IntegerField(default=0)
    request_id = models.CharField(max_length=40, null=True)  # noqa: DJ001 - null where the clock did it
    request_idempotency_key = models.CharField(max_length=255, null=True)  # noqa: DJ001
    type = models.CharField(max_length=80)

    object_name = "event"

    class Meta:
        db_table = "events"
        indexes = [models.Index(fields=["type", "x_seq"], name="events_type")]


class IdempotencyKey(models.Model):
    """What a key was used for, and what was answered."""

    id = models.CharField(max_length=300, primary_key=True)
    method = models.CharField(max_length=8)
    path = models.TextField()
    request_hash = models.CharField(max_length=64)
    request_id = models.CharField(max_length=40)
    status = models.IntegerField()
    body = models.TextField()
    created = models.DateTimeField()

    class Meta:
        db_table = "idempotency_keys"

    def __str__(self) -> str:
        return self.id
