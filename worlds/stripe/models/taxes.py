"""What is stored of taxes: the rates that are charged, and the numbers by which authorities know who pays?"""

from __future__ import annotations

from django.db import models

from worlds.engine import choices
from worlds.stripe.models.base import Resource, WithMetadata, reference
from worlds.stripe.words import JurisdictionLevel, TaxIdOwner, TaxIdStatus, TaxRateType, TaxType


class TaxRate(WithMetadata):
    """A part that is charged on top of a price, or contained in it."""

    active = models.BooleanField(default=True)
    country = models.CharField(max_length=2, null=True)  # noqa: DJ001 - null and "" differ on the wire
    description = models.TextField(null=True)  # noqa: DJ001
    display_name = models.CharField(max_length=50)
    effective_percentage = models.FloatField(null=True)
    flat_amount = models.JSONField(null=True)
    inclusive = models.BooleanField()
    jurisdiction = models.CharField(max_length=50, null=True)  # noqa: DJ001
    jurisdiction_level = models.CharField(max_length=8, null=True, choices=choices(JurisdictionLevel))  # noqa: DJ001
    percentage = models.FloatField()
    rate_type = models.CharField(max_length=11, default="percentage", choices=choices(TaxRateType))
    state = models.CharField(max_length=2, null=True)  # noqa: DJ001
    tax_type = models.CharField(max_length=30, null=True, choices=choices(TaxType))  # noqa: DJ001

    object_name = "tax_rate"

    class Meta:
        db_table = "tax_rates"
        indexes = [models.Index(fields=["active", "x_seq"], name="tax_rates_active")]


class TaxId(Resource):
    """A number by which an authority knows a customer, or the account itself; `x_status` is null where none looks."""

    deleted = models.BooleanField(default=False)
    country = models.CharField(max_length=2, null=True)  # noqa: DJ001 - null and "" differ on the wire
    customer = reference("stripe.Customer")
    type = models.CharField(max_length=20)
    value = models.CharField(max_length=255)
    x_owner = models.CharField(max_length=11, default="customer", choices=choices(TaxIdOwner))
    #: The account that owns it, where another than the one that made it does.
    x_owner_account = models.CharField(max_length=40, null=True)  # noqa: DJ001
    x_status = models.CharField(max_length=11, null=True, choices=choices(TaxIdStatus))  # noqa: DJ001
    x_verified_name = models.TextField(null=True)  # noqa: DJ001
    x_verified_address = models.TextField(null=True)  # noqa: DJ001

    object_name = "tax_id"

    class Meta:
        db_table = "tax_ids"
        indexes = [models.Index(fields=["customer", "x_seq"], name="tax_ids_customer")]
