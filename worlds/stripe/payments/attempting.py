"""What happens between a confirmation and the money: authentication, authorization, a bank's days?"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

from worlds.engine import Ctx
from worlds.stripe import authentication, bank_accounts, currencies, ledger, mandates, rails
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.authentication import Challenge, Flow
from worlds.stripe.cards import TestCard
from worlds.stripe.models import Charge, PaymentIntent, PaymentMethod
from worlds.stripe.payments import charging, disputing, failing, states
from worlds.stripe.payments.charging import Order
from worlds.stripe.resources import attaching
from worlds.stripe.setups import microdeposits

_DAYS = {"acss_debit": 5, "au_becs_debit": 3, "bacs_debit": 4, "nz_bank_account": 3, "sepa_debit": 5}
_DAYS_OF_ACH, _DELAY = 4, timedelta(minutes=3)
#: What a charge takes over from its intent as it is.
_SHARED = (
    "application_fee_amount", "customer_id", "description", "metadata", "on_behalf_of", "receipt_email", "shipping",
    "statement_descriptor", "statement_descriptor_suffix", "transfer_group",
)  # fmt: skip
#: How types begin whose payments have a room of their own.
BEGINNINGS: dict[str, Callable[[Call, PaymentIntent], None]] = {}
_ASK_FOR_3DS = ("any", "challenge")


def attempt(call: Call, intent: PaymentIntent, method: PaymentMethod, *, refuses_action: bool = False) -> None:
    """Try to pay an intent by a payment method.

    Raises: StripeError for a decline, whose story is kept.
    """
    intent.last_payment_error = None
    card = method.test_card
    if card is not None:
        _attempt_card(call, intent, method, card, refuses_action=refuses_action)
    elif method.type in ledger.FROM_BANKS:
        _attempt_debit(call, intent, method)
    elif method.type in BEGINNINGS:
        BEGINNINGS[method.type](call, intent)
    elif method.type in rails.WITH_REDIRECT:
        challenge(call, intent, "redirect")
    else:
        pay(call, intent, method)


def _attempt_card(
    call: Call, intent: PaymentIntent, method: PaymentMethod, card: TestCard, *, refuses_action: bool
) -> None:
    passed = bool((intent.x_authentication or {}).get("passed"))
    if passed or not needs_authentication(intent, method, card):
        pay(call, intent, method, authenticated=passed or card.authentication == "frictionless")
    elif card.is_authentication_broken:
        pay(call, intent, method, decline=card.decline_after_authentication)
    elif intent.x_off_session or refuses_action:
        error = failing.error_of("authentication_required", "authentication_required", method=method)
        failing.fail(call, intent, error)
        raise failing.refusal(intent)
    else:
        challenge(call, intent, "card")


def needs_authentication(intent: PaymentIntent, method: PaymentMethod, card: TestCard) -> bool:
    """Must the shopper authenticate this payment?"""
    asked = ((intent.payment_method_options or {}).get("card") or {}).get("request_three_d_secure")
    if card.authentication == "required":
        return True
    if card.authentication == "unless_set_up":
        return not (intent.x_off_session and method.x_is_set_up)
    if card.authentication == "already_set_up":
        return not intent.x_off_session
    return asked in _ASK_FOR_3DS and card.is_authentication_supported and card.authentication != "frictionless"


def challenge(call: Call, intent: PaymentIntent, kind: str) -> None:
    """Wait for the shopper."""
    states.move(intent, "requires_action")
    intent.x_authentication = {"kind": kind, "passed": False}
    intent.next_action = authentication.next_action(intent.client_secret, intent.x_return_url)
    intent.save()
    call.emit("payment_intent.requires_action", intent)


def order_of(intent: PaymentIntent, *, captures: bool, authenticated: bool = False) -> Order:
    """What an intent asks to be charged."""
    columns = {name: getattr(intent, name) for name in _SHARED}
    columns["metadata"] = dict(intent.metadata)
    columns["payment_intent_id"] = intent.id
    if intent.transfer_data:
        columns["transfer_data"] = {
            "amount": intent.transfer_data.get("amount"),
            "destination": intent.transfer_data["destination"],
        }
    options = intent.payment_method_options or {}
    return Order(intent.amount, intent.currency, captures, options, columns, authenticated)


def is_manual(intent: PaymentIntent, type: str) -> bool:
    """Is the money only held until it is captured?"""
    own = (intent.payment_method_options or {}).get(type) or {}
    return bool(intent.capture_method == "manual" or own.get("capture_method") == "manual")


def pay(
    call: Call,
    intent: PaymentIntent,
    method: PaymentMethod,
    *,
    authenticated: bool = False,
    decline: tuple[str, str | None] | None = None,
) -> None:
    """Charge now.

    Raises: StripeError for a decline, whose story is kept.
    """
    card = method.test_card
    if decline is None and card is not None:
        decline = card.decline or (card.decline_after_authentication if authenticated else None)
    manual = is_manual(intent, method.type)
    order = order_of(intent, captures=not manual, authenticated=authenticated)
    if decline is not None:
        error = failing.error_of(*decline, method=method)
        charge = charging.send(call, order, method, decline=(*decline, error["message"]))
        failing.fail(call, intent, failing.error_of(*decline, method=method, charge=charge), charge)
        raise failing.refusal(intent)
    charge = charging.send(call, order, method)
    _keep_method(call, intent, method)
    intent.latest_charge = charge
    intent.next_action = intent.x_authentication = None
    if manual:
        states.move(intent, "requires_capture")
        intent.amount_capturable = intent.amount
        intent.save()
        hold = (
            timedelta(seconds=charge.payment_method_details["card"]["capture_before"] - call.now_s)
            if card
            else (timedelta(days=7))
        )
        call.ctx.schedule(call.now + hold, "authorization_expires", {"account": call.account, "charge": charge.id})
        call.emit("charge.succeeded", charge)
        call.emit("payment_intent.amount_capturable_updated", intent)
        return
    _succeed(call, intent, charge)


def _succeed(call: Call, intent: PaymentIntent, charge: Charge) -> None:
    states.move(intent, "succeeded")
    intent.amount_received, intent.amount_capturable = charge.amount_captured, 0
    intent.save()
    call.emit("charge.succeeded", charge)
    disputing.arise(call, charge)
    call.emit("payment_intent.succeeded", intent)


def _keep_method(call: Call, intent: PaymentIntent, method: PaymentMethod) -> None:
    """Save the payment method for later where the intent asks for it; otherwise nobody's is spent now."""
    own = (intent.payment_method_options or {}).get(method.type) or {}
    usage = own.get("setup_future_usage") or intent.setup_future_usage
    if usage in ("off_session", "on_session"):
        if intent.customer is not None and method.customer_id is None:
            attaching.keep(call, method, intent.customer)
        if usage == "off_session" and not method.x_is_set_up:
            method.x_is_set_up = True
            method.save(update_fields=["x_is_set_up"])
    attaching.spend(method)


