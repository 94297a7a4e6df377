"""What is stored of payments: intents, charges, refunds and disputes?"""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from worlds.engine import choices
from worlds.stripe.models.base import Resource, WithMetadata, reference
from worlds.stripe.words import (
    CancellationReason,
    CaptureMethod,
    ChargeStatus,
    ConfirmationMethod,
    DisputeReason,
    DisputeStatus,
    FutureUsage,
    IntentStatus,
    RefundPending,
    RefundReason,
    RefundStatus,
)


class PaymentIntent(WithMetadata):
    """A payment on its way, from the first thought of it to the money."""

    allowed_payment_method_types = models.JSONField(null=True)
    amount = models.BigIntegerField()
    amount_capturable = models.BigIntegerField(default=0)
    amount_details = models.JSONField(null=True)
    amount_received = models.BigIntegerField(default=0)
    application_fee_amount = models.BigIntegerField(null=True)
    automatic_payment_methods = models.JSONField(null=True)
    canceled_at = models.DateTimeField(null=True)
    cancellation_reason = models.CharField(max_length=24, null=True, choices=choices(CancellationReason))  # noqa: DJ001 - null and "" differ on the wire
    capture_method = models.CharField(max_length=16, default="automatic_async", choices=choices(CaptureMethod))
    client_secret = models.CharField(max_length=100, unique=True)
    confirmation_method = models.CharField(max_length=10, default="automatic", choices=choices(ConfirmationMethod))
    currency = models.CharField(max_length=3)
    customer = reference("stripe.Customer")
    description = models.TextField(null=True)  # noqa: DJ001
    excluded_payment_method_types = models.JSONField(null=True)
    hooks = models.JSONField(null=True)
    last_payment_error = models.JSONField(null=True)
    latest_charge = reference("stripe.Charge", db_index=False)
    next_action = models.JSONField(null=True)
    on_behalf_of = models.CharField(max_length=255, null=True)  # noqa: DJ001
    payment_details = models.JSONField(null=True)
    payment_method = reference("stripe.PaymentMethod", db_index=False)
    payment_method_configuration_details = models.JSONField(null=True)
    payment_method_options = models.JSONField(null=True)
    payment_method_types = models.JSONField(default=list)
    processing = models.JSONField(null=True)
    receipt_email = models.CharField(max_length=512, null=True)  # noqa: DJ001
    setup_future_usage = models.CharField(max_length=12, null=True, choices=choices(FutureUsage))  # noqa: DJ001
    shipping = models.JSONField(null=True)
    statement_descriptor = models.CharField(max_length=22, null=True)  # noqa: DJ001
    statement_descriptor_suffix = models.CharField(max_length=22, null=True)  # noqa: DJ001
    status = models.CharField(max_length=24, default="requires_payment_method", choices=choices(IntentStatus))
    transfer_data = models.JSONField(null=True)
    transfer_group = models.CharField(max_length=255, null=True)  # noqa: DJ001
    #: What the confirmation under way said: where to return to, whether the customer is there, who agreed to a debit.
    x_return_url = models.TextField(null=True)  # noqa: DJ001
    x_off_session = models.BooleanField(default=False)
    x_mandate = models.CharField(max_length=255, null=True)  # noqa: DJ001
    x_authentication = models.JSONField(null=True)
    x_wrong_amounts = models.IntegerField(default=0)

    object_name = "payment_intent"

    class Meta:
        db_table = "payment_intents"
        indexes = [
            models.Index(fields=["customer", "x_seq"], name="payment_intents_customer"),
            models.Index(fields=["status", "x_seq"], name="payment_intents_status"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(amount__gt=0), name="payment_intents_amount"),
            models.CheckConstraint(
                condition=Q(amount_capturable__gte=0, amount_received__gte=0), name="payment_intents_parts"
            ),
        ]


class PaymentIntentLineItem(Resource):
    """One thing that a payment pays for, as its `amount_details` told."""

    intent = reference("stripe.PaymentIntent", null=False, on_delete=models.CASCADE)
    discount_amount = models.BigIntegerField(null=True)
    payment_method_options = models.JSONField(null=True)
    product_code = models.CharField(max_length=12, null=True)  # noqa: DJ001
    product_name = models.TextField()
    quantity = models.BigIntegerField()
    tax = models.JSONField(null=True)
    unit_cost = models.BigIntegerField()
    unit_of_measure = models.CharField(max_length=12, null=True)  # noqa: DJ001

    object_name = "payment_intent_amount_details_line_item"

    class Meta:
        db_table = "payment_intent_line_items"


