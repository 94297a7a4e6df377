"""What does the helpdesk store?"""

from __future__ import annotations

from typing import Any

from django.db import models

from worlds.engine import choices, instant, one_of
from worlds.helpdesk import words
from worlds.helpdesk.account import Agent, Macro, Settings, SlaPolicy, Team

__all__ = [
    "Agent",
    "Customer",
    "CustomerAddress",
    "HistoryEntry",
    "Macro",
    "Message",
    "SatisfactionRating",
    "Settings",
    "SlaClock",
    "SlaPolicy",
    "Tag",
    "Team",
    "Ticket",
]


class Customer(models.Model):
    """Somebody who asks for help, known by an email address."""

    id = models.CharField(max_length=40, primary_key=True)
    email = models.CharField(max_length=254, unique=True)
    name = models.CharField(max_length=160, blank=True)
    company_name = models.CharField(max_length=200, blank=True)
    phone = models.CharField(max_length=40, blank=True)
    about = models.TextField(blank=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        db_table = "customers"
        indexes = [
            models.Index(fields=["created_at", "id"], name="customers_created"),
            models.Index(fields=["company_name"], name="customers_company"),
        ]

    class Roles:
        bookkeeping = ("created_at", "updated_at")

    def __str__(self) -> str:
        return self.name or self.email

    def as_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "email": self.email,
            "name": self.name,
            "company_name": self.company_name,
            "phone": self.phone,
            "about": self.about,
            "created_at": instant(self.created_at),
            "updated_at": instant(self.updated_at),
        }


class CustomerAddress(models.Model):
    """Another address under which a customer writes."""

    email = models.CharField(max_length=254, primary_key=True)
    customer = models.ForeignKey(Customer, on_delete=models.CASCADE, related_name="addresses")
    created_at = models.DateTimeField()

    class Meta:
        db_table = "customer_addresses"

    class Roles:
        natural_key = True
        bookkeeping = ("created_at",)

    def __str__(self) -> str:
        return self.email


class Tag(models.Model):
    """A label for tickets, made when it is first used."""

    id = models.CharField(max_length=40, primary_key=True)
    name = models.CharField(max_length=40, unique=True)
    created_at = models.DateTimeField()

    class Meta:
        db_table = "tags"

    class Roles:
        bookkeeping = ("created_at",)

    def __str__(self) -> str:
        return self.name


class Ticket(models.Model):
    """One request of a customer, from the first message to its end."""

    id = models.CharField(max_length=40, primary_key=True)
    number = models.PositiveIntegerField(unique=True)
    subject = models.CharField(max_length=200)
    status = models.CharField(max_length=10, choices=choices(words.Status))
    priority = models.CharField(max_length=10, choices=choices(words.Priority))
    channel = models.CharField(max_length=10, choices=choices(words.Channel))
    requester = models.ForeignKey(Customer, on_delete=models.PROTECT, related_name="tickets")
    assignee = models.ForeignKey(Agent, null=True, on_delete=models.PROTECT, related_name="tickets")
    team = models.ForeignKey(Team, null=True, on_delete=models.PROTECT, related_name="tickets")
    follow_up_of = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="follow_ups")
    merged_into = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="merged")
    waiting_since = models.DateTimeField(null=True)
    first_replied_at = models.DateTimeField(null=True)
    solved_at = models.DateTimeField(null=True)
    auto_closes_at = models.DateTimeField(null=True)
    auto_close_event = models.BigIntegerField(null=True)
    closed_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    tags = models.ManyToManyField(Tag, related_name="tickets", db_table="ticket_tags")

    class Meta:
        db_table = "tickets"
        constraints = [
            one_of("status", words.Status, "tickets_status"),
            one_of("priority", words.Priority, "tickets_priority"),
            one_of("channel", words.Channel, "tickets_channel"),
        ]
        indexes = [
            models.Index(fields=["created_at", "id"], name="tickets_created"),
            models.Index(fields=["updated_at", "id"], name="tickets_updated"),
            models.Index(fields=["status", "created_at", "id"], name="tickets_of_status"),
        ]

    class Roles:
        bookkeeping = (
            "number",
            "first_replied_at",
            "solved_at",
            "auto_close_event",
            "closed_at",
            "created_at",
            "updated_at",
        )
        derived = ("waiting_since", "auto_closes_at")

    def __str__(self) -> str:
        return f"#{self.number} {self.subject}"

    def as_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "number": self.number,
            "subject": self.subject,
            "status": self.status,
            "priority": self.priority,
            "channel": self.channel,
            "requester_id": self.requester_id,
            "assignee_id": self.assignee_id,
            "team_id": self.team_id,
            "follow_up_of_id": self.follow_up_of_id,
            "merged_into_id": self.merged_into_id,
            "waiting_since": instant(self.waiting_since),
            "first_replied_at": instant(self.first_replied_at),
            "solved_at": instant(self.solved_at),
            "auto_closes_at": instant(self.auto_closes_at),
            "closed_at": instant(self.closed_at),
            "created_at": instant(self.created_at),
            "updated_at": instant(self.updated_at),
        }


