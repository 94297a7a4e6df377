"""How does money reach a connected account, and how does it come back?"""

from __future__ import annotations

from typing import Any

from worlds.stripe import currencies, ledger
from worlds.stripe.api import errors
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.connect.requirements import acting
from worlds.stripe.models import Account, Charge, Refund, Transfer, TransferReversal
from worlds.stripe.payments import refunding

_DETAILS = {"type": "stripe_account", "stripe_account": {}}


def connected(call: Call, id: str, *, param: str) -> Account:
    """A connected account that a parameter names.

    Raises: StripeError for one that is not there.
    """
    row = Account.objects.filter(pk=id, x_is_platform=False, deleted=False).first()
    if row is None:
        noun = "destination" if "destination" in param else "account"
        raise errors.no_such(noun, id, param=param, in_path=False)
    return row


def destination_of(call: Call, id: str, *, param: str = "destination") -> Account:
    """A connected account that may be sent money.

    Raises: StripeError for one that is not there, or may not.
    """
    row = connected(call, id, param=param)
    if row.capabilities.get("transfers") != "active" and row.capabilities.get("legacy_payments") != "active":
        raise StripeError(
            "Your destination account needs to have at least one of the following capabilities enabled: transfers, "
            "crypto_transfers, legacy_payments",
            code="insufficient_capabilities_for_transfer",
        )
    return row


def send(
    call: Call,
    amount: int,
    currency: str,
    account: Account,
    *,
    source: Charge | None = None,
    source_type: str = "card",
    fee: int = 0,
    **columns: Any,
) -> Transfer:
    """Move money from the platform to an account; what comes of a charge is there when the charge's money is."""
    of = source.balance_transaction if source is not None else None
    at = of.available_on if of is not None and of.status == "pending" else call.now
    transfer = call.make(
        Transfer, "tr_", by="1" if call.operation.id == "PostTransfers" else "3",
        amount=amount, currency=currency, destination=account, source_transaction=source, source_type=source_type,
        **columns,
    )  # fmt: skip
    transfer.balance_transaction = ledger.record(
        call, "transfer", amount=-amount, currency=currency, source=transfer.id, available_on=at,
        source_type=source_type, description=transfer.description,
    )  # fmt: skip
    theirs = acting(call, account.id)
    payment = theirs.make(
        Charge, "py_", by="3", amount=amount, amount_captured=amount, captured=True, currency=currency, paid=True,
        status="succeeded", payment_method_details=_DETAILS, source_transfer=transfer,
    )  # fmt: skip
    payment.balance_transaction = ledger.record(
        theirs, "payment", amount=amount, currency=currency, source=payment.id, available_on=at,
        fee_details=[ledger.application_fee(fee, currency)] if fee else [],
    )  # fmt: skip
    payment.save(update_fields=["balance_transaction"])
    transfer.destination_payment = payment
    transfer.save(update_fields=["balance_transaction", "destination_payment"])
    call.emit("transfer.created", transfer)
    theirs.emit("payment.created", payment)
    return transfer


def require_covered(call: Call, amount: int, currency: str, source: Charge | None, source_type: str) -> None:
    """Refuse to pass on what is not there: of a charge not more than it brought, else not more than is available.

    Raises: StripeError.
    """
    if source is not None:
        if source.status != "succeeded" or not source.captured:
            raise StripeError(
                f"The charge {source.id} has no money to pass on: it has not succeeded.", param="source_transaction"
            )
        if source.currency != currency:
            raise StripeError(
                f"The currency of source_transaction's balance transaction ({source.currency}) must be the same as the "
                f"transfer currency ({currency})",
                code="transfer_source_balance_parameters_mismatch",
                param="currency",
            )
        passed = sum(row.amount for row in Transfer.objects.filter(source_transaction=source))
        if amount > source.amount - passed:
            raise StripeError(
                f"The sum of source_transaction's transfers cannot exceed its amount: "
                f"{currencies.written(source.amount - passed, currency)} is left.",
                param="amount",
            )
        return
    if amount > ledger.available(call, currency, source_type):
        raise StripeError(
            "You have insufficient available funds in your Stripe account. Try adding funds directly to your available "
            "balance by creating Charges using the 4000000000000077 test card. See: "
            "https://stripe.com/docs/testing#available-balance",
            code="balance_insufficient",
        )


def reverse(
    call: Call, transfer: Transfer, amount: int | None, *, source: Refund | None = None, metadata: Any = None
) -> TransferReversal:
    """Have money come back from an account.

    Raises: StripeError for more than was sent.
    """
    left = transfer.amount - transfer.amount_reversed
    amount = left if amount is None else amount
    if not left:
        raise StripeError(f"Transfer {transfer.id} has already been fully reversed.", param="id")
    if amount < 1:
        raise errors.invalid("positive integer", amount, "amount")
    if amount > left:
        raise StripeError(
            f"Reversal amount ({currencies.written(amount, transfer.currency)}) is greater than the amount of the "
            f"transfer that is left ({currencies.written(left, transfer.currency)}).",
            param="amount",
        )
    back = call.make(
        TransferReversal, "trr_", amount=amount, currency=transfer.currency, transfer=transfer, source_refund=source,
        metadata=metadata or {},
    )  # fmt: skip
    own = transfer.balance_transaction
    at = own.available_on if own is not None and own.status == "pending" else call.now
    back.balance_transaction = ledger.record(
        call, "transfer_refund", amount=amount, currency=transfer.currency, source=back.id, available_on=at,
        source_type=transfer.source_type, description=f"REFUND FOR TRANSFER ({transfer.id})",
    )  # fmt: skip
    back.destination_payment_refund = _take(call, transfer, back, amount)
    back.save(update_fields=["balance_transaction", "destination_payment_refund"])
    transfer.amount_reversed += amount
    transfer.reversed = transfer.amount_reversed == transfer.amount
    transfer.save(update_fields=["amount_reversed", "reversed"])
    call.emit("transfer.reversed", transfer)
    return back


def _take(call: Call, transfer: Transfer, back: TransferReversal, amount: int) -> Refund:
    """Take the money from the account's own balance."""
    assert transfer.destination_id is not None
    theirs, payment = acting(call, transfer.destination_id), transfer.destination_payment
    assert payment is not None
    refund = theirs.make(
        Refund, "pyr_", by="3", amount=amount, charge=payment, currency=transfer.currency, status="succeeded",
        source_transfer_reversal=back,
    )  # fmt: skip
    refund.balance_transaction = ledger.give_back(
        theirs, payment, "payment_refund", amount=-amount, source=refund.id, description="REFUND FOR PAYMENT",
    )  # fmt: skip
    refund.save(update_fields=["balance_transaction"])
    refunding.count(payment, amount)
    theirs.emit("charge.refunded", payment)
    return refund
