"""What is stored of discounts: what they take off, the codes they are given for, and who has one?"""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Upper

from worlds.engine import choices
from worlds.stripe.models.base import Resource, WithMetadata, reference
from worlds.stripe.words import CouponDuration


class Coupon(WithMetadata):
    """What is taken off: a part, or an amount.

    `valid` goes false by itself, when it was redeemed as often as it may be and when its time is over.
    """

    deleted = models.BooleanField(default=False)
    amount_off = models.BigIntegerField(null=True)
    applies_to = models.JSONField(null=True)
    currency = models.CharField(max_length=3, null=True)  # noqa: DJ001 - null and "" differ on the wire
    currency_options = models.JSONField(default=dict)
    duration = models.CharField(max_length=9, choices=choices(CouponDuration))
    duration_in_months = models.IntegerField(null=True)
    max_redemptions = models.IntegerField(null=True)
    name = models.CharField(max_length=40, null=True)  # noqa: DJ001
    percent_off = models.FloatField(null=True)
    redeem_by = models.DateTimeField(null=True)
    times_redeemed = models.IntegerField(default=0)
    valid = models.BooleanField(default=True)

    object_name = "coupon"

    class Meta:
        db_table = "coupons"
        constraints = [
            models.CheckConstraint(
                condition=Q(amount_off__isnull=True) ^ Q(percent_off__isnull=True), name="coupons_amount_or_percent"
            ),
            models.CheckConstraint(
                condition=Q(max_redemptions__isnull=True) | Q(times_redeemed__lte=F("max_redemptions")),
                name="coupons_redeemed",
            ),
        ]


class PromotionCode(WithMetadata):
    """What customers enter to have a coupon; of the active ones no two that one customer could enter are alike."""

    active = models.BooleanField(default=True)
    code = models.CharField(max_length=500)
    coupon = reference("stripe.Coupon", null=False)
    customer = reference("stripe.Customer")
    expires_at = models.DateTimeField(null=True)
    max_redemptions = models.IntegerField(null=True)
    restrictions = models.JSONField(default=dict)
    times_redeemed = models.IntegerField(default=0)

    object_name = "promotion_code"

    class Meta:
        db_table = "promotion_codes"
        indexes = [
            models.Index(fields=["coupon", "x_seq"], name="promotion_codes_coupon"),
            models.Index(fields=["customer", "x_seq"], name="promotion_codes_customer"),
        ]
        constraints = [
            models.UniqueConstraint(
                "x_account", Upper("code"), "customer", name="promotion_codes_of_customer", condition=Q(active=True)
            ),
            models.UniqueConstraint(
                "x_account",
                Upper("code"),
                name="promotion_codes_of_anybody",
                condition=Q(active=True, customer__isnull=True),
            ),
        ]


class Discount(Resource):
    """A coupon that somebody has, from `start` to `end`."""

    deleted = models.BooleanField(default=False)
    checkout_session = models.CharField(max_length=255, null=True)  # noqa: DJ001 - null and "" differ on the wire
    coupon = reference("stripe.Coupon", null=False)
    customer = reference("stripe.Customer")
    end = models.DateTimeField(null=True)
    invoice = models.CharField(max_length=255, null=True)  # noqa: DJ001
    invoice_item = models.CharField(max_length=255, null=True)  # noqa: DJ001
    promotion_code = reference("stripe.PromotionCode", db_index=False)
    start = models.DateTimeField()
    subscription = models.CharField(max_length=255, null=True)  # noqa: DJ001
    subscription_item = models.CharField(max_length=255, null=True)  # noqa: DJ001

    object_name = "discount"

    class Meta:
        db_table = "discounts"
        indexes = [
            models.Index(fields=["customer", "x_seq"], name="discounts_customer"),
            models.Index(fields=["subscription", "x_seq"], name="discounts_subscription"),
        ]
