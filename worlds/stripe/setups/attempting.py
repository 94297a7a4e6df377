"""What comes of trying to set up a payment method?"""

from __future__ import annotations

from typing import Any

from worlds.engine import Ctx
from worlds.stripe import authentication, mandates, rails
from worlds.stripe.api import wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.authentication import Challenge, Flow
from worlds.stripe.cards import Decline, TestCard
from worlds.stripe.models import PaymentMethod, SetupAttempt, SetupIntent
from worlds.stripe.resources import attaching
from worlds.stripe.setups import generating, microdeposits

_NOT_AUTHENTICATED = (
    "We are unable to authenticate your payment method. Please choose a different payment method and try again."
)


def attempt(call: Call, intent: SetupIntent, method: PaymentMethod, return_url: str | None) -> None:
    """Try to set a payment method up; what needs the shopper waits for them.

    Raises: StripeError for a refusal, which stays on the intent.
    """
    _begin(call, intent, method)
    if method.type == "card":
        card = method.test_card
        assert card is not None
        _attempt_card(call, intent, method, card, return_url)
    elif method.type in microdeposits.VERIFIED_TYPES and not method.x_is_set_up:
        _wait(call, intent, microdeposits.next_action(call, intent))
    elif method.type in rails.WITH_REDIRECT:
        _wait(call, intent, authentication.next_action(intent.client_secret, return_url))
    else:
        succeed(call, intent, method)


def _begin(call: Call, intent: SetupIntent, method: PaymentMethod) -> None:
    intent.payment_method = method
    intent.last_setup_error = None
    intent.next_action = None
    intent.latest_attempt = call.make(
        SetupAttempt,
        "setatt_",
        by="3",
        attach_to_self=intent.attach_to_self,
        customer=intent.customer,
        flow_directions=intent.flow_directions,
        on_behalf_of=intent.on_behalf_of,
        payment_method=method,
        payment_method_details=_details(method, None),
        setup_intent=intent,
        status="requires_confirmation",
        usage=intent.usage,
    )


def _details(method: PaymentMethod, secure: dict[str, Any] | None) -> dict[str, Any]:
    if method.type != "card":
        return {"type": method.type, method.type: {}}
    rail = method.rail
    shown = {
        name: rail.get(name)
        for name in ("brand", "checks", "country", "exp_month", "exp_year", "fingerprint", "funding", "last4", "wallet")
    }
    return {"type": "card", "card": {**shown, "network": rail["brand"], "three_d_secure": secure}}


def _attempt_card(
    call: Call, intent: SetupIntent, method: PaymentMethod, card: TestCard, return_url: str | None
) -> None:
    if card.decline is not None and card.declines_on_attach:
        raise fail(call, intent, method, card.decline)
    options = (intent.payment_method_options or {}).get("card") or {}
    wanted = options.get("request_three_d_secure") in ("any", "challenge")
    needed = card.authentication in ("required", "unless_set_up", "already_set_up")
    if needed and card.is_authentication_broken:
        raise fail(call, intent, method, card.decline_after_authentication or ("card_declined", None))
    if needed or (wanted and card.authentication == "optional" and not card.is_authentication_broken):
        _wait(call, intent, authentication.next_action(intent.client_secret, return_url))
        return
    secure = _three_d_secure(call, "frictionless") if card.authentication == "frictionless" else None
    succeed(call, intent, method, secure)


def _three_d_secure(call: Call, flow: str, result: str = "authenticated") -> dict[str, Any]:
    passed = result == "authenticated"
    return {
        "authentication_flow": flow,
        "electronic_commerce_indicator": "05" if passed else "07",
        "result": result,
        "result_reason": None if passed else "rejected",
        "transaction_id": call.token(24),
        "version": "2.2.0",
    }


def _wait(call: Call, intent: SetupIntent, action: dict[str, Any]) -> None:
    """Leave it to the shopper."""
    intent.next_action = action
    _set(intent, "requires_action", "requires_action")
    call.emit("setup_intent.requires_action", intent)


