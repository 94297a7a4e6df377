"""Which record does an id stand for?

Each function raises NotFound when there is none.
"""

from __future__ import annotations

from typing import TypeVar

from django.core.exceptions import ObjectDoesNotExist
from django.db import models

from worlds.crm import errors
from worlds.crm.models import Activity, Company, Deal, Lead, PipelineStage, User

M = TypeVar("M", bound=models.Model)


def _get(rows: models.QuerySet[M], resource: str, id: str) -> M:
    try:
        return rows.get(pk=id)
    except ObjectDoesNotExist:
        raise errors.NotFound(resource, id) from None


def user(id: str) -> User:
    return _get(User.objects.all(), "user", id)


def owner(id: str) -> User:
    """A user who may be given records.

    Raises: OwnerInactive besides.
    """
    found = user(id)
    if not found.is_active:
        raise errors.OwnerInactive(found.name, found.id)
    return found


def company(id: str) -> Company:
    return _get(Company.objects.all(), "company", id)


def lead(id: str) -> Lead:
    return _get(Lead.objects.all(), "lead", id)


def deal(id: str) -> Deal:
    """A deal with its stage."""
    return _get(Deal.objects.select_related("stage"), "deal", id)


def stage(id: str) -> PipelineStage:
    return _get(PipelineStage.objects.all(), "stage", id)


def task(id: str) -> Activity:
    return _get(Activity.objects.filter(kind="task"), "task", id)


def require(**ids: str | None) -> None:
    """Refuse ids that name nothing: `require(company=company_id)`; None is not looked up."""
    for resource, id in ids.items():
        if id is not None and not _MODELS[resource]._base_manager.filter(pk=id).exists():
            raise errors.NotFound(resource, id)


_MODELS: dict[str, type[models.Model]] = {
    "user": User,
    "company": Company,
    "lead": Lead,
    "deal": Deal,
    "stage": PipelineStage,
}
