"""What is stored of the money between the account and its customers, besides payments?"""

from __future__ import annotations

from django.db import models

from worlds.engine import choices
from worlds.stripe.models.base import Resource, WithMetadata, reference
from worlds.stripe.words import CashTransactionType, CustomerBalanceType, ReconciliationMode


class CustomerBalanceTransaction(WithMetadata):
    """One movement of what a customer owes (above zero) or is owed (below), with the balance it left."""

    amount = models.BigIntegerField()
    checkout_session = models.CharField(max_length=255, null=True)  # noqa: DJ001 - null and "" differ on the wire
    credit_note = models.CharField(max_length=255, null=True)  # noqa: DJ001
    currency = models.CharField(max_length=3)
    customer = reference("stripe.Customer", null=False)
    description = models.CharField(max_length=350, null=True)  # noqa: DJ001
    ending_balance = models.BigIntegerField()
    invoice = models.CharField(max_length=255, null=True)  # noqa: DJ001
    type = models.CharField(max_length=50, choices=choices(CustomerBalanceType))

    object_name = "customer_balance_transaction"

    class Meta:
        db_table = "customer_balance_transactions"
        indexes = [
            models.Index(fields=["customer", "x_seq"], name="customer_balance_tx_customer"),
            models.Index(fields=["invoice", "x_seq"], name="customer_balance_tx_invoice"),
        ]


class CashBalance(models.Model):
    """What a customer has sent by bank transfer and not used yet; its id is the customer's.

    `available` is an amount for each currency.
    """

    id = models.CharField(max_length=255, primary_key=True)
    available = models.JSONField(default=dict)
    reconciliation_mode = models.CharField(max_length=9, default="automatic", choices=choices(ReconciliationMode))
    using_merchant_default = models.BooleanField(default=True)

    class Meta:
        db_table = "cash_balances"

    def __str__(self) -> str:
        return self.id


class CustomerCashBalanceTransaction(Resource):
    """One movement of a customer's cash balance; `x_details` is what is shown under the name of its `type`."""

    currency = models.CharField(max_length=3)
    customer = reference("stripe.Customer", null=False)
    ending_balance = models.BigIntegerField()
    net_amount = models.BigIntegerField()
    type = models.CharField(max_length=30, choices=choices(CashTransactionType))
    x_details = models.JSONField(default=dict)

    object_name = "customer_cash_balance_transaction"

    class Meta:
        db_table = "customer_cash_balance_transactions"
        indexes = [models.Index(fields=["customer", "x_seq"], name="cash_balance_tx_customer")]