def _attempt_debit(call: Call, intent: PaymentIntent, method: PaymentMethod) -> None:
    """Ask a customer's bank, which answers some days later; first the account is shown to be theirs, if so wanted."""
    wanted = ((intent.payment_method_options or {}).get(method.type) or {}).get("verification_method")
    if method.type in microdeposits.VERIFIED_TYPES and wanted == "microdeposits" and not method.x_is_set_up:
        states.move(intent, "requires_action")
        intent.next_action = microdeposits.next_action(call, intent)
        intent.save()
        call.emit("payment_intent.requires_action", intent)
        return
    debit(call, intent, method)


def debit(call: Call, intent: PaymentIntent, method: PaymentMethod) -> None:
    """Send a debit to the bank."""
    charge = charging.begin_debit(call, order_of(intent, captures=True), method)
    if intent.x_mandate:
        charge.payment_method_details[method.type]["mandate"] = intent.x_mandate
        charge.save(update_fields=["payment_method_details"])
    _keep_method(call, intent, method)
    states.move(intent, "processing")
    intent.latest_charge = charge
    intent.next_action = None
    intent.save()
    schedule_settlement(call, charge, method)
    call.emit("charge.pending", charge)
    call.emit("payment_intent.processing", intent)


def schedule_settlement(call: Call, charge: Charge, method: PaymentMethod) -> None:
    """Have the bank answer a debit when it does."""
    account = bank_accounts.by_number(method.type, method.x_number)
    if account.outcome != "stays_processing":
        takes = timedelta(days=_DAYS.get(method.type, _DAYS_OF_ACH)) + (_DELAY if account.is_delayed else timedelta())
        call.ctx.schedule(call.now + takes, "debit_settles", {"account": call.account, "charge": charge.id})


