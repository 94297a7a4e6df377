"""What does the company itself keep: who works here, and under which ids in each system?"""

from __future__ import annotations

from typing import Any

from django.db import models

from worlds.engine import instant


class Employee(models.Model):
    """Somebody who works here, or did; an id is empty where they have no account in that system."""

    id = models.CharField(max_length=40, primary_key=True)
    email = models.CharField(max_length=254, unique=True)
    name = models.CharField(max_length=100)
    title = models.CharField(max_length=100, blank=True)
    crm_user_id = models.CharField(max_length=40, blank=True)
    helpdesk_agent_id = models.CharField(max_length=40, blank=True)
    started_at = models.DateTimeField()
    left_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "employees"

    class Roles:
        bookkeeping = ("started_at",)

    def __str__(self) -> str:
        return self.name

    def as_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "email": self.email,
            "name": self.name,
            "title": self.title,
            "crm_user_id": self.crm_user_id or None,
            "helpdesk_agent_id": self.helpdesk_agent_id or None,
            "started_at": instant(self.started_at),
            "left_at": instant(self.left_at),
        }


class Handover(models.Model):
    """The work of one employee going to another."""

    id = models.CharField(max_length=40, primary_key=True)
    from_employee = models.ForeignKey(Employee, on_delete=models.PROTECT, related_name="+", db_index=False)
    to_employee = models.ForeignKey(Employee, on_delete=models.PROTECT, related_name="+", db_index=False)
    leads = models.PositiveIntegerField()
    companies = models.PositiveIntegerField()
    deals = models.PositiveIntegerField()
    tasks = models.PositiveIntegerField()
    tickets = models.PositiveIntegerField()
    made_at = models.DateTimeField()

    class Meta:
        db_table = "handovers"

    class Roles:
        bookkeeping = ("made_at",)

    def __str__(self) -> str:
        return f"{self.from_employee_id} to {self.to_employee_id}"

    def as_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "from_employee_id": self.from_employee_id,
            "to_employee_id": self.to_employee_id,
            "moved": {name: getattr(self, name) for name in ("leads", "companies", "deals", "tasks", "tickets")},
            "made_at": instant(self.made_at),
        }
