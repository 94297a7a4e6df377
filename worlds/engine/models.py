"""Which tables does the engine itself keep in a store?"""

from __future__ import annotations

from django.db import models


class ScheduledEvent(models.Model):
    """An event on an instance's schedule, waiting for its time; written by `ctx.schedule`."""

    id = models.BigIntegerField(primary_key=True)
    at = models.DateTimeField(db_index=True)
    handler = models.CharField(max_length=200)
    payload = models.JSONField(default=None, null=True)

    class Meta:
        db_table = "seahaven_events"
        ordering = ["at", "id"]

    def __str__(self) -> str:
        return f"{self.handler} at {self.at}"
