"""What does the control database keep of an API key?"""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.db import models

from openenv_api.access import Scope, hash_of, new_key

#: So many characters of a key's random part are kept to tell it from others.
SHOWN = 6


class ApiKey(models.Model):
    """A key that clients show; the key itself is shown once and not kept."""

    class Scopes(models.TextChoices):
        AGENT = "agent", "agent: open instances, call their tools"
        EVALUATOR = "evaluator", "evaluator: read, grade and rewind instances, too"
        ADMIN = "admin", "admin: freeze fixtures, use and end anybody's instances, too"

    name = models.CharField(max_length=100, help_text="Who uses it, and for what.")
    scope = models.CharField(max_length=10, choices=Scopes, default=Scopes.AGENT)
    hash = models.CharField(max_length=64, unique=True, editable=False)
    start = models.CharField(max_length=40, editable=False, verbose_name="begins with")
    created_at = models.DateTimeField(auto_now_add=True)
    revoked_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        verbose_name = "API key"
        ordering = ("created_at", "id")
        constraints = [
            models.UniqueConstraint(fields=["name"], condition=models.Q(revoked_at=None), name="one_key_of_a_name")
        ]

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        # The constraint is for those who come at the same time: forms leave it out, for a field they do not show.
        others = ApiKey.objects.filter(name=self.name, revoked_at=None).exclude(pk=self.pk)
        if self.revoked_at is None and others.exists():
            raise ValidationError({"name": f"There is a key {self.name!r} already; revoke it, or choose another name."})

    def mint(self) -> str:
        """Make this the record of a new key; answers the key, which is kept nowhere."""
        key = new_key(Scope.named(self.scope))
        self.hash, self.start = hash_of(key), key[: len(f"seahaven_{self.scope}_") + SHOWN]
        return key
