"""Which record does an id stand for?

Each function raises NotFound when there is none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from django.db import models

from worlds.crm import errors
from worlds.crm.models import Activity, Company, Deal, Lead, PipelineStage, User
from worlds.engine import prepared

M = TypeVar("M", bound=models.Model)

# Nearly every call looks a record up, so these are prepared.
_user = prepared(lambda id: User.objects.filter(pk=id))
_company = prepared(lambda id: Company.objects.filter(pk=id))
_lead = prepared(lambda id: Lead.objects.filter(pk=id))
_deal = prepared(lambda id: Deal.objects.filter(pk=id))
_stage = prepared(lambda id: PipelineStage.objects.filter(pk=id))
_task = prepared(lambda id: Activity.objects.filter(pk=id, kind="task"))


def _found(row: M | None, resource: str, id: str) -> M:
    if row is None:
        raise errors.NotFound(resource, id)
    return row


def user(id: str) -> User:
    return _found(_user.first(id), "user", id)


def owner(id: str) -> User:
    """A user who may be given records.

    Raises: OwnerInactive besides.
    """
    found = user(id)
    if not found.is_active:
        raise errors.OwnerInactive(found.name, found.id)
    return found


def company(id: str) -> Company:
    return _found(_company.first(id), "company", id)


def lead(id: str) -> Lead:
    return _found(_lead.first(id), "lead", id)


def deal(id: str) -> Deal:
    """A deal with its stage."""
    found = _found(_deal.first(id), "deal", id)
    found.stage = stage(found.stage_id)
    return found


def stage(id: str) -> PipelineStage:
    return _found(_stage.first(id), "stage", id)


def task(id: str) -> Activity:
    return _found(_task.first(id), "task", id)


def require(**ids: str | None) -> None:
    """Refuse ids that name nothing: `require(company=company_id)`; None is not looked up."""
    for resource, id in ids.items():
        if id is not None:
            _BY_ID[resource](id)


_BY_ID: dict[str, Callable[[str], models.Model]] = {
    "user": user,
    "company": company,
    "lead": lead,
    "deal": deal,
    "stage": stage,
}
