"""What is set up in an account before its first ticket?"""

from __future__ import annotations

from typing import Any

from django.db import models

from worlds.engine import choices, instant, one_of
from worlds.helpdesk import words


class Settings(models.Model):
    """How the account as a whole works; there is one row."""

    id = models.CharField(max_length=40, primary_key=True)
    company_name = models.CharField(max_length=100)
    auto_close_days = models.PositiveSmallIntegerField()

    class Meta:
        db_table = "settings"

    class Roles:
        natural_key = True

    def __str__(self) -> str:
        return self.company_name


class SlaPolicy(models.Model):
    """How soon tickets of one priority are to be answered and solved, in minutes around the clock."""

    priority = models.CharField(max_length=10, primary_key=True, choices=choices(words.Priority))
    first_reply_minutes = models.PositiveIntegerField()
    resolution_minutes = models.PositiveIntegerField()
    updated_at = models.DateTimeField()

    class Meta:
        db_table = "sla_policies"
        constraints = [one_of("priority", words.Priority, "sla_policies_priority")]

    class Roles:
        natural_key = True
        bookkeeping = ("updated_at",)

    def __str__(self) -> str:
        return self.priority

    def as_dict(self) -> dict[str, Any]:
        return {
            "priority": self.priority,
            "first_reply_minutes": self.first_reply_minutes,
            "resolution_minutes": self.resolution_minutes,
            "updated_at": instant(self.updated_at),
        }


class Team(models.Model):
    """A part of the staff that tickets can be routed to."""

    id = models.CharField(max_length=40, primary_key=True)
    name = models.CharField(max_length=60, unique=True)

    class Meta:
        db_table = "teams"

    class Roles:
        natural_key = True

    def __str__(self) -> str:
        return self.name


class Agent(models.Model):
    """Somebody who answers customers, or did."""

    id = models.CharField(max_length=40, primary_key=True)
    email = models.CharField(max_length=254, unique=True)
    name = models.CharField(max_length=100)
    role = models.CharField(max_length=10, choices=choices(words.Role))
    team = models.ForeignKey(Team, null=True, on_delete=models.PROTECT, related_name="agents")
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField()

    class Meta:
        db_table = "agents"
        constraints = [one_of("role", words.Role, "agents_role")]

    class Roles:
        bookkeeping = ("created_at",)

    def __str__(self) -> str:
        return self.name

    def as_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "email": self.email,
            "name": self.name,
            "role": self.role,
            "team_id": self.team_id,
            "is_active": self.is_active,
            "created_at": instant(self.created_at),
        }


class Macro(models.Model):
    """A prepared answer: what to write, and what to change along with it."""

    id = models.CharField(max_length=40, primary_key=True)
    title = models.CharField(max_length=100, unique=True)
    text = models.TextField(blank=True)
    visibility = models.CharField(max_length=10, choices=choices(words.Visibility))
    status = models.CharField(max_length=10, blank=True, choices=choices(words.NextStatus))
    priority = models.CharField(max_length=10, blank=True, choices=choices(words.Priority))
    team = models.ForeignKey(Team, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    add_tags = models.JSONField(default=list)
    remove_tags = models.JSONField(default=list)
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        db_table = "macros"
        constraints = [
            one_of("visibility", words.Visibility, "macros_visibility"),
            one_of("status", words.NextStatus, "macros_status", blank=True),
            one_of("priority", words.Priority, "macros_priority", blank=True),
        ]

    class Roles:
        bookkeeping = ("created_at", "updated_at")

    def __str__(self) -> str:
        return self.title

    def as_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "title": self.title,
            "text": self.text,
            "visibility": self.visibility,
            "status": self.status or None,
            "priority": self.priority or None,
            "team_id": self.team_id,
            "add_tags": self.add_tags,
            "remove_tags": self.remove_tags,
            "is_active": self.is_active,
            "created_at": instant(self.created_at),
            "updated_at": instant(self.updated_at),
        }
