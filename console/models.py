"""What does the control database keep for the console?"""

from __future__ import annotations

from django.conf import settings
from django.db import models

from worlds.engine.hosting import new_id


class Draft(models.Model):
    """A fixture in the making. Its rows are not here: they are the parent's, and what its journal says was changed."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    title = models.CharField(max_length=120, help_text="What you call it until it is frozen.")
    world = models.CharField(max_length=100, editable=False)
    parent = models.CharField(max_length=128, blank=True, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, editable=False, related_name="drafts")
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now_add=True, verbose_name="last edited")
    edits = models.PositiveIntegerField(default=0, editable=False)
    frozen_as = models.CharField(max_length=128, blank=True, editable=False)

    class Meta:
        ordering = ["-changed_at"]

    def __str__(self) -> str:
        return self.title

    @property
    def begins_with(self) -> str:
        """Its world, and the fixture it begins with."""
        return f"{self.world} / {self.parent or 'blank'}"
