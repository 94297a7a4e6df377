"""Which payment method does a confirmation use, and may it?"""

from __future__ import annotations

from typing import Any

from worlds.stripe import mandates, rails
from worlds.stripe.api import changing, wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.operations import find
from worlds.stripe.models import ConfirmationToken, Mandate, PaymentIntent, PaymentMethod
from worlds.stripe.payments import attempting, states
from worlds.stripe.resources import attaching, confirmation_tokens, payment_methods

_SAID = ("receipt_email", "shipping", "setup_future_usage")
_MISSING = (
    "You cannot confirm this PaymentIntent because it's missing a payment method. You can either update the "
    "PaymentIntent with a payment method and then confirm it again, or confirm it again directly with a payment "
    "method or ConfirmationToken."
)
_MAY_REDIRECT = (
    "This PaymentIntent is configured to accept payment methods enabled in your Dashboard. Because some of these "
    "payment methods might redirect your customer off of your page, you must provide a `return_url`. If you don't want "
    "to accept redirect-based payment methods, set `automatic_payment_methods[enabled]` to `true` and "
    "`automatic_payment_methods[allow_redirects]` to `never` when creating Setup Intents and Payment Intents."
)


def confirm(call: Call, intent: PaymentIntent, params: dict[str, Any]) -> None:
    """Confirm an intent with what the request says.

    Raises: StripeError for a state that does not allow it, for a payment method that cannot be used, and for a decline.
    """
    if intent.status == "succeeded":
        raise states.unexpected(
            intent,
            "You cannot confirm this PaymentIntent because it has already succeeded after being previously confirmed.",
        )
    states.require(intent, states.CONFIRMABLE, "You cannot confirm this PaymentIntent", "confirmed")
    token = _token(call, intent, params)
    _say(intent, params, token)
    method = choose(call, intent, params, token)
    if method is None:
        raise states.unexpected(intent, _MISSING)
    require_usable(intent, method)
    _require_return_url(intent, params)
    if method.pk != intent.payment_method_id:
        intent.x_authentication = None
    intent.payment_method = method
    intent.x_mandate = mandate(call, intent, method, params) or intent.x_mandate
    attempting.attempt(call, intent, method, refuses_action=params.get("error_on_requires_action", False))


def _say(intent: PaymentIntent, params: dict[str, Any], token: ConfirmationToken | None) -> None:
    """Take over what a confirmation says besides."""
    for name in _SAID:
        if name in params:
            setattr(intent, name, params[name] or None)
        elif token is not None and getattr(token, name, None):
            setattr(intent, name, getattr(token, name))
    if "capture_method" in params:
        intent.capture_method = params["capture_method"] or intent.capture_method
    if "payment_method_types" in params:
        intent.payment_method_types = params["payment_method_types"]
    for options in (token.payment_method_options if token else None, params.get("payment_method_options")):
        if options:
            intent.payment_method_options = changing.merged(intent.payment_method_options, options)
    intent.x_off_session = bool(params.get("off_session", False))
    intent.x_return_url = params.get("return_url") or (token.return_url if token else None) or intent.x_return_url
    if params.get("use_stripe_sdk"):
        intent.x_return_url = None


def _token(call: Call, intent: PaymentIntent, params: dict[str, Any]) -> ConfirmationToken | None:
    """The confirmation token that is used up now."""
    require_one(params)
    if "confirmation_token" not in params:
        return None
    return confirmation_tokens.take(call, params["confirmation_token"], payment_intent=intent.id)


def require_one(params: dict[str, Any]) -> None:
    """Refuse to be told of several payment methods.

    Raises: StripeError.
    """
    told = [name for name in ("confirmation_token", "payment_method", "payment_method_data") if name in params]
    if len(told) > 1:
        raise StripeError(
            f"You may only specify one of these parameters: {', '.join(told)}.",
            code="parameters_exclusive",
            param=told[0],
        )


