"""What is stored of setting up a payment method for later?"""

from __future__ import annotations

from django.db import models

from worlds.engine import choices, one_of
from worlds.stripe.models.base import Resource, WithMetadata, reference
from worlds.stripe.words import FutureUsage, SetupCancellation, SetupStatus


class SetupIntent(WithMetadata):
    """Setting up a payment method, from the first thought to the customer's consent."""

    allowed_payment_method_types = models.JSONField(null=True)
    attach_to_self = models.BooleanField(null=True)
    automatic_payment_methods = models.JSONField(null=True)
    cancellation_reason = models.CharField(max_length=21, null=True, choices=choices(SetupCancellation))  # noqa: DJ001
    client_secret = models.CharField(max_length=255)
    customer = reference("stripe.Customer")
    description = models.TextField(null=True)  # noqa: DJ001 - null and "" differ on the wire
    excluded_payment_method_types = models.JSONField(null=True)
    flow_directions = models.JSONField(null=True)
    last_setup_error = models.JSONField(null=True)
    latest_attempt = reference("stripe.SetupAttempt", db_index=False)
    mandate = reference("stripe.Mandate", db_index=False)
    next_action = models.JSONField(null=True)
    on_behalf_of = models.CharField(max_length=255, null=True)  # noqa: DJ001
    payment_method = reference("stripe.PaymentMethod", db_index=False)
    payment_method_configuration_details = models.JSONField(null=True)
    payment_method_options = models.JSONField(null=True)
    payment_method_types = models.JSONField(default=list)
    single_use_mandate = reference("stripe.Mandate", db_index=False)
    status = models.CharField(max_length=24, choices=choices(SetupStatus))
    usage = models.CharField(max_length=11, default="off_session", choices=choices(FutureUsage))
    #: What the confirmation said of the customer's consent.
    x_acceptance = models.JSONField(null=True)
    x_single_use = models.JSONField(null=True)
    x_wrong_amounts = models.IntegerField(default=0)

    object_name = "setup_intent"

    class Meta:
        db_table = "setup_intents"
        indexes = [
            models.Index(fields=["customer", "x_seq"], name="setup_intents_customer"),
            models.Index(fields=["payment_method", "x_seq"], name="setup_intents_payment_method"),
        ]
        constraints = [one_of("status", SetupStatus, "setup_intents_status")]


class SetupAttempt(Resource):
    """One try at a setup intent."""

    attach_to_self = models.BooleanField(null=True)
    customer = reference("stripe.Customer")
    flow_directions = models.JSONField(null=True)
    on_behalf_of = models.CharField(max_length=255, null=True)  # noqa: DJ001 - null on the wire
    payment_method = reference("stripe.PaymentMethod", null=False, db_index=False)
    payment_method_details = models.JSONField(default=dict)
    setup_error = models.JSONField(null=True)
    setup_intent = reference("stripe.SetupIntent", null=False)
    status = models.CharField(max_length=24)
    usage = models.CharField(max_length=11, default="off_session", choices=choices(FutureUsage))

    object_name = "setup_attempt"

    class Meta:
        db_table = "setup_attempts"
        indexes = [models.Index(fields=["setup_intent", "x_seq"], name="setup_attempts_setup_intent")]
