"""What is stored of connected accounts, and of the money that passes between them and the platform?"""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import F, Q

from worlds.engine import choices, one_of
from worlds.stripe.models.base import Resource, WithMetadata, reference
from worlds.stripe.words import AccountLinkType, CapabilityStatus, SourceType, TopupStatus


class Capability(Resource):
    """Something that an account wants to do, and whether it may; its id on the wire is its name."""

    account = reference("stripe.Account", null=False, on_delete=models.CASCADE)
    requested = models.BooleanField(default=False)
    requested_at = models.DateTimeField(null=True)
    status = models.CharField(max_length=12, default="unrequested", choices=choices(CapabilityStatus))
    x_name = models.CharField(max_length=60)

    object_name = "capability"

    class Meta:
        db_table = "capabilities"
        constraints = [
            one_of("status", CapabilityStatus, "capabilities_status"),
            models.UniqueConstraint(fields=["account", "x_name"], name="capabilities_name"),
        ]


class Person(WithMetadata):
    """Somebody who stands for an account, owns it, or directs it."""

    deleted = models.BooleanField(default=False)
    account = reference("stripe.Account", null=False, on_delete=models.CASCADE)
    address = models.JSONField(default=dict)
    dob = models.JSONField(default=dict)
    email = models.CharField(max_length=800, null=True)  # noqa: DJ001 - null and "" differ on the wire
    first_name = models.CharField(max_length=100, null=True)  # noqa: DJ001
    full_name_aliases = models.JSONField(default=list)
    gender = models.CharField(max_length=20, null=True)  # noqa: DJ001
    id_number_provided = models.BooleanField(default=False)
    last_name = models.CharField(max_length=100, null=True)  # noqa: DJ001
    maiden_name = models.CharField(max_length=100, null=True)  # noqa: DJ001
    nationality = models.CharField(max_length=2, null=True)  # noqa: DJ001
    phone = models.CharField(max_length=40, null=True)  # noqa: DJ001
    political_exposure = models.CharField(max_length=8, default="none")
    relationship = models.JSONField(default=dict)
    ssn_last_4_provided = models.BooleanField(default=False)
    verification = models.JSONField(default=dict)
    #: Is it the person whom an account of one individual shows as that?
    x_is_individual = models.BooleanField(default=False)

    object_name = "person"

    class Meta:
        db_table = "persons"
        indexes = [models.Index(fields=["account", "x_seq"], name="persons_account")]


class ExternalAccount(WithMetadata):
    """A bank account or a debit card that an account is paid out to; `x_shown` is what is shown of it."""

    deleted = models.BooleanField(default=False)
    account = reference("stripe.Account", null=False, on_delete=models.CASCADE)
    currency = models.CharField(max_length=3)
    default_for_currency = models.BooleanField(default=False)
    x_kind = models.CharField(max_length=12, choices=[("bank_account", "bank account"), ("card", "card")])
    x_number = models.CharField(max_length=40, default="", blank=True)
    x_shown = models.JSONField(default=dict)

    class Meta:
        db_table = "external_accounts"
        constraints = [
            models.UniqueConstraint(
                fields=["account", "currency"],
                condition=Q(default_for_currency=True, deleted=False),
                name="external_accounts_default",
            )
        ]

    @property
    def object_name(self) -> str:  # type: ignore[override]
        """Which of the two it is."""
        return self.x_kind

    @property
    def shown(self) -> dict[str, Any]:
        """What there is to know of it, by the API's names."""
        return {
            **self.x_shown, "id": self.id, "object": self.x_kind, "account": self.account_id, "metadata": self.metadata,
            "default_for_currency": self.default_for_currency, "currency": self.currency,
        }  # fmt: skip


class AccountLink(models.Model):
    """An address at which an account's owner tells what is wanted of them, or lets a platform act for them."""

    id = models.CharField(max_length=160, primary_key=True)
    account = reference("stripe.Account", on_delete=models.CASCADE)
    created = models.DateTimeField()
    expires_at = models.DateTimeField()
    refresh_url = models.TextField(null=True)  # noqa: DJ001 - one of a session has none
    return_url = models.TextField(null=True)  # noqa: DJ001
    type = models.CharField(max_length=20, choices=choices(AccountLinkType))
    used = models.BooleanField(default=False)

    class Meta:
        db_table = "account_links"

    def __str__(self) -> str:
        return self.id


