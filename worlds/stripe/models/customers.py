"""What is stored of customers?"""

from __future__ import annotations

from django.db import models

from worlds.engine import choices
from worlds.stripe.models.base import WithMetadata, reference
from worlds.stripe.words import TaxExempt


class Customer(WithMetadata):
    """Somebody who buys."""

    deleted = models.BooleanField(default=False)
    address = models.JSONField(null=True)
    balance = models.BigIntegerField(default=0)
    business_name = models.CharField(max_length=150, null=True)  # noqa: DJ001 - null and "" differ on the wire
    currency = models.CharField(max_length=3, null=True)  # noqa: DJ001
    default_source = reference("stripe.PaymentMethod", db_index=False)
    delinquent = models.BooleanField(default=False)
    description = models.TextField(null=True)  # noqa: DJ001
    discount = reference("stripe.Discount", db_index=False)
    email = models.CharField(max_length=512, null=True)  # noqa: DJ001
    individual_name = models.CharField(max_length=150, null=True)  # noqa: DJ001
    invoice_prefix = models.CharField(max_length=12)
    invoice_settings = models.JSONField(default=dict)
    name = models.CharField(max_length=256, null=True)  # noqa: DJ001
    next_invoice_sequence = models.IntegerField(default=1)
    phone = models.CharField(max_length=20, null=True)  # noqa: DJ001
    preferred_locales = models.JSONField(default=list)
    shipping = models.JSONField(null=True)
    tax_exempt = models.CharField(max_length=10, default="none", choices=choices(TaxExempt))
    test_clock = models.CharField(max_length=255, null=True)  # noqa: DJ001
    x_ip_address = models.CharField(max_length=45, null=True)  # noqa: DJ001

    object_name = "customer"

    class Meta:
        db_table = "customers"
        indexes = [models.Index(fields=["email", "x_seq"], name="customers_email")]
