"""What is stored of the ways to pay, and of what stands for one for a while?"""

from __future__ import annotations

from django.db import models

from worlds.engine import choices
from worlds.stripe.cards import TestCard, by_number
from worlds.stripe.models.base import Resource, WithMetadata, reference
from worlds.stripe.words import AllowRedisplay, FutureUsage, MandateStatus, MandateType


class PaymentMethod(WithMetadata):
    """A way to pay; `rail` is the object that is shown under the name of its `type`.

    A customer's sources are rows too: their ids begin with `card_` and `ba_`.
    """

    allow_redisplay = models.CharField(max_length=11, default="unspecified", choices=choices(AllowRedisplay))
    billing_details = models.JSONField(default=dict)
    customer = reference("stripe.Customer")
    radar_options = models.JSONField(null=True)
    rail = models.JSONField(default=dict)
    type = models.CharField(max_length=40)
    #: The whole number of the card or the account, which decides what comes of using it.
    x_number = models.CharField(max_length=40, default="", blank=True)
    #: Was it used, or taken from its customer, without being anybody's now? Then it is spent.
    x_is_spent = models.BooleanField(default=False)
    #: Has the shopper agreed to payments without being there?
    x_is_set_up = models.BooleanField(default=False)
    #: What only a source shows: its currency, its status.
    x_source = models.JSONField(default=dict)

    object_name = "payment_method"

    class Meta:
        db_table = "payment_methods"
        indexes = [
            models.Index(fields=["customer", "x_seq"], name="payment_methods_customer"),
            models.Index(fields=["type", "x_seq"], name="payment_methods_type"),
        ]

    @property
    def test_card(self) -> TestCard | None:
        """How the card behaves; None for what is no card."""
        return by_number(self.x_number) if self.x_number and self.type == "card" else None

    @property
    def is_source(self) -> bool:
        """Is it one of the customer's sources, as they were before there were payment methods?"""
        return not self.id.startswith("pm_")


class Token(Resource):
    """What stands, once, for a card, a bank account or personal data."""

    bank_account = models.JSONField(null=True)
    card = models.JSONField(null=True)
    client_ip = models.CharField(max_length=45, null=True)  # noqa: DJ001 - null on the wire
    type = models.CharField(max_length=20)
    used = models.BooleanField(default=False)
    x_number = models.CharField(max_length=40, default="", blank=True)
    #: What was sent, where the token shows none of it.
    x_data = models.JSONField(default=dict)

    object_name = "token"

    class Meta:
        db_table = "tokens"


class ConfirmationToken(Resource):
    """What a shopper entered, on its way to an intent."""

    expires_at = models.DateTimeField(null=True)
    mandate_data = models.JSONField(null=True)
    metadata = models.JSONField(default=dict)
    payment_intent = models.CharField(max_length=255, null=True)  # noqa: DJ001 - null on the wire
    payment_method_options = models.JSONField(null=True)
    return_url = models.TextField(null=True)  # noqa: DJ001
    setup_future_usage = models.CharField(max_length=11, null=True, choices=choices(FutureUsage))  # noqa: DJ001
    setup_intent = models.CharField(max_length=255, null=True)  # noqa: DJ001
    shipping = models.JSONField(null=True)
    use_stripe_sdk = models.BooleanField(default=True)
    x_payment_method = reference("stripe.PaymentMethod", null=False, db_index=False)

    object_name = "confirmation_token"

    class Meta:
        db_table = "confirmation_tokens"


class Mandate(Resource):
    """A customer's permission to debit."""

    customer_acceptance = models.JSONField(default=dict)
    multi_use = models.JSONField(null=True)
    on_behalf_of = models.CharField(max_length=255, null=True)  # noqa: DJ001 - left out where there is none
    payment_method = reference("stripe.PaymentMethod", null=False)
    payment_method_details = models.JSONField(default=dict)
    single_use = models.JSONField(null=True)
    status = models.CharField(max_length=8, default="active", choices=choices(MandateStatus))
    type = models.CharField(max_length=10, default="multi_use", choices=choices(MandateType))

    object_name = "mandate"

    class Meta:
        db_table = "mandates"
        indexes = [models.Index(fields=["payment_method", "x_seq"], name="mandates_payment_method")]