def choose(
    call: Call, intent: PaymentIntent, params: dict[str, Any], token: ConfirmationToken | None = None
) -> PaymentMethod | None:
    """The payment method of the request, else of the intent, else its customer's default."""
    if token is not None:
        return token.x_payment_method
    found = given(call, params)
    if found is not None:
        return found
    if intent.payment_method is not None:
        return intent.payment_method
    default = intent.customer.invoice_settings.get("default_payment_method") if intent.customer else None
    return None if default is None else call.rows(PaymentMethod).filter(pk=default).first()


def given(call: Call, params: dict[str, Any]) -> PaymentMethod | None:
    """The payment method that the parameters name or describe."""
    if "payment_method_data" in params:
        return payment_methods.make(call, params["payment_method_data"], within="payment_method_data")
    if "payment_method" in params:
        return payment_methods.resolve(call, params["payment_method"], param="payment_method")
    return None


def require_usable(intent: PaymentIntent, method: PaymentMethod) -> None:
    """Refuse a payment method that is another's, spent, or of a type the intent does not take.

    Raises: StripeError.
    """
    if method.customer_id is not None and intent.customer_id is None:
        raise StripeError(
            "The payment method you provided is attached to a customer so for security purposes you must provide the "
            "customer in the request.",
            code="parameter_missing",
            param="source",
        )
    if method.customer_id is not None and method.customer_id != intent.customer_id:
        raise StripeError(
            f"The customer does not have a payment method with the ID {method.id}. The payment method supplied (which "
            f"may be a default) is attached to another customer; it must be attached to the customer "
            f"{intent.customer_id} of this PaymentIntent.",
            code="resource_missing",
            param="payment_method",
        )
    attaching.require_unspent(method)
    automatic = (intent.automatic_payment_methods or {}).get("enabled")
    excluded = method.type in (intent.excluded_payment_method_types or ())
    if excluded or (not automatic and method.type not in intent.payment_method_types):
        allowed = ", ".join(intent.payment_method_types)
        raise states.unexpected(
            intent,
            f"The PaymentMethod provided ({method.type}) is not allowed for this PaymentIntent. Please attach a "
            f"PaymentMethod of one of the following types: {allowed}. Alternatively update the allowed "
            f'payment_method_types for this PaymentIntent to include "{method.type}".',
            code="payment_intent_incompatible_payment_method",
            param="payment_method",
        )


def _require_return_url(intent: PaymentIntent, params: dict[str, Any]) -> None:
    automatic = intent.automatic_payment_methods or {}
    if not automatic.get("enabled") or automatic.get("allow_redirects") == "never":
        return
    if not (intent.x_return_url or params.get("use_stripe_sdk") or intent.x_off_session):
        raise StripeError(_MAY_REDIRECT, param="return_url", payment_intent=None)


def mandate(call: Call, intent: PaymentIntent, method: PaymentMethod, params: dict[str, Any]) -> str | None:
    """The mandate that a debit goes by: the one named, or one that the customer accepts now.

    Raises: StripeError for a debit that nobody permitted.
    """
    if "mandate" in params:
        named = find(call, Mandate, params["mandate"], noun="mandate", param="mandate", in_path=False)
        return named.id
    if method.type not in rails.WITH_MANDATE:
        return None
    options = (intent.payment_method_options or {}).get(method.type) or {}
    if params.get("mandate_data"):
        return mandates.make(call, method, params["mandate_data"]["customer_acceptance"], options=options).id
    known = call.rows(Mandate).filter(payment_method=method, status="active").order_by("-x_seq").first()
    if known is not None:
        return known.id
    if method.type in mandates.NEEDS_ACCEPTANCE and not (method.x_is_set_up or method.is_source):
        raise StripeError(
            f"A payment by `{method.type}` needs the customer's acceptance of a mandate: pass `mandate_data`, or "
            "`mandate` for one that was accepted before.",
            code="payment_intent_mandate_invalid",
            param="mandate_data",
            payment_intent=wire.of(intent),
        )
    return None