def _set(intent: SetupIntent, status: str, of_attempt: str) -> None:
    """Write an intent and its attempt, with the status each has now."""
    intent.status = status
    intent.save()
    trial = intent.latest_attempt
    assert trial is not None
    trial.status = of_attempt
    trial.save()


def succeed(call: Call, intent: SetupIntent, method: PaymentMethod, secure: dict[str, Any] | None = None) -> None:
    """The payment method is ready: it is its customer's from now on."""
    details = _details(method, secure)
    if method.type in rails.GENERATES_SEPA_DEBIT:
        kept = generating.sepa_debit(call, intent, method)
        intent.mandate = mandates.make(call, kept, intent.x_acceptance)
        details[method.type] = generating.details(method, kept, intent.mandate)
    else:
        kept = method
        _give_mandate(call, intent, method)
    if intent.customer is not None:
        attaching.keep(call, kept, intent.customer)
    if intent.usage == "off_session" or kept.type != "card":
        kept.x_is_set_up = True
        kept.save(update_fields=["x_is_set_up"])
    trial = intent.latest_attempt
    assert trial is not None
    trial.payment_method_details = details
    intent.next_action = None
    intent.last_setup_error = None
    _set(intent, "succeeded", "succeeded")
    call.emit("setup_intent.succeeded", intent)


def _give_mandate(call: Call, intent: SetupIntent, method: PaymentMethod) -> None:
    if method.type not in rails.WITH_MANDATE or intent.mandate is not None:
        return
    options = (intent.payment_method_options or {}).get(method.type) or {}
    made = mandates.make(call, method, intent.x_acceptance, options=options, single_use=intent.x_single_use)
    intent.mandate, intent.single_use_mandate = made, made if intent.x_single_use else None


def fail(
    call: Call,
    intent: SetupIntent,
    method: PaymentMethod,
    decline: Decline | None = None,
    error: StripeError | None = None,
) -> StripeError:
    """Write down that an attempt came to nothing; answers the refusal to raise, whose traces stay."""
    if error is None:
        assert decline is not None
        error = attaching.declined(*decline)
    told = {**error.body()["error"], "payment_method": wire.of(method)}
    intent.last_setup_error = told
    intent.payment_method = None
    intent.next_action = None
    trial = intent.latest_attempt
    assert trial is not None
    trial.setup_error = told
    _set(intent, "requires_payment_method", "failed")
    call.emit("setup_intent.setup_failed", intent)
    error.keeps = True
    error.more |= {"payment_method": told["payment_method"], "setup_intent": wire.of(intent)}
    return error


def not_authenticated() -> StripeError:
    """The refusal of a shopper who did not pass."""
    return StripeError(_NOT_AUTHENTICATED, code="setup_intent_authentication_failure")


def _find(client_secret: str) -> Challenge | None:
    intent = SetupIntent.objects.filter(client_secret=client_secret, status="requires_action").first()
    action = intent and intent.next_action
    if intent is None or not action or action["type"] not in ("redirect_to_url", "use_stripe_sdk"):
        return None
    return Challenge(intent, (action.get("redirect_to_url") or {}).get("return_url"))


def _go_on(ctx: Ctx, challenge: Challenge, passed: bool) -> None:
    """After the shopper was asked: the setup succeeds, unless the issuer refuses it even so."""
    intent = challenge.intent
    assert isinstance(intent, SetupIntent)
    method = intent.payment_method
    assert method is not None
    call = Call.of_clock(ctx, intent.x_account)
    secure = None
    if method.type == "card":
        secure = _three_d_secure(call, "challenge", "authenticated" if passed else "failed")
        assert intent.latest_attempt is not None
        intent.latest_attempt.payment_method_details = _details(method, secure)
    if not passed:
        fail(call, intent, method, error=not_authenticated())
        return
    card = method.test_card
    refusal = card.decline_after_authentication if card is not None else None
    # Nothing is charged here, so that no funds can be lacking.
    if refusal is not None and refusal[1] != "insufficient_funds":
        fail(call, intent, method, refusal)
        return
    succeed(call, intent, method, secure)


authentication.register("seti_", Flow("setup_intent", _find, _go_on))
