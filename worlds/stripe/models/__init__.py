"""What does the account store? One module for each group of resources."""

from worlds.stripe.models.accounts import Account
from worlds.stripe.models.agents import Approval, Feedback, QueryRun
from worlds.stripe.models.catalogue import Price, Product
from worlds.stripe.models.checkout import CheckoutItem, CheckoutSession, PaymentLink
from worlds.stripe.models.connect import (
    AccountLink,
    ApplicationFee,
    Capability,
    ExternalAccount,
    FeeRefund,
    Person,
    Topup,
    Transfer,
    TransferReversal,
)
from worlds.stripe.models.core import Event, IdempotencyKey
from worlds.stripe.models.customer_money import (
    CashBalance,
    CustomerBalanceTransaction,
    CustomerCashBalanceTransaction,
)
from worlds.stripe.models.customers import Customer
from worlds.stripe.models.discounts import Coupon, Discount, PromotionCode
from worlds.stripe.models.files import File, FileContent, FileLink
from worlds.stripe.models.ledger import BalanceTransaction, Payout, PayoutSettings
from worlds.stripe.models.objects import StoredObject
from worlds.stripe.models.payment_methods import ConfirmationToken, Mandate, PaymentMethod, Token
from worlds.stripe.models.payments import Charge, Dispute, PaymentIntent, PaymentIntentLineItem, Refund
from worlds.stripe.models.setup_intents import SetupAttempt, SetupIntent
from worlds.stripe.models.shipping_rates import ShippingRate
from worlds.stripe.models.taxes import TaxId, TaxRate
from worlds.stripe.models.webhooks import WebhookDelivery, WebhookEndpoint

__all__ = [
    "AccountLink",
    "ApplicationFee",
    "Capability",
    "ExternalAccount",
    "FeeRefund",
    "Person",
    "Topup",
    "Transfer",
    "TransferReversal",
    "CashBalance",
    "CheckoutItem",
    "CheckoutSession",
    "PaymentLink",
    "Coupon",
    "CustomerBalanceTransaction",
    "CustomerCashBalanceTransaction",
    "Discount",
    "File",
    "FileContent",
    "FileLink",
    "PromotionCode",
    "ShippingRate",
    "TaxId",
    "TaxRate",
    "WebhookDelivery",
    "WebhookEndpoint",
    "Account",
    "Approval",
    "Feedback",
    "QueryRun",
    "BalanceTransaction",
    "Payout",
    "PayoutSettings",
    "Charge",
    "Dispute",
    "PaymentIntent",
    "PaymentIntentLineItem",
    "Refund",
    "ConfirmationToken",
    "Customer",
    "Event",
    "IdempotencyKey",
    "Mandate",
    "PaymentMethod",
    "Price",
    "Product",
    "SetupAttempt",
    "SetupIntent",
    "StoredObject",
    "Token",
]
