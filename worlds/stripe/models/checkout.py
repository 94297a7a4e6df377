"""What is stored of buying on the account's own pages: sessions, the links that open them, and what is bought?"""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from worlds.engine import choices, one_of
from worlds.stripe.models.base import WithMetadata, reference
from worlds.stripe.words import (
    Billing,
    CheckoutMode,
    CheckoutStatus,
    CheckoutUi,
    CustomerCreation,
    MethodCollection,
    PaymentState,
    RedirectOnCompletion,
    SubmitType,
)


class _Offer(WithMetadata):
    """What a session and a link have in common: what the shopper is asked, and how they may pay."""

    automatic_tax = models.JSONField(default=dict)
    billing_address_collection = models.CharField(max_length=8, null=True, choices=choices(Billing))  # noqa: DJ001 - null and "" differ on the wire
    consent_collection = models.JSONField(null=True)
    currency = models.CharField(max_length=3, null=True)  # noqa: DJ001
    custom_fields = models.JSONField(default=list)
    custom_text = models.JSONField(default=dict)
    customer_creation = models.CharField(max_length=11, null=True, choices=choices(CustomerCreation))  # noqa: DJ001
    invoice_creation = models.JSONField(null=True)
    managed_payments = models.JSONField(null=True)
    name_collection = models.JSONField(null=True)
    optional_items = models.JSONField(null=True)
    payment_method_collection = models.CharField(max_length=11, null=True, choices=choices(MethodCollection))  # noqa: DJ001
    payment_method_options = models.JSONField(null=True)
    payment_method_types = models.JSONField(null=True)
    phone_number_collection = models.JSONField(default=dict)
    shipping_address_collection = models.JSONField(null=True)
    shipping_options = models.JSONField(default=list)
    submit_type = models.CharField(max_length=9, null=True, choices=choices(SubmitType))  # noqa: DJ001
    tax_id_collection = models.JSONField(null=True)

    class Meta:
        abstract = True


class PaymentLink(_Offer):
    """An address that can be sent to anybody: every visit opens a session."""

    active = models.BooleanField(default=True)
    after_completion = models.JSONField(default=dict)
    allow_promotion_codes = models.BooleanField(default=False)
    application_fee_amount = models.BigIntegerField(null=True)
    application_fee_percent = models.FloatField(null=True)
    inactive_message = models.CharField(max_length=500, null=True)  # noqa: DJ001
    on_behalf_of = models.CharField(max_length=255, null=True)  # noqa: DJ001
    payment_intent_data = models.JSONField(null=True)
    restrictions = models.JSONField(null=True)
    subscription_data = models.JSONField(null=True)
    transfer_data = models.JSONField(null=True)
    url = models.CharField(max_length=200)
    #: What its address ends with, and how many of its sessions were completed.
    x_code = models.CharField(max_length=20, unique=True)
    x_completed = models.IntegerField(default=0)

    object_name = "payment_link"

    class Meta:
        db_table = "payment_links"
        indexes = [models.Index(fields=["active", "x_seq"], name="payment_links_active")]


