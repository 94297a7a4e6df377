"""What is stored of the account's money: what moved its balance, and what was paid out?"""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from worlds.engine import choices
from worlds.stripe.models.base import Resource, WithMetadata, reference
from worlds.stripe.words import (
    BalanceStatus,
    BalanceType,
    PayoutInterval,
    PayoutMethod,
    PayoutStatus,
    PayoutType,
    Reconciliation,
    SourceType,
)


class BalanceTransaction(Resource):
    """One movement of the account's balance."""

    amount = models.BigIntegerField()
    available_on = models.DateTimeField()
    balance_type = models.CharField(max_length=32, default="payments", choices=choices(BalanceType))
    currency = models.CharField(max_length=3)
    description = models.TextField(null=True)  # noqa: DJ001 - null and "" differ on the wire
    exchange_rate = models.CharField(max_length=24, null=True)  # noqa: DJ001
    fee = models.BigIntegerField(default=0)
    fee_details = models.JSONField(default=list)
    net = models.BigIntegerField()
    reporting_category = models.CharField(max_length=40)
    source = models.CharField(max_length=255, null=True)  # noqa: DJ001
    status = models.CharField(max_length=10, choices=choices(BalanceStatus))
    type = models.CharField(max_length=60)
    x_source_type = models.CharField(max_length=12, default="card", choices=choices(SourceType))
    x_payout = reference("stripe.Payout", db_index=False)

    object_name = "balance_transaction"

    class Meta:
        db_table = "balance_transactions"
        indexes = [
            models.Index(fields=["status", "available_on"], name="balance_tx_available"),
            models.Index(fields=["currency", "status"], name="balance_tx_currency"),
            models.Index(fields=["source", "x_seq"], name="balance_tx_source"),
            models.Index(fields=["type", "x_seq"], name="balance_tx_type"),
            models.Index(fields=["x_payout", "x_seq"], name="balance_tx_payout"),
        ]
        constraints = [models.CheckConstraint(condition=Q(net=F("amount") - F("fee")), name="balance_tx_net")]


class Payout(WithMetadata):
    """Money on its way to the account's bank."""

    metadata = models.JSONField(default=dict, null=True)
    amount = models.BigIntegerField()
    arrival_date = models.DateTimeField()
    automatic = models.BooleanField(default=False)
    balance_transaction = reference("stripe.BalanceTransaction", db_index=False)
    currency = models.CharField(max_length=3)
    description = models.TextField(null=True)  # noqa: DJ001
    destination = models.CharField(max_length=255, null=True)  # noqa: DJ001
    failure_balance_transaction = reference("stripe.BalanceTransaction", db_index=False)
    failure_code = models.CharField(max_length=40, null=True)  # noqa: DJ001
    failure_message = models.TextField(null=True)  # noqa: DJ001
    method = models.CharField(max_length=10, default="standard", choices=choices(PayoutMethod))
    original_payout = reference("stripe.Payout", db_index=False)
    payout_method = models.CharField(max_length=255, null=True)  # noqa: DJ001
    reconciliation_status = models.CharField(max_length=16, default="not_applicable", choices=choices(Reconciliation))
    reversed_by = reference("stripe.Payout", db_index=False)
    source_type = models.CharField(max_length=12, default="card", choices=choices(SourceType))
    statement_descriptor = models.CharField(max_length=22, null=True)  # noqa: DJ001
    status = models.CharField(max_length=12, choices=choices(PayoutStatus))
    trace_id = models.JSONField(null=True)
    type = models.CharField(max_length=12, default="bank_account", choices=choices(PayoutType))
    #: The number of the account it goes to, on which it depends whether it arrives.
    x_account_number = models.CharField(max_length=40, default="", blank=True)

    object_name = "payout"

    class Meta:
        db_table = "payouts"
        indexes = [models.Index(fields=["status", "x_seq"], name="payouts_status")]


class PayoutSettings(models.Model):
    """When an account is paid out, and where to: one row for each account, "" for the platform."""

    x_account = models.CharField(max_length=40, primary_key=True)
    interval = models.CharField(max_length=8, default="manual", choices=choices(PayoutInterval))
    weekly_payout_days = models.JSONField(default=list)
    monthly_payout_days = models.JSONField(default=list)
    minimum_balance_by_currency = models.JSONField(null=True)
    statement_descriptor = models.CharField(max_length=22, null=True)  # noqa: DJ001
    debit_negative_balances = models.BooleanField(default=True)
    delay_days = models.IntegerField(default=2)
    #: The number and the id of the account it is paid to.
    account_number = models.CharField(max_length=40, default="000123456789")
    bank_account = models.CharField(max_length=255)
    #: Which of its schedules is in force: those before are over.
    schedule = models.IntegerField(default=0)

    object_name = "balance_settings"

    class Meta:
        db_table = "payout_settings"

    def __str__(self) -> str:
        return self.x_account
