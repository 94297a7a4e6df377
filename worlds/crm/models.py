"""What does the CRM store?"""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models.functions import Coalesce

from worlds.crm import words
from worlds.engine import choices, instant, one_of


class User(models.Model):
    """Somebody who works in the sales team, or did."""

    id = models.CharField(max_length=40, primary_key=True)
    email = models.CharField(max_length=254, unique=True)
    name = models.CharField(max_length=100)
    role = models.CharField(max_length=10, choices=choices(words.Role))
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField()

    class Meta:
        db_table = "users"
        constraints = [one_of("role", words.Role, "users_role")]

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
            "is_active": self.is_active,
            "created_at": instant(self.created_at),
        }


class Tag(models.Model):
    """A label for leads and deals, made when it is first used."""

    id = models.CharField(max_length=40, primary_key=True)
    name = models.CharField(max_length=40, unique=True)
    created_at = models.DateTimeField()

    class Meta:
        db_table = "tags"

    class Roles:
        bookkeeping = ("created_at",)

    def __str__(self) -> str:
        return self.name


class Company(models.Model):
    """An organisation the team sells to, or would like to."""

    id = models.CharField(max_length=40, primary_key=True)
    name = models.CharField(max_length=200)
    domain = models.CharField(max_length=200, null=True, unique=True)  # noqa: DJ001 - unknown domains must not collide
    industry = models.CharField(max_length=80, blank=True)
    employee_count = models.PositiveIntegerField(null=True)
    city = models.CharField(max_length=80, blank=True)
    country = models.CharField(max_length=80, blank=True)
    owner = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="companies")
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        db_table = "companies"
        indexes = [models.Index(fields=["created_at", "id"], name="companies_created")]

    class Roles:
        bookkeeping = ("created_at", "updated_at")

    def __str__(self) -> str:
        return self.name

    def as_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "name": self.name,
            "domain": self.domain,
            "industry": self.industry,
            "employee_count": self.employee_count,
            "city": self.city,
            "country": self.country,
            "owner_id": self.owner_id,
            "created_at": instant(self.created_at),
            "updated_at": instant(self.updated_at),
        }


class Lead(models.Model):
    """A person: a prospect at first, a contact of a company once converted."""

    id = models.CharField(max_length=40, primary_key=True)
    email = models.CharField(max_length=254, unique=True)
    first_name = models.CharField(max_length=80, blank=True)
    last_name = models.CharField(max_length=80, blank=True)
    title = models.CharField(max_length=120, blank=True)
    phone = models.CharField(max_length=40, blank=True)
    company = models.ForeignKey(Company, null=True, on_delete=models.PROTECT, related_name="leads")
    company_name = models.CharField(max_length=200, blank=True)
    source = models.CharField(max_length=20, choices=choices(words.LeadSource))
    status = models.CharField(max_length=20, choices=choices(words.LeadStatus))
    owner = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="leads", db_index=False)
    do_not_email = models.BooleanField(default=False)
    last_activity_at = models.DateTimeField(null=True)
    converted_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    tags = models.ManyToManyField(Tag, related_name="leads", db_table="lead_tags")

    class Meta:
        db_table = "leads"
        constraints = [
            one_of("source", words.LeadSource, "leads_source"),
            one_of("status", words.LeadStatus, "leads_status"),
        ]
        indexes = [
            models.Index(fields=["created_at", "id"], name="leads_created"),
            models.Index(fields=["owner", "created_at", "id"], name="leads_of_owner"),
            models.Index(Coalesce("last_activity_at", "created_at"), "id", name="leads_touched"),
        ]

    class Roles:
        bookkeeping = ("created_at", "updated_at", "converted_at")
        derived = ("last_activity_at",)

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """How the product calls a person: by name, or by address while the name is unknown."""
        return f"{self.first_name} {self.last_name}".strip() or self.email

    def as_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "email": self.email,
            "first_name": self.first_name,
            "last_name": self.last_name,
            "title": self.title,
            "phone": self.phone,
            "company_id": self.company_id,
            "company_name": self.company_name,
            "source": self.source,
            "status": self.status,
            "owner_id": self.owner_id,
            "do_not_email": self.do_not_email,
            "last_activity_at": instant(self.last_activity_at),
            "converted_at": instant(self.converted_at),
            "created_at": instant(self.created_at),
            "updated_at": instant(self.updated_at),
        }


class PipelineStage(models.Model):
    """A step a deal can stand at; the last two are its two ends."""

    id = models.CharField(max_length=40, primary_key=True)
    name = models.CharField(max_length=60, unique=True)
    position = models.PositiveSmallIntegerField(unique=True)
    probability = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=10, choices=choices(words.StageKind))

    class Meta:
        db_table = "pipeline_stages"
        constraints = [
            one_of("kind", words.StageKind, "pipeline_stages_kind"),
            models.CheckConstraint(condition=models.Q(probability__lte=100), name="pipeline_stages_probability"),
        ]

    class Roles:
        natural_key = True

    def __str__(self) -> str:
        return self.name


