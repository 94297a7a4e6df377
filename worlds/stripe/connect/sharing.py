"""Who gets which part of a payment: the connected account, the platform?

A destination charge is the platform's, and passes its money on; a direct charge is the account's, and leaves a fee.
"""

from __future__ import annotations

from typing import Any

from worlds.stripe import ledger
from worlds.stripe.api import errors
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.connect import transferring
from worlds.stripe.connect.requirements import acting
from worlds.stripe.models import Account, ApplicationFee, Charge, FeeRefund, Refund


def require_shareable(call: Call, values: dict[str, Any], amount: int) -> None:
    """Refuse to share a payment in a way that cannot be: `values` are those of an intent or a charge.

    Raises: StripeError.
    """
    fee, to = values.get("application_fee_amount"), values.get("transfer_data")
    if to:
        transferring.destination_of(call, to["destination"], param="transfer_data[destination]")
        if to.get("amount") is not None and fee is not None:
            raise StripeError(
                "You may only specify one of these parameters: application_fee_amount, transfer_data[amount].",
                code="parameters_exclusive",
                param="application_fee_amount",
            )
        if (to.get("amount") or 0) > amount:
            raise StripeError(
                "The transfer_data[amount] must be less than or equal to the amount.", param="transfer_data[amount]"
            )
    if values.get("on_behalf_of"):
        transferring.connected(call, values["on_behalf_of"], param="on_behalf_of")
    if fee is None:
        return
    if not to and not call.account:
        raise StripeError(
            "Can only apply an application_fee_amount when the PaymentIntent is attempting a direct payment (using an "
            "OAuth key or Stripe-Account header) or destination payment (using `transfer_data[destination]`).",
            param="application_fee_amount",
        )
    if fee > amount:
        raise StripeError(
            "The application fee cannot be greater than the amount of the charge.", param="application_fee_amount"
        )


def share(call: Call, charge: Charge, amount: int) -> None:
    """Pass a charge's money on, and take the platform's fee."""
    to = charge.transfer_data
    if to and not call.account:
        given = to.get("amount")
        account = Account.objects.get(pk=to["destination"])
        fee = charge.application_fee_amount or 0
        if charge.transfer_group is None:
            charge.transfer_group = f"group_{charge.payment_intent_id or charge.id}"
        transfer = transferring.send(
            call, amount if given is None else min(given, amount), charge.currency, account, source=charge,
            transfer_group=charge.transfer_group, fee=fee,
        )  # fmt: skip
        charge.transfer = transfer
        assert transfer.destination_payment is not None
        if fee:
            charge.application_fee = _keep(call, account.id, transfer.destination_payment, fee, charge)
        charge.save(update_fields=["application_fee", "transfer", "transfer_group"])
    elif charge.application_fee_amount and call.account:
        platform = acting(call, "")
        _keep(platform, call.account, charge, charge.application_fee_amount, None)


def _keep(call: Call, account: str, charge: Charge, amount: int, original: Charge | None) -> ApplicationFee:
    """Write the platform's fee down; it is there when the charge's money is."""
    fee = call.make(
        ApplicationFee, "fee_", by="3", account_id=account, amount=amount, charge=charge, currency=charge.currency,
        originating_transaction=original,
    )  # fmt: skip
    of = charge.balance_transaction
    fee.balance_transaction = ledger.record(
        call, "application_fee", amount=amount, currency=fee.currency, source=fee.id, category="platform_earning",
        available_on=of.available_on if of is not None and of.status == "pending" else call.now,
        description="Application fee",
    )  # fmt: skip
    fee.save(update_fields=["balance_transaction"])
    charge.application_fee = fee
    charge.application_fee_amount = amount
    charge.save(update_fields=["application_fee", "application_fee_amount"])
    call.emit("application_fee.created", fee)
    return fee


def require_returnable(charge: Charge, params: dict[str, Any]) -> None:
    """Refuse to bring back what was not passed on.

    Raises: StripeError.
    """
    if params.get("reverse_transfer") and charge.transfer_id is None:
        raise StripeError(
            f"Cannot reverse transfer on charge {charge.id} because it does not have an associated transfer.",
            param="reverse_transfer",
        )
    if params.get("refund_application_fee") and charge.application_fee_id is None:
        raise StripeError(
            f"Cannot refund the application fee of charge {charge.id} because it does not have one.",
            param="refund_application_fee",
        )


def bring_back(call: Call, refund: Refund, params: dict[str, Any]) -> None:
    """Bring back from the account and the platform the parts of what was refunded, where the request asks for it."""
    charge = refund.charge
    assert charge is not None
    if params.get("reverse_transfer") and charge.transfer is not None:
        transfer = charge.transfer
        left = transfer.amount - transfer.amount_reversed
        part = left if charge.refunded else min(left, transfer.amount * refund.amount // charge.amount)
        if part:
            refund.transfer_reversal = transferring.reverse(call, transfer, part, source=refund)
            refund.save(update_fields=["transfer_reversal"])
    if params.get("refund_application_fee") and charge.application_fee is not None:
        fee = charge.application_fee
        left = fee.amount - fee.amount_refunded
        part = left if charge.refunded else min(left, fee.amount * refund.amount // charge.amount)
        if part:
            give_back_fee(acting(call, ""), fee, part)


def give_back_fee(call: Call, fee: ApplicationFee, amount: int | None, metadata: Any = None) -> FeeRefund:
    """Give a fee back to the account it was taken from, or a part of it.

    Raises: StripeError for more than there is.
    """
    left = fee.amount - fee.amount_refunded
    amount = left if amount is None else amount
    if not left:
        raise StripeError(
            f"Application fee {fee.id} has already been refunded.", code="charge_already_refunded", param="amount"
        )
    if amount < 1:
        raise errors.invalid("positive integer", amount, "amount")
    if amount > left:
        raise StripeError(
            f"Refund amount ({amount}) is greater than unrefunded amount on fee ({left}).", param="amount"
        )
    back = call.make(FeeRefund, "fr_", amount=amount, currency=fee.currency, fee=fee, metadata=metadata or {})
    assert fee.account_id is not None
    fee.amount_refunded += amount
    fee.refunded = fee.amount_refunded == fee.amount
    fee.save(update_fields=["amount_refunded", "refunded"])
    category = "platform_earning_refund"
    more: dict[str, Any] = {
        "currency": fee.currency,
        "source": back.id,
        "category": category,
        "description": "Application fee refund",
    }
    back.balance_transaction = ledger.record(call, "application_fee_refund", amount=-amount, **more)
    back.save(update_fields=["balance_transaction"])
    ledger.record(acting(call, fee.account_id), "application_fee_refund", amount=amount, **more)
    call.emit("application_fee.refunded", fee)
    return back


ledger.SHARES.append(share)
