"""What is stored of products and prices?"""

from __future__ import annotations

from django.db import models

from worlds.engine import choices
from worlds.stripe.models.base import WithMetadata, reference
from worlds.stripe.words import BillingScheme, PriceType, TaxBehavior, TiersMode


class Product(WithMetadata):
    """Something that is sold."""

    deleted = models.BooleanField(default=False)
    updated = models.DateTimeField()
    active = models.BooleanField(default=True)
    default_price = reference("stripe.Price", db_index=False)
    description = models.TextField(null=True)  # noqa: DJ001 - null and "" differ on the wire
    images = models.JSONField(default=list)
    marketing_features = models.JSONField(default=list)
    name = models.TextField()
    package_dimensions = models.JSONField(null=True)
    shippable = models.BooleanField(null=True)
    statement_descriptor = models.CharField(max_length=22, null=True)  # noqa: DJ001
    tax_code = models.CharField(max_length=255, null=True)  # noqa: DJ001
    unit_label = models.CharField(max_length=12, null=True)  # noqa: DJ001
    url = models.TextField(null=True)  # noqa: DJ001

    object_name = "product"

    class Meta:
        db_table = "products"
        indexes = [models.Index(fields=["active", "x_seq"], name="products_active")]

    class Roles:
        bookkeeping = ("x_seq", "created", "updated")
        distinct = ("x_seq",)  # each is a number of ctx.seq()


class Price(WithMetadata):
    """What a product costs, once or every so often; only one that was made as a plan can be deleted."""

    deleted = models.BooleanField(default=False)
    active = models.BooleanField(default=True)
    billing_scheme = models.CharField(max_length=10, choices=choices(BillingScheme))
    currency = models.CharField(max_length=3)
    currency_options = models.JSONField(default=dict)
    custom_unit_amount = models.JSONField(null=True)
    lookup_key = models.CharField(max_length=200, null=True)  # noqa: DJ001 - null and "" differ on the wire
    nickname = models.TextField(null=True)  # noqa: DJ001
    product = reference("stripe.Product", null=False)
    recurring = models.JSONField(null=True)
    tax_behavior = models.CharField(max_length=12, default="unspecified", choices=choices(TaxBehavior))
    tiers = models.JSONField(null=True)
    tiers_mode = models.CharField(max_length=10, null=True, choices=choices(TiersMode))  # noqa: DJ001
    transform_quantity = models.JSONField(null=True)
    type = models.CharField(max_length=10, choices=choices(PriceType))
    unit_amount = models.BigIntegerField(null=True)
    unit_amount_decimal = models.CharField(max_length=40, null=True)  # noqa: DJ001

    object_name = "price"

    class Meta:
        db_table = "prices"
        indexes = [models.Index(fields=["product", "x_seq"], name="prices_product")]
        constraints = [
            models.UniqueConstraint(fields=["x_account", "lookup_key"], name="prices_lookup_key"),
        ]
