"""How do payment intents behave?"""

from __future__ import annotations

from typing import Any

from worlds.stripe import currencies, facts
from worlds.stripe.api import changing, errors, listing, wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.operations import find, loads, operation
from worlds.stripe.connect import sharing
from worlds.stripe.models import Customer, PaymentIntent, PaymentIntentLineItem
from worlds.stripe.payments import attempting, capturing, confirming, failing, intents, states, transfers
from worlds.stripe.setups import microdeposits

_PLAIN = (
    "allowed_payment_method_types", "application_fee_amount", "description", "excluded_payment_method_types", "hooks",
    "metadata", "on_behalf_of", "payment_details", "payment_method_options", "receipt_email", "setup_future_usage",
    "shipping", "statement_descriptor", "statement_descriptor_suffix", "transfer_data", "transfer_group",
)  # fmt: skip
#: What a request may still change once the money is on its way.
_ALWAYS = frozenset(
    ["client_secret", "description", "expand", "metadata", "payment_details", "receipt_email", "transfer_group"]
)
_ONLY_CONFIRMING = (
    "confirmation_token", "error_on_requires_action", "mandate", "mandate_data", "off_session", "return_url",
    "use_stripe_sdk",
)  # fmt: skip
_AUTOMATIC = ["card", "link"]
_OPTIONS: dict[str, dict[str, Any]] = {
    "card": {"installments": None, "mandate_options": None, "network": None, "request_three_d_secure": "automatic"},
    "us_bank_account": {"verification_method": "automatic"},
}
#: What the client's side sees.
_PUBLIC = frozenset(
    [
        "id", "object", "amount", "amount_details", "automatic_payment_methods", "canceled_at", "cancellation_reason",
        "capture_method", "client_secret", "confirmation_method", "created", "currency", "description",
        "last_payment_error", "livemode", "next_action", "payment_method", "payment_method_configuration_details",
        "payment_method_types", "processing", "receipt_email", "setup_future_usage", "shipping", "status",
    ]
)  # fmt: skip

loads(PaymentIntent)


@wire.shaped("payment_intent")
def _shape(intent: PaymentIntent) -> dict[str, Any]:
    return {
        "amount_details": intent.amount_details or {"tip": {}},
        "payment_method_options": {type: _options(intent, type) for type in intent.payment_method_types},
    }


def _options(intent: PaymentIntent, type: str) -> dict[str, Any]:
    """The options of a type as far as they are shown."""
    given = (intent.payment_method_options or {}).get(type) or {}
    known = _shown_options(type)
    shown = {name: value for name, value in given.items() if name in known and value not in ("", None)}
    if "installments" in shown:
        asked = shown["installments"]
        shown["installments"] = {"available_plans": [], "enabled": asked.get("enabled", False),
                                 "plan": asked.get("plan") or None}  # fmt: skip
    return {**_OPTIONS.get(type, {}), **shown}


def _shown_options(type: str) -> frozenset[str]:
    """Which options of a type are ever shown."""
    published = facts.resolved(facts.objects()["payment_intent_payment_method_options"].fields.get(type, "any"))
    first = published[1][0] if isinstance(published, list) else ""
    return frozenset(facts.objects()[first[1:]].fields) if str(first).startswith("@") else frozenset()


@operation("PostPaymentIntents")
def create(call: Call) -> PaymentIntent:
    params = call.params
    confirms = params.get("confirm", False)
    currencies.require_chargeable(params["amount"], params["currency"])
    if not confirms:
        for name in _ONLY_CONFIRMING:
            if name in params:
                raise StripeError(f"`{name}` can only be passed when `confirm` is true.", param=name)
    sharing.require_shareable(call, params, params["amount"])
    intent = intents.new(
        call,
        params["amount"],
        params["currency"],
        capture_method=params.get("capture_method", "automatic_async"),
        confirmation_method=params.get("confirmation_method", "automatic"),
        customer=_customer(call),
        **_types(params),
        **_values(call),
    )
    _tell_details(call, intent)
    _take_method(call, intent)
    if not confirms:
        intent.save()
    call.emit("payment_intent.created", intent)
    if confirms:
        # What was said at its creation was taken over already.
        said = {name: value for name, value in params.items() if name not in ("payment_method", "payment_method_data")}
        confirming.confirm(call, intent, said)
    return intent


def _customer(call: Call) -> Customer | None:
    id = call.params.get("customer")
    return None if not id else find(call, Customer, id, noun="customer", param="customer", in_path=False)