class Transfer(WithMetadata):
    """Money that the platform passes on to a connected account."""

    amount = models.BigIntegerField()
    amount_reversed = models.BigIntegerField(default=0)
    balance_transaction = reference("stripe.BalanceTransaction", db_index=False)
    currency = models.CharField(max_length=3)
    description = models.TextField(null=True)  # noqa: DJ001
    destination = reference("stripe.Account", null=False)
    destination_payment = reference("stripe.Charge", db_index=False)
    reversed = models.BooleanField(default=False)
    source_transaction = reference("stripe.Charge")
    source_type = models.CharField(max_length=12, default="card", choices=choices(SourceType))
    transfer_group = models.CharField(max_length=255, null=True)  # noqa: DJ001

    object_name = "transfer"

    class Meta:
        db_table = "transfers"
        indexes = [
            models.Index(fields=["destination", "x_seq"], name="transfers_destination"),
            models.Index(fields=["transfer_group"], name="transfers_group"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(amount__gt=0), name="transfers_amount"),
            models.CheckConstraint(condition=Q(amount_reversed__lte=F("amount")), name="transfers_reversed"),
        ]


class TransferReversal(WithMetadata):
    """Money that comes back to the platform."""

    amount = models.BigIntegerField()
    balance_transaction = reference("stripe.BalanceTransaction", db_index=False)
    currency = models.CharField(max_length=3)
    destination_payment_refund = reference("stripe.Refund", db_index=False)
    source_refund = reference("stripe.Refund", db_index=False)
    transfer = reference("stripe.Transfer", null=False)

    object_name = "transfer_reversal"

    class Meta:
        db_table = "transfer_reversals"
        indexes = [models.Index(fields=["transfer", "x_seq"], name="transfer_reversals_transfer")]


class ApplicationFee(Resource):
    """What the platform keeps of a payment of a connected account's."""

    account = reference("stripe.Account", null=False)
    amount = models.BigIntegerField()
    amount_refunded = models.BigIntegerField(default=0)
    balance_transaction = reference("stripe.BalanceTransaction", db_index=False)
    charge = reference("stripe.Charge", null=False)
    currency = models.CharField(max_length=3)
    originating_transaction = reference("stripe.Charge", db_index=False)
    refunded = models.BooleanField(default=False)

    object_name = "application_fee"

    class Meta:
        db_table = "application_fees"
        indexes = [models.Index(fields=["charge", "x_seq"], name="application_fees_charge")]
        constraints = [
            models.CheckConstraint(condition=Q(amount_refunded__lte=F("amount")), name="application_fees_refunded")
        ]


class FeeRefund(WithMetadata):
    """What the platform gives back of a fee."""

    amount = models.BigIntegerField()
    balance_transaction = reference("stripe.BalanceTransaction", db_index=False)
    currency = models.CharField(max_length=3)
    fee = reference("stripe.ApplicationFee", null=False)

    object_name = "fee_refund"

    class Meta:
        db_table = "fee_refunds"
        indexes = [models.Index(fields=["fee", "x_seq"], name="fee_refunds_fee")]


class Topup(WithMetadata):
    """Money that the platform adds to its own balance."""

    amount = models.BigIntegerField()
    balance_transaction = reference("stripe.BalanceTransaction", db_index=False)
    currency = models.CharField(max_length=3)
    description = models.TextField(null=True)  # noqa: DJ001
    expected_availability_date = models.DateTimeField(null=True)
    failure_code = models.CharField(max_length=40, null=True)  # noqa: DJ001
    failure_message = models.TextField(null=True)  # noqa: DJ001
    initiated_by = models.CharField(max_length=8, default="user")
    statement_descriptor = models.CharField(max_length=15, null=True)  # noqa: DJ001
    status = models.CharField(max_length=10, default="pending", choices=choices(TopupStatus))
    transfer_group = models.CharField(max_length=255, null=True)  # noqa: DJ001

    object_name = "topup"

    class Meta:
        db_table = "topups"
        constraints = [one_of("status", TopupStatus, "topups_status")]