class Message(models.Model):
    """What a customer or an agent wrote on a ticket; an internal one is a note for colleagues."""

    id = models.CharField(max_length=40, primary_key=True)
    ticket = models.ForeignKey(Ticket, on_delete=models.CASCADE, related_name="messages")
    visibility = models.CharField(max_length=10, choices=choices(words.Visibility))
    customer = models.ForeignKey(Customer, null=True, on_delete=models.PROTECT, related_name="messages")
    agent = models.ForeignKey(Agent, null=True, on_delete=models.PROTECT, related_name="messages", db_index=False)
    macro = models.ForeignKey(Macro, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    body = models.TextField()
    created_at = models.DateTimeField()

    class Meta:
        db_table = "messages"
        constraints = [
            one_of("visibility", words.Visibility, "messages_visibility"),
            models.CheckConstraint(
                condition=models.Q(customer=None) | models.Q(agent=None, visibility="public"),
                name="messages_author",
            ),
        ]
        indexes = [models.Index(fields=["created_at", "id"], name="messages_created")]

    class Roles:
        bookkeeping = ("created_at",)

    def __str__(self) -> str:
        return self.body[:60]

    def as_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "ticket_id": self.ticket_id,
            "visibility": self.visibility,
            "author_type": "customer" if self.customer_id else "agent",
            "author_id": self.customer_id or self.agent_id,
            "macro_id": self.macro_id,
            "body": self.body,
            "created_at": instant(self.created_at),
        }


class SlaClock(models.Model):
    """How much time a ticket has left for one thing: the first reply, or its resolution.

    While it runs, `due_at` is when the time is up and `event` the event that will note the breach then; while it does
    not, `remaining_s` is what was left, less than nothing if a shorter target was set meanwhile. A breach stays.
    """

    id = models.CharField(max_length=40, primary_key=True)
    ticket = models.ForeignKey(Ticket, on_delete=models.CASCADE, related_name="sla_clocks", db_index=False)
    metric = models.CharField(max_length=15, choices=choices(words.Metric))
    status = models.CharField(max_length=10, choices=choices(words.ClockStatus))
    target_minutes = models.PositiveIntegerField()
    started_at = models.DateTimeField()
    due_at = models.DateTimeField(null=True)
    remaining_s = models.IntegerField(null=True)
    stopped_at = models.DateTimeField(null=True)
    breached_at = models.DateTimeField(null=True)
    event = models.BigIntegerField(null=True)

    class Meta:
        db_table = "sla_clocks"
        constraints = [
            one_of("metric", words.Metric, "sla_clocks_metric"),
            one_of("status", words.ClockStatus, "sla_clocks_status"),
            models.UniqueConstraint(fields=["ticket", "metric"], name="sla_clocks_one_each"),
            models.CheckConstraint(
                condition=~models.Q(status__in=("running", "breached")) | models.Q(due_at__isnull=False),
                name="sla_clocks_due",
            ),
        ]
        indexes = [models.Index(fields=["due_at", "id"], name="sla_clocks_due_next")]

    class Roles:
        bookkeeping = ("started_at", "stopped_at", "breached_at", "event")
        derived = ("due_at", "remaining_s")

    def __str__(self) -> str:
        return f"{self.metric}: {self.status}"

    def as_dict(self) -> dict[str, Any]:
        return {
            "metric": self.metric,
            "status": self.status,
            "target_minutes": self.target_minutes,
            "started_at": instant(self.started_at),
            "due_at": instant(self.due_at),
            "remaining_minutes": None if self.remaining_s is None else max(0, self.remaining_s) // 60,
            "stopped_at": instant(self.stopped_at),
            "breached_at": instant(self.breached_at),
        }


class SatisfactionRating(models.Model):
    """What a customer said of how a ticket went; offered when it is solved."""

    id = models.CharField(max_length=40, primary_key=True)
    ticket = models.OneToOneField(Ticket, on_delete=models.CASCADE, related_name="rating")
    status = models.CharField(max_length=10, choices=choices(words.RatingStatus))
    comment = models.TextField(blank=True)
    offered_at = models.DateTimeField()
    rated_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "satisfaction_ratings"
        constraints = [one_of("status", words.RatingStatus, "satisfaction_ratings_status")]

    class Roles:
        bookkeeping = ("offered_at", "rated_at")

    def __str__(self) -> str:
        return self.status

    def as_dict(self) -> dict[str, Any]:
        return {
            "status": self.status,
            "comment": self.comment,
            "offered_at": instant(self.offered_at),
            "rated_at": instant(self.rated_at),
        }


class HistoryEntry(models.Model):
    """One thing that happened to a ticket; without agent and customer it was the product itself."""

    id = models.CharField(max_length=40, primary_key=True)
    ticket = models.ForeignKey(Ticket, on_delete=models.CASCADE, related_name="history")
    kind = models.CharField(max_length=20, choices=choices(words.HistoryKind))
    from_value = models.TextField(blank=True)
    to_value = models.TextField(blank=True)
    agent = models.ForeignKey(Agent, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    customer = models.ForeignKey(Customer, null=True, on_delete=models.PROTECT, related_name="+")
    happened_at = models.DateTimeField()

    class Meta:
        db_table = "ticket_history"
        constraints = [one_of("kind", words.HistoryKind, "ticket_history_kind")]

    class Roles:
        bookkeeping = ("happened_at",)

    def __str__(self) -> str:
        return self.kind

    def as_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "kind": self.kind,
            "from": self.from_value or None,
            "to": self.to_value or None,
            "by_type": "agent" if self.agent_id else "customer" if self.customer_id else "system",
            "by_id": self.agent_id or self.customer_id,
            "happened_at": instant(self.happened_at),
        }