class CheckoutSession(_Offer):
    """A shopper at the till, from the shop's sending them there to their paying, or leaving it."""

    adaptive_pricing = models.JSONField(null=True)
    after_expiration = models.JSONField(null=True)
    allow_promotion_codes = models.BooleanField(null=True)
    amount_subtotal = models.BigIntegerField(null=True)
    amount_total = models.BigIntegerField(null=True)
    branding_settings = models.JSONField(null=True)
    cancel_url = models.TextField(null=True)  # noqa: DJ001
    client_reference_id = models.CharField(max_length=200, null=True)  # noqa: DJ001
    client_secret = models.CharField(max_length=160, null=True)  # noqa: DJ001
    collected_information = models.JSONField(null=True)
    consent = models.JSONField(null=True)
    customer = reference("stripe.Customer")
    customer_details = models.JSONField(null=True)
    customer_email = models.CharField(max_length=800, null=True)  # noqa: DJ001
    excluded_payment_method_types = models.JSONField(null=True)
    expires_at = models.DateTimeField()
    integration_identifier = models.CharField(max_length=200, null=True)  # noqa: DJ001
    invoice = models.CharField(max_length=255, null=True)  # noqa: DJ001
    locale = models.CharField(max_length=8, null=True)  # noqa: DJ001
    mode = models.CharField(max_length=12, choices=choices(CheckoutMode))
    origin_context = models.CharField(max_length=12, null=True)  # noqa: DJ001
    payment_intent = reference("stripe.PaymentIntent")
    payment_link = reference("stripe.PaymentLink")
    payment_status = models.CharField(max_length=20, default="unpaid", choices=choices(PaymentState))
    permissions = models.JSONField(null=True)
    recovered_from = models.CharField(max_length=255, null=True)  # noqa: DJ001
    redirect_on_completion = models.CharField(max_length=11, null=True, choices=choices(RedirectOnCompletion))  # noqa: DJ001
    return_url = models.TextField(null=True)  # noqa: DJ001
    saved_payment_method_options = models.JSONField(null=True)
    setup_intent = reference("stripe.SetupIntent")
    shipping_cost = models.JSONField(null=True)
    status = models.CharField(max_length=8, default="open", choices=choices(CheckoutStatus))
    subscription = models.CharField(max_length=255, null=True)  # noqa: DJ001
    success_url = models.TextField(null=True)  # noqa: DJ001
    total_details = models.JSONField(null=True)
    ui_mode = models.CharField(max_length=13, choices=choices(CheckoutUi))
    url = models.TextField(null=True)  # noqa: DJ001
    wallet_options = models.JSONField(null=True)
    #: What takes something off: chosen by the shop or entered by the shopper, and given once it is paid.
    x_coupon = reference("stripe.Coupon", db_index=False)
    x_promotion_code = reference("stripe.PromotionCode", db_index=False)
    x_discount = reference("stripe.Discount", db_index=False)
    #: What was said of the intent or the subscription that comes of it.
    x_intent_data = models.JSONField(default=dict)
    x_subscription_data = models.JSONField(default=dict)
    #: The customer made for the shopper, who is shown once they have paid.
    x_customer = reference("stripe.Customer", db_index=False)

    object_name = "checkout.session"

    class Meta:
        db_table = "checkout_sessions"
        indexes = [
            models.Index(fields=["customer", "x_seq"], name="checkout_customer"),
            models.Index(fields=["payment_intent"], name="checkout_payment_intent"),
            models.Index(fields=["payment_link", "x_seq"], name="checkout_payment_link"),
            models.Index(fields=["setup_intent"], name="checkout_setup_intent"),
            models.Index(fields=["status", "x_seq"], name="checkout_status"),
            models.Index(fields=["subscription"], name="checkout_subscription"),
        ]
        constraints = [
            one_of("mode", CheckoutMode, "checkout_mode"),
            one_of("status", CheckoutStatus, "checkout_status_known"),
            one_of("payment_status", PaymentState, "checkout_payment_status"),
            models.CheckConstraint(
                condition=Q(amount_total__isnull=True) | Q(amount_total__gte=0), name="checkout_total"
            ),
        ]


class CheckoutItem(WithMetadata):
    """A line of what is bought: of a session, or of a link."""

    adjustable_quantity = models.JSONField(null=True)
    amount_discount = models.BigIntegerField(default=0)
    amount_subtotal = models.BigIntegerField(default=0)
    amount_tax = models.BigIntegerField(default=0)
    amount_total = models.BigIntegerField(default=0)
    currency = models.CharField(max_length=3)
    description = models.TextField(null=True)  # noqa: DJ001
    price = reference("stripe.Price", null=False, db_index=False)
    quantity = models.BigIntegerField(null=True)
    x_session = reference("stripe.CheckoutSession", on_delete=models.CASCADE, db_index=False)
    x_payment_link = reference("stripe.PaymentLink", on_delete=models.CASCADE, db_index=False)
    x_tax_rates = models.JSONField(default=list)
    #: The amount of each tax, by the id of its rate.
    x_taxes = models.JSONField(default=dict)
    #: What the shopper chose to pay, where the price leaves it to them.
    x_chosen_amount = models.BigIntegerField(null=True)

    object_name = "item"

    class Meta:
        db_table = "checkout_items"
        indexes = [
            models.Index(fields=["x_session", "x_seq"], name="checkout_items_session"),
            models.Index(fields=["x_payment_link", "x_seq"], name="checkout_items_link"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(x_session__isnull=True) ^ Q(x_payment_link__isnull=True), name="checkout_items_of_one"
            ),
        ]
