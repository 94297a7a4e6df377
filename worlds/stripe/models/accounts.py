"""What is stored of accounts: the platform's own, and those connected to it?"""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from worlds.engine import choices
from worlds.stripe.models.base import WithMetadata
from worlds.stripe.words import AccountType, BusinessType


class Account(WithMetadata):
    """A business that takes money; `x_is_platform` is the one that everything here belongs to."""

    deleted = models.BooleanField(default=False)
    business_profile = models.JSONField(default=dict)
    business_type = models.CharField(max_length=20, null=True, choices=choices(BusinessType))  # noqa: DJ001 - null on the wire
    capabilities = models.JSONField(default=dict)
    charges_enabled = models.BooleanField(default=False)
    company = models.JSONField(null=True)
    controller = models.JSONField(default=dict)
    country = models.CharField(max_length=2)
    default_currency = models.CharField(max_length=3)
    details_submitted = models.BooleanField(default=False)
    email = models.CharField(max_length=800, null=True)  # noqa: DJ001
    future_requirements = models.JSONField(default=dict)
    groups = models.JSONField(null=True)
    payouts_enabled = models.BooleanField(default=False)
    requirements = models.JSONField(default=dict)
    settings = models.JSONField(default=dict)
    tos_acceptance = models.JSONField(default=dict)
    type = models.CharField(max_length=8, default="standard", choices=choices(AccountType))
    x_is_platform = models.BooleanField(default=False)
    #: Why the platform wants nothing to do with it: `fraud`, `terms_of_service` or `other`.
    x_rejected = models.CharField(max_length=20, null=True)  # noqa: DJ001

    object_name = "account"

    class Meta:
        db_table = "accounts"
        constraints = [
            models.UniqueConstraint(fields=["x_is_platform"], condition=Q(x_is_platform=True), name="accounts_platform")
        ]