def _types(params: dict[str, Any]) -> dict[str, Any]:
    automatic = params.get("automatic_payment_methods")
    if automatic is not None and automatic.get("enabled") and "payment_method_types" in params:
        raise StripeError(
            "You may only specify one of these parameters: automatic_payment_methods, payment_method_types.",
            code="parameters_exclusive",
            param="automatic_payment_methods",
        )
    enabled = automatic is not None and automatic.get("enabled")
    types = params.get("payment_method_types") or (_AUTOMATIC if enabled else ["card"])
    known = facts.objects()["payment_intent_payment_method_options"].fields
    for type in types:
        if type not in known:
            raise StripeError(
                f'The payment method type "{type}" is invalid. Please ensure the provided type is activated in your '
                "dashboard and your account is enabled for any preview features that you are trying to use.",
                param="payment_method_types",
            )
    return {
        "payment_method_types": list(types),
        "automatic_payment_methods": {"allow_redirects": "always", **automatic} if automatic is not None else None,
    }


def _values(call: Call, present: PaymentIntent | None = None) -> dict[str, Any]:
    found = changing.values(call.params, _PLAIN, present)
    for name in ("receipt_email", "setup_future_usage", "application_fee_amount"):
        if name in found:
            found[name] = found[name] or None
    return found


def _tell_details(call: Call, intent: PaymentIntent) -> None:
    """Keep what the amount is made of; its lines are rows."""
    if "amount_details" not in call.params:
        return
    given = dict(call.params["amount_details"] or {})
    given.pop("enforce_arithmetic_validation", None)
    lines = given.pop("line_items", None)
    kept = {name: value for name, value in given.items() if value != ""}
    intent.amount_details = {"tip": {}, **kept}
    if lines is None:
        return
    PaymentIntentLineItem.objects.filter(intent=intent).delete()
    for line in lines or []:
        call.make(PaymentIntentLineItem, "uli_", intent=intent, **line)


def _take_method(call: Call, intent: PaymentIntent) -> None:
    """Put the payment method of a request on its intent.

    Raises: StripeError for one that it cannot use.
    """
    confirming.require_one(call.params)
    method = confirming.given(call, call.params)
    if method is None:
        return
    confirming.require_usable(intent, method)
    intent.payment_method = method
    intent.x_authentication = intent.next_action = None
    if intent.status == "requires_payment_method" or intent.status == "requires_action":
        states.move(intent, "requires_confirmation")


def _found(call: Call) -> PaymentIntent:
    """The intent of the path, for the client's side only by its secret.

    Raises: StripeError.
    """
    intent = find(call, PaymentIntent, call.path["intent"], noun="payment_intent", param="intent")
    secret = call.params.get("client_secret")
    if secret is None and call.is_publishable:
        raise errors.missing_parameter("client_secret")
    if secret is not None and secret != intent.client_secret:
        raise StripeError(
            "The client_secret provided does not match the client_secret associated with the PaymentIntent.",
            code="payment_intent_invalid_parameter",
            param="client_secret",
        )
    return intent


def _seen(call: Call, intent: PaymentIntent) -> PaymentIntent | dict[str, Any]:
    """An intent as whoever asks may see it."""
    if not call.is_publishable:
        return intent
    return {name: value for name, value in wire.of(intent).items() if name in _PUBLIC}


@operation("GetPaymentIntentsIntent")
def retrieve(call: Call) -> PaymentIntent | dict[str, Any]:
    return _seen(call, _found(call))


@operation("PostPaymentIntentsIntent")
def update(call: Call) -> PaymentIntent:
    """Change an intent; nothing is told of it."""
    intent, params = _found(call), call.params
    fixed = [name for name in params if name not in _ALWAYS]
    if fixed and intent.status not in states.CONFIRMABLE:
        raise states.unexpected(
            intent,
            f"This PaymentIntent's {fixed[0]} could not be updated because it has a status of {intent.status}. You may "
            f"only update the {fixed[0]} of a PaymentIntent with one of the following statuses: "
            f"{', '.join(states.CONFIRMABLE)}.",
            param=fixed[0],
        )
    if "amount" in params or "currency" in params:
        intent.amount = params.get("amount", intent.amount)
        intent.currency = params.get("currency", intent.currency)
        currencies.require_chargeable(intent.amount, intent.currency)
        if intent.status == "requires_action":
            states.move(intent, "requires_confirmation")
            intent.next_action = intent.x_authentication = None
    for name, value in _values(call, intent).items():
        setattr(intent, name, value)
    shared = {name: getattr(intent, name) for name in ("application_fee_amount", "on_behalf_of", "transfer_data")}
    sharing.require_shareable(call, shared, intent.amount)
    if "capture_method" in params:
        intent.capture_method = params["capture_method"]
    if "payment_method_types" in params:
        intent.payment_method_types = _types({"payment_method_types": params["payment_method_types"]})[
            "payment_method_types"
        ]
    if "customer" in params:
        intent.customer = _customer(call)
    _tell_details(call, intent)
    _take_method(call, intent)
    intent.save()
    return intent