class Deal(models.Model):
    """A sale in the making; its amount is in US cents."""

    id = models.CharField(max_length=40, primary_key=True)
    name = models.CharField(max_length=200)
    company = models.ForeignKey(Company, null=True, on_delete=models.PROTECT, related_name="deals")
    contact = models.ForeignKey(Lead, null=True, on_delete=models.PROTECT, related_name="deals")
    owner = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="deals")
    stage = models.ForeignKey(PipelineStage, on_delete=models.PROTECT, related_name="deals")
    amount_cents = models.PositiveBigIntegerField(default=0)
    probability = models.PositiveSmallIntegerField()
    expected_close_on = models.DateField(null=True)
    next_step = models.CharField(max_length=500, blank=True)
    lost_reason = models.CharField(max_length=20, blank=True, choices=choices(words.LostReason))
    last_activity_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    tags = models.ManyToManyField(Tag, related_name="deals", db_table="deal_tags")

    class Meta:
        db_table = "deals"
        constraints = [
            one_of("lost_reason", words.LostReason, "deals_lost_reason", blank=True),
            models.CheckConstraint(condition=models.Q(probability__lte=100), name="deals_probability"),
        ]
        indexes = [models.Index(fields=["created_at", "id"], name="deals_created")]

    class Roles:
        bookkeeping = ("created_at", "updated_at", "closed_at")
        derived = ("last_activity_at",)

    def __str__(self) -> str:
        return self.name

    def as_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "name": self.name,
            "company_id": self.company_id,
            "contact_id": self.contact_id,
            "owner_id": self.owner_id,
            "stage_id": self.stage_id,
            "amount_cents": self.amount_cents,
            "probability": self.probability,
            "expected_close_on": self.expected_close_on and self.expected_close_on.isoformat(),
            "next_step": self.next_step,
            "lost_reason": self.lost_reason or None,
            "last_activity_at": instant(self.last_activity_at),
            "closed_at": instant(self.closed_at),
            "created_at": instant(self.created_at),
            "updated_at": instant(self.updated_at),
        }


class StageChange(models.Model):
    """One move of a deal; the first has no stage it came from."""

    id = models.CharField(max_length=40, primary_key=True)
    deal = models.ForeignKey(Deal, on_delete=models.CASCADE, related_name="stage_changes")
    from_stage = models.ForeignKey(PipelineStage, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    to_stage = models.ForeignKey(PipelineStage, on_delete=models.PROTECT, related_name="+", db_index=False)
    changed_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    changed_at = models.DateTimeField()

    class Meta:
        db_table = "deal_stage_changes"

    class Roles:
        bookkeeping = ("changed_at",)

    def __str__(self) -> str:
        return f"{self.from_stage_id or 'created'} -> {self.to_stage_id}"

    def as_dict(self) -> dict[str, Any]:
        return {
            "from_stage_id": self.from_stage_id,
            "to_stage_id": self.to_stage_id,
            "changed_by_id": self.changed_by_id,
            "changed_at": instant(self.changed_at),
        }


class Activity(models.Model):
    """Something done with a customer - a call, an email, a meeting - or a task to do."""

    id = models.CharField(max_length=40, primary_key=True)
    kind = models.CharField(max_length=10, choices=choices(words.ActivityKind))
    subject = models.CharField(max_length=200)
    body = models.TextField(blank=True)
    direction = models.CharField(max_length=10, blank=True, choices=choices(words.Direction))
    outcome = models.CharField(max_length=20, blank=True, choices=choices(words.ActivityOutcome))
    lead = models.ForeignKey(Lead, null=True, on_delete=models.PROTECT, related_name="activities")
    company = models.ForeignKey(Company, null=True, on_delete=models.PROTECT, related_name="activities")
    deal = models.ForeignKey(Deal, null=True, on_delete=models.PROTECT, related_name="activities")
    owner = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="activities")
    is_done = models.BooleanField()
    due_at = models.DateTimeField(null=True)
    occurred_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()

    class Meta:
        db_table = "activities"
        constraints = [
            one_of("kind", words.ActivityKind, "activities_kind"),
            one_of("direction", words.Direction, "activities_direction", blank=True),
            one_of("outcome", words.ActivityOutcome, "activities_outcome", blank=True),
        ]
        indexes = [
            models.Index(fields=["occurred_at", "id"], name="activities_occurred"),
            models.Index(fields=["due_at", "id"], condition=models.Q(is_done=False), name="activities_due"),
        ]

    class Roles:
        bookkeeping = ("created_at", "occurred_at")

    def __str__(self) -> str:
        return self.subject

    def as_dict(self) -> dict[str, Any]:
        shown = {
            "id": self.id,
            "kind": self.kind,
            "subject": self.subject,
            "body": self.body,
            "lead_id": self.lead_id,
            "company_id": self.company_id,
            "deal_id": self.deal_id,
            "owner_id": self.owner_id,
            "occurred_at": instant(self.occurred_at),
            "created_at": instant(self.created_at),
        }
        if self.kind == "task":
            return {**shown, "due_at": instant(self.due_at), "is_done": self.is_done}
        return {**shown, "direction": self.direction or None, "outcome": self.outcome or None}


class Note(models.Model):
    """What somebody wrote down about one lead, company or deal."""

    id = models.CharField(max_length=40, primary_key=True)
    body = models.TextField()
    lead = models.ForeignKey(Lead, null=True, on_delete=models.PROTECT, related_name="notes")
    company = models.ForeignKey(Company, null=True, on_delete=models.PROTECT, related_name="notes")
    deal = models.ForeignKey(Deal, null=True, on_delete=models.PROTECT, related_name="notes")
    author = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="notes", db_index=False)
    created_at = models.DateTimeField()

    class Meta:
        db_table = "notes"
        indexes = [models.Index(fields=["created_at", "id"], name="notes_created")]

    class Roles:
        bookkeeping = ("created_at",)

    def __str__(self) -> str:
        return self.body[:60]

    def as_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "body": self.body,
            "lead_id": self.lead_id,
            "company_id": self.company_id,
            "deal_id": self.deal_id,
            "author_id": self.author_id,
            "created_at": instant(self.created_at),
        }
