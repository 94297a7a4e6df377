"""What does the control database keep: of API keys, and of episodes that are over?"""

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
    made_by = models.CharField(max_length=150, editable=False, default="", help_text="Who made it in the admin.")
    used_at = models.DateTimeField(null=True, blank=True, editable=False, verbose_name="last used at")
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


class RecordedEpisode(models.Model):
    """An episode that is over. Its document is a file, so that a list of ten thousand of them is quick."""

    instance_id = models.CharField(max_length=36, db_index=True)
    episode_id = models.CharField(max_length=255, db_index=True)
    world = models.CharField(max_length=100)
    world_version = models.CharField(max_length=50)
    fixture = models.CharField(max_length=255, blank=True, help_text="Empty: it began blank.")
    seed = models.CharField(max_length=20, blank=True, help_text="As it was given; a column of integers is too narrow.")
    door = models.CharField(max_length=20, help_text="Which way its client came in.")
    key_name = models.CharField(max_length=100, blank=True, verbose_name="API key")
    begun_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(db_index=True)
    ended_because = models.TextField()
    call_count = models.PositiveIntegerField(verbose_name="calls")
    refusals = models.PositiveIntegerField(help_text="Calls that were refused or failed.")
    tools = models.TextField(blank=True, help_text="The tools that were called, each once.")
    rows_changed = models.PositiveIntegerField(help_text="Change records of the whole episode.")
    reward = models.FloatField(null=True, help_text="What a grader said of it, once one did.")
    size = models.PositiveBigIntegerField(help_text="Of the document, in bytes.")
    stored = models.PositiveBigIntegerField(help_text="What its file takes, in bytes.")
    file = models.CharField(max_length=255, blank=True, help_text="Below the folder of episodes.")
    missing_because = models.TextField(blank=True, help_text="Why there is no document.")

    class Meta:
        ordering = ("-ended_at", "-id")
        default_permissions = ("view", "delete")
        permissions = [("replay_recordedepisode", "Can replay a recorded episode into a new instance")]

    def __str__(self) -> str:
        return f"{self.world}/{self.fixture or 'blank'} {self.instance_id[:8]}"