@operation("PostPaymentIntentsIntentConfirm")
def confirm(call: Call) -> PaymentIntent | dict[str, Any]:
    intent = _found(call)
    if call.params.get("amount_to_confirm", intent.amount) != intent.amount:
        raise StripeError(
            f"The amount_to_confirm ({call.params['amount_to_confirm']}) is not the amount of this PaymentIntent "
            f"({intent.amount}).",
            code="payment_intent_invalid_parameter",
            param="amount_to_confirm",
        )
    if call.is_publishable and intent.confirmation_method == "manual":
        raise states.unexpected(
            intent,
            "This PaymentIntent's confirmation_method is manual, so it can only be confirmed with a secret key.",
            code="payment_intent_invalid_parameter",
        )
    _tell_details(call, intent)
    confirming.confirm(call, intent, call.params)
    return _seen(call, intent)


@operation("PostPaymentIntentsIntentCapture")
def capture(call: Call) -> PaymentIntent:
    intent, params = _found(call), call.params
    charge = intent.latest_charge
    for name in ("application_fee_amount", "statement_descriptor", "statement_descriptor_suffix"):
        if name in params and intent.status == "requires_capture":
            setattr(intent, name, params[name])
            if charge is not None:
                setattr(charge, name, params[name])
    if "metadata" in params:
        intent.metadata = changing.metadata(intent.metadata, params["metadata"])
    _tell_details(call, intent)
    capturing.capture(call, intent, params.get("amount_to_capture"), is_final=params.get("final_capture"))
    return intent


@operation("PostPaymentIntentsIntentCancel")
def cancel(call: Call) -> PaymentIntent:
    intent = _found(call)
    states.require(intent, states.CANCELABLE, "You cannot cancel this PaymentIntent", "canceled")
    capturing.cancel(call, intent, call.params.get("cancellation_reason"))
    return intent


@operation("PostPaymentIntentsIntentIncrementAuthorization")
def increment_authorization(call: Call) -> PaymentIntent:
    intent = _found(call)
    values = changing.values(call.params, ("application_fee_amount", "description", "metadata"), intent)
    for name, value in values.items():
        setattr(intent, name, value)
    capturing.increment(call, intent, call.params["amount"])
    return intent


@operation("PostPaymentIntentsIntentApplyCustomerBalance")
def apply_customer_balance(call: Call) -> PaymentIntent:
    """Pay from what the customer has sent by bank transfer."""
    intent = _found(call)
    if (intent.next_action or {}).get("type") != transfers.ACTION:
        raise states.unexpected(
            intent,
            "This PaymentIntent does not wait for a bank transfer, so the customer's cash balance cannot be applied "
            "to it.",
        )
    if call.params.get("currency", intent.currency) != intent.currency:
        raise StripeError(f"The currency must be that of the PaymentIntent, {intent.currency}.", param="currency")
    transfers.apply(call, intent, call.params.get("amount"))
    return intent


@operation("PostPaymentIntentsIntentVerifyMicrodeposits")
def verify_microdeposits(call: Call) -> PaymentIntent:
    intent = _found(call)
    method = intent.payment_method
    if method is None or (intent.next_action or {}).get("type") != "verify_with_microdeposits":
        raise states.unexpected(
            intent, "This PaymentIntent does not wait for microdeposits to be verified.", code="intent_invalid_state"
        )
    before = intent.x_wrong_amounts
    intent.x_wrong_amounts = before + 1
    intent.save(update_fields=["x_wrong_amounts"])
    ending = microdeposits.verify(method, call.params, before)
    if ending is not None:
        error = failing.error_of(
            ending.code or "", None, method=method, kind="invalid_request_error", message=ending.message
        )
        failing.fail(call, intent, error)
        ending.keeps = True
        ending.more |= {"payment_intent": wire.of(intent)}
        raise ending
    method.x_is_set_up = True
    method.save(update_fields=["x_is_set_up"])
    attempting.debit(call, intent, method)
    return intent


@operation("GetPaymentIntentsIntentAmountDetailsLineItems")
def list_line_items(call: Call) -> dict[str, Any]:
    rows = PaymentIntentLineItem.objects.filter(intent=_found(call))
    return listing.page(call, rows, noun="line item", oldest_first=True)


@operation("GetPaymentIntents")
def list_all(call: Call) -> dict[str, Any]:
    rows = call.rows(PaymentIntent).filter(listing.equal(call, "created", "customer"))
    return listing.page(call, rows, noun="payment_intent")