class Charge(WithMetadata):
    """One attempt to take money."""

    amount = models.BigIntegerField()
    amount_captured = models.BigIntegerField(default=0)
    amount_refunded = models.BigIntegerField(default=0)
    application_fee = reference("stripe.ApplicationFee", db_index=False)
    application_fee_amount = models.BigIntegerField(null=True)
    balance_transaction = reference("stripe.BalanceTransaction", db_index=False)
    billing_details = models.JSONField(default=dict)
    calculated_statement_descriptor = models.CharField(max_length=60, null=True)  # noqa: DJ001
    captured = models.BooleanField()
    currency = models.CharField(max_length=3)
    customer = reference("stripe.Customer")
    description = models.TextField(null=True)  # noqa: DJ001
    disputed = models.BooleanField(default=False)
    failure_balance_transaction = reference("stripe.BalanceTransaction", db_index=False)
    failure_code = models.CharField(max_length=80, null=True)  # noqa: DJ001
    failure_message = models.TextField(null=True)  # noqa: DJ001
    fraud_details = models.JSONField(default=dict, null=True)
    on_behalf_of = models.CharField(max_length=255, null=True)  # noqa: DJ001
    outcome = models.JSONField(null=True)
    paid = models.BooleanField()
    payment_intent = reference("stripe.PaymentIntent")
    payment_method = models.CharField(max_length=255, null=True)  # noqa: DJ001 - of older ones, a card or a source
    payment_method_details = models.JSONField(default=dict)
    radar_options = models.JSONField(null=True)
    receipt_email = models.CharField(max_length=512, null=True)  # noqa: DJ001
    receipt_number = models.CharField(max_length=20, null=True)  # noqa: DJ001
    receipt_url = models.TextField(null=True)  # noqa: DJ001
    refunded = models.BooleanField(default=False)
    shipping = models.JSONField(null=True)
    source_transfer = reference("stripe.Transfer", db_index=False)
    statement_descriptor = models.CharField(max_length=22, null=True)  # noqa: DJ001
    statement_descriptor_suffix = models.CharField(max_length=22, null=True)  # noqa: DJ001
    status = models.CharField(max_length=10, choices=choices(ChargeStatus))
    transfer = reference("stripe.Transfer")
    transfer_data = models.JSONField(null=True)
    transfer_group = models.CharField(max_length=255, null=True)  # noqa: DJ001
    #: The whole number of the card or account it went to: its refunds and disputes go by that.
    x_number = models.CharField(max_length=80, default="", blank=True)

    object_name = "charge"

    class Meta:
        db_table = "charges"
        indexes = [
            models.Index(fields=["customer", "x_seq"], name="charges_customer"),
            models.Index(fields=["payment_intent", "x_seq"], name="charges_payment_intent"),
            models.Index(fields=["payment_method"], name="charges_payment_method"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(amount_captured__lte=F("amount")), name="charges_captured"),
            models.CheckConstraint(condition=Q(amount_refunded__lte=F("amount")), name="charges_refunded"),
        ]


class Refund(WithMetadata):
    """Money on its way back."""

    metadata = models.JSONField(default=dict, null=True)
    amount = models.BigIntegerField()
    balance_transaction = reference("stripe.BalanceTransaction", db_index=False)
    charge = reference("stripe.Charge", null=False)
    currency = models.CharField(max_length=3)
    customer = reference("stripe.Customer")
    description = models.TextField(null=True)  # noqa: DJ001
    destination_details = models.JSONField(null=True)
    failure_balance_transaction = reference("stripe.BalanceTransaction", db_index=False)
    failure_reason = models.CharField(max_length=60, null=True)  # noqa: DJ001
    instructions_email = models.CharField(max_length=512, null=True)  # noqa: DJ001
    payment_intent = reference("stripe.PaymentIntent")
    payment_method = models.CharField(max_length=255, null=True)  # noqa: DJ001
    pending_reason = models.CharField(max_length=20, null=True, choices=choices(RefundPending))  # noqa: DJ001
    reason = models.CharField(max_length=28, null=True, choices=choices(RefundReason))  # noqa: DJ001
    receipt_number = models.CharField(max_length=20, null=True)  # noqa: DJ001
    source_transfer_reversal = reference("stripe.TransferReversal", db_index=False)
    status = models.CharField(max_length=16, choices=choices(RefundStatus))
    transfer_reversal = reference("stripe.TransferReversal", db_index=False)

    object_name = "refund"

    class Meta:
        db_table = "refunds"
        indexes = [
            models.Index(fields=["charge", "x_seq"], name="refunds_charge"),
            models.Index(fields=["payment_intent", "x_seq"], name="refunds_payment_intent"),
        ]
        constraints = [models.CheckConstraint(condition=Q(amount__gt=0), name="refunds_amount")]


class Dispute(WithMetadata):
    """A customer's bank that wants the money back, or wants to know why it should not."""

    amount = models.BigIntegerField()
    charge = reference("stripe.Charge", null=False)
    currency = models.CharField(max_length=3)
    enhanced_eligibility_types = models.JSONField(default=list)
    evidence = models.JSONField(default=dict)
    evidence_details = models.JSONField(default=dict)
    is_charge_refundable = models.BooleanField()
    payment_intent = reference("stripe.PaymentIntent")
    payment_method_details = models.JSONField(null=True)
    reason = models.CharField(max_length=28, choices=choices(DisputeReason))
    status = models.CharField(max_length=24, choices=choices(DisputeStatus))

    object_name = "dispute"

    class Meta:
        db_table = "disputes"
        indexes = [
            models.Index(fields=["charge", "x_seq"], name="disputes_charge"),
            models.Index(fields=["payment_intent", "x_seq"], name="disputes_payment_intent"),
        ]
