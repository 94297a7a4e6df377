"""What is stored of what shipping costs?"""

from __future__ import annotations

from django.db import models

from worlds.engine import choices
from worlds.stripe.models.base import WithMetadata
from worlds.stripe.words import TaxBehavior


class ShippingRate(WithMetadata):
    """A way to ship, and its price."""

    active = models.BooleanField(default=True)
    delivery_estimate = models.JSONField(null=True)
    display_name = models.CharField(max_length=100)
    fixed_amount = models.JSONField()
    tax_behavior = models.CharField(max_length=12, default="unspecified", choices=choices(TaxBehavior))
    tax_code = models.CharField(max_length=255, null=True)  # noqa: DJ001 - null and "" differ on the wire
    type = models.CharField(max_length=12, default="fixed_amount")
    x_currency = models.CharField(max_length=3)

    object_name = "shipping_rate"

    class Meta:
        db_table = "shipping_rates"
