"""Which words does the API choose from, where the database keeps to them?"""

from typing import Literal

TaxExempt = Literal["exempt", "none", "reverse"]
BillingScheme = Literal["per_unit", "tiered"]
PriceType = Literal["one_time", "recurring"]
TaxBehavior = Literal["exclusive", "inclusive", "unspecified"]
TiersMode = Literal["graduated", "volume"]
AllowRedisplay = Literal["always", "limited", "unspecified"]
FutureUsage = Literal["off_session", "on_session"]
MandateStatus = Literal["active", "inactive", "pending"]
MandateType = Literal["multi_use", "single_use"]
SetupStatus = Literal[
    "canceled", "processing", "requires_action", "requires_confirmation", "requires_payment_method", "succeeded"
]
SetupCancellation = Literal["abandoned", "duplicate", "requested_by_customer"]
IntentStatus = Literal[
    "canceled",
    "processing",
    "requires_action",
    "requires_capture",
    "requires_confirmation",
    "requires_payment_method",
    "succeeded",
]
CancellationReason = Literal[
    "abandoned",
    "automatic",
    "duplicate",
    "expired",
    "failed_invoice",
    "fraudulent",
    "requested_by_customer",
    "void_invoice",
]
CaptureMethod = Literal["automatic", "automatic_async", "manual"]
ConfirmationMethod = Literal["automatic", "manual"]
ChargeStatus = Literal["failed", "pending", "succeeded"]
RefundStatus = Literal["canceled", "failed", "pending", "requires_action", "succeeded"]
RefundReason = Literal["duplicate", "expired_uncaptured_charge", "fraudulent", "requested_by_customer"]
RefundPending = Literal["charge_pending", "insufficient_funds", "processing"]
DisputeStatus = Literal[
    "lost",
    "needs_response",
    "prevented",
    "under_review",
    "warning_closed",
    "warning_needs_response",
    "warning_under_review",
    "won",
]
DisputeReason = Literal[
    "bank_cannot_process",
    "check_returned",
    "credit_not_processed",
    "customer_initiated",
    "debit_not_authorized",
    "duplicate",
    "fraudulent",
    "general",
    "incorrect_account_details",
    "insufficient_funds",
    "noncompliant",
    "product_not_received",
    "product_unacceptable",
    "subscription_canceled",
    "unrecognized",
]
BalanceStatus = Literal["available", "pending"]
BalanceType = Literal["issuing", "payments", "refund_and_dispute_prefunding", "risk_reserved"]
SourceType = Literal["bank_account", "card", "fpx"]
PayoutStatus = Literal["canceled", "failed", "in_transit", "paid", "pending"]
PayoutMethod = Literal["instant", "standard"]
PayoutType = Literal["bank_account", "card"]
PayoutInterval = Literal["daily", "manual", "monthly", "weekly"]
Reconciliation = Literal["completed", "in_progress", "not_applicable"]
AccountType = Literal["custom", "express", "none", "standard"]
BusinessType = Literal["company", "government_entity", "individual", "non_profit"]
QueryRunStatus = Literal["failed", "succeeded"]
CouponDuration = Literal["forever", "once", "repeating"]
JurisdictionLevel = Literal["city", "country", "county", "district", "multiple", "state"]
TaxRateType = Literal["flat_amount", "percentage"]
TaxType = Literal[
    "amusement_tax",
    "communications_tax",
    "gst",
    "hst",
    "igst",
    "jct",
    "lease_tax",
    "mass_transit_parking_tax",
    "parking_tax",
    "pst",
    "qst",
    "retail_delivery_fee",
    "rst",
    "sales_tax",
    "service_tax",
    "vat",
]
TaxIdOwner = Literal["account", "application", "customer", "self"]
TaxIdStatus = Literal["pending", "unavailable", "unverified", "verified"]
CustomerBalanceType = Literal[
    "adjustment",
    "applied_to_invoice",
    "checkout_session_subscription_payment",
    "checkout_session_subscription_payment_canceled",
    "credit_note",
    "initial",
    "invoice_overpaid",
    "invoice_too_large",
    "invoice_too_small",
    "migration",
    "unapplied_from_invoice",
    "unspent_receiver_credit",
]
CashTransactionType = Literal[
    "adjusted_for_overdraft",
    "applied_to_payment",
    "funded",
    "funding_reversed",
    "refunded_from_payment",
    "return_canceled",
    "return_initiated",
    "transferred_to_balance",
    "unapplied_from_payment",
]
ReconciliationMode = Literal["automatic", "manual"]
EndpointStatus = Literal["disabled", "enabled"]
DeliveryStatus = Literal["failed", "pending", "succeeded"]
Billing = Literal["auto", "required"]
CheckoutMode = Literal["payment", "setup", "subscription"]
CheckoutStatus = Literal["complete", "expired", "open"]
CheckoutUi = Literal["elements", "embedded_page", "hosted_page"]
CustomerCreation = Literal["always", "if_required"]
MethodCollection = Literal["always", "if_required"]
PaymentState = Literal["no_payment_required", "paid", "unpaid"]
RedirectOnCompletion = Literal["always", "if_required", "never"]
SubmitType = Literal["auto", "book", "donate", "pay", "subscribe"]
AccountLinkType = Literal["account_onboarding", "account_session", "account_update", "login", "oauth_code"]
CapabilityStatus = Literal["active", "inactive", "pending", "unrequested"]
TopupStatus = Literal["canceled", "failed", "pending", "reversed", "succeeded"]