def _find_waiting(client_secret: str) -> Challenge | None:
    intent = PaymentIntent.objects.filter(client_secret=client_secret, status="requires_action").first()
    if intent is None or not intent.x_authentication:
        return None
    return Challenge(intent, intent.x_return_url, currencies.written(intent.amount, intent.currency))


def _go_on(ctx: Ctx, challenge: Challenge, passed: bool) -> None:
    """After the shopper was asked: the payment continues, or asks for another payment method."""
    intent = challenge.intent
    assert isinstance(intent, PaymentIntent)
    assert intent.x_authentication is not None
    call, method = Call.of_clock(ctx, intent.x_account), intent.payment_method
    assert method is not None
    if not passed:
        code = failing.AUTHENTICATION_FAILURE
        error = failing.error_of(
            code, None, method=method, kind="invalid_request_error", message=failing.MESSAGES[code]
        )
        failing.fail(call, intent, error)
        return
    is_card = intent.x_authentication["kind"] == "card"
    if is_card and intent.confirmation_method == "manual":
        states.move(intent, "requires_confirmation")
        intent.x_authentication = {**intent.x_authentication, "passed": True}
        intent.next_action = None
        intent.save()
        return
    # A decline is part of the story: the intent tells of it.
    with suppress(StripeError):
        pay(call, intent, method, authenticated=is_card)


authentication.register("pi_", Flow("payment_intent", _find_waiting, _go_on))


def settle(call: Call, charge: Charge) -> None:
    """The customer's bank has answered."""
    intent = charge.payment_intent
    if charge.status != "pending":
        return
    rail = charge.payment_method_details["type"]
    account = bank_accounts.by_number(rail, charge.x_number)
    if account.failure is not None:
        if account.ends_mandate and intent is not None and intent.payment_method is not None:
            mandates.revoke(call, intent.payment_method)
        _bounce(call, intent, charge, account.failure)
        return
    charge.status, charge.paid = "succeeded", True
    charge.balance_transaction = ledger.take_in(call, charge, charge.amount_captured, rail)
    charge.save()
    ledger.share(call, charge, charge.amount_captured)
    if intent is not None:
        _succeed(call, intent, charge)
    else:
        call.emit("charge.succeeded", charge)
        disputing.arise(call, charge)


def _bounce(call: Call, intent: PaymentIntent | None, charge: Charge, code: str) -> None:
    message = failing.bank_message(code)
    charge.status, charge.captured, charge.amount_captured = "failed", False, 0
    charge.failure_code, charge.failure_message = code, message
    charge.outcome = {**(charge.outcome or {}), "network_status": "declined_by_network", "type": "issuer_declined",
                      "reason": code}  # fmt: skip
    charge.save()
    if intent is None:
        call.emit("charge.failed", charge)
        return
    error: dict[str, Any] = failing.error_of(
        code, None, method=intent.payment_method, charge=charge, kind="invalid_request_error", message=message
    )
    failing.fail(call, intent, error, charge)
