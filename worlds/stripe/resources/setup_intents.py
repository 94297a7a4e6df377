"""How do setup intents behave?"""

from __future__ import annotations

from typing import Any

from worlds.stripe import mandates, rails
from worlds.stripe.api import changing, errors, listing, wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.operations import find, loads, operation
from worlds.stripe.models import ConfirmationToken, Customer, PaymentMethod, SetupIntent
from worlds.stripe.resources import attaching, confirmation_tokens, payment_methods
from worlds.stripe.setups import attempting, hosted, microdeposits

_OPEN = ("requires_payment_method", "requires_confirmation", "requires_action")
_PLAIN = (
    "allowed_payment_method_types", "attach_to_self", "description", "excluded_payment_method_types",
    "flow_directions", "metadata", "payment_method_types",
)  # fmt: skip
_OPTIONS = {"card": {"mandate_options": None, "network": None, "request_three_d_secure": "automatic"}}
_AUTOMATIC = ("card", "link")

__all__ = ["hosted"]

loads(SetupIntent)


@operation("PostSetupIntents")
def create(call: Call) -> SetupIntent:
    params = call.params
    confirms = params.get("confirm", False)
    if not confirms:
        for name in ("confirmation_token", "mandate_data", "return_url", "use_stripe_sdk"):
            if name in params:
                raise StripeError(f"`{name}` can only be passed when `confirm` is true.", param=name)
    automatic = params.get("automatic_payment_methods")
    if automatic and "payment_method_types" in params:
        raise StripeError(
            "You may only specify one of these parameters: automatic_payment_methods, payment_method_types.",
            code="parameters_exclusive",
            param="automatic_payment_methods",
        )
    _require_types(params)
    id = call.new_id("seti_")
    intent = call.make(
        SetupIntent,
        "seti_",
        id=id,
        client_secret=f"{id}_secret_{call.token(25)}",
        customer=_customer(call),
        automatic_payment_methods=_automatic(automatic),
        on_behalf_of=params.get("on_behalf_of"),
        usage=params.get("usage", "off_session"),
        status="requires_payment_method",
        x_single_use=params.get("single_use"),
        **_values(call),
    )
    if not intent.payment_method_types:
        intent.payment_method_types = list(_AUTOMATIC if automatic and automatic["enabled"] else ("card",))
    token = _take_method(call, intent)
    intent.save()
    call.emit("setup_intent.created", intent)
    return _confirm(call, intent, token) if confirms else intent


def _require_types(params: dict[str, Any]) -> None:
    """Refuse types that are nothing to keep.

    Raises: StripeError.
    """
    for index, type in enumerate(params.get("payment_method_types", [])):
        if type not in rails.REUSABLE and type not in (*rails.GENERATES_SEPA_DEBIT, "card_present"):
            raise StripeError(
                f"The payment method type `{type}` cannot be set up for later use.",
                param=f"payment_method_types[{index}]",
            )


def _automatic(given: dict[str, Any] | None) -> dict[str, Any] | None:
    return None if given is None else {"allow_redirects": "always", **given}


def _customer(call: Call) -> Customer | None:
    id = call.params.get("customer")
    return None if not id else find(call, Customer, id, noun="customer", param="customer", in_path=False)


def _values(call: Call, present: SetupIntent | None = None) -> dict[str, Any]:
    found = changing.values(call.params, _PLAIN, present)
    before = present.payment_method_options if present is not None else None
    given = call.params.get("payment_method_options") or {}
    options = {**(before or _OPTIONS)}
    for type, value in given.items():
        options[type] = {**(options.get(type) or {}), **(value or {})}
    return {**found, "payment_method_options": options}


def _take_method(call: Call, intent: SetupIntent) -> ConfirmationToken | None:
    """Put the payment method of a request on its intent; answers the confirmation token it came with.

    Raises: StripeError for one that is another's, or that the intent does not take.
    """
    params, token = call.params, None
    if "payment_method" in params and "payment_method_data" in params:
        raise StripeError(
            "You may only specify one of these parameters: payment_method, payment_method_data.",
            code="parameters_exclusive",
            param="payment_method",
        )
    if "confirmation_token" in params:
        token = confirmation_tokens.take(call, params["confirmation_token"], setup_intent=intent.id)
        method = token.x_payment_method
    elif "payment_method_data" in params:
        method = payment_methods.make(call, params["payment_method_data"], within="payment_method_data")
    elif "payment_method" in params:
        method = payment_methods.resolve(call, params["payment_method"])
    else:
        return None
    _require_fitting(intent, method)
    intent.payment_method = method
    intent.status = "requires_confirmation"
    return token


def _require_fitting(intent: SetupIntent, method: PaymentMethod) -> None:
    attaching.require_unspent(method)
    if method.customer_id is not None and method.customer_id != intent.customer_id:
        if intent.customer_id is None:
            raise StripeError(
                f"The payment method supplied ({method.id}) belongs to a Customer. Please include the Customer in the "
                "`customer` parameter on the SetupIntent.",
                code="parameter_missing",
                param="customer",
            )
        raise StripeError(
            f"The payment method supplied ({method.id}) belongs to a different Customer. Please include the correct "
            "Customer in the `customer` parameter on the SetupIntent.",
            param="payment_method",
        )
    if method.type in intent.payment_method_types:
        return
    if intent.automatic_payment_methods and method.type in rails.REUSABLE:
        intent.payment_method_types = [*intent.payment_method_types, method.type]
        return
    raise StripeError(
        f"The PaymentMethod provided ({method.type}) is not allowed for this SetupIntent. Please attach a "
        f"PaymentMethod of one of the following types: {', '.join(intent.payment_method_types)}.",
        code="setup_intent_invalid_parameter",
        param="payment_method",
    )


def _find(call: Call) -> SetupIntent:
    intent = find(call, SetupIntent, call.path["intent"], noun="setupintent", param="intent")
    secret = call.params.get("client_secret")
    if secret is None and call.is_publishable:
        raise errors.missing_parameter("client_secret")
    if secret is not None and secret != intent.client_secret:
        raise StripeError(
            "The client_secret provided does not match the client_secret associated with the SetupIntent.",
            code="setup_intent_invalid_parameter",
            param="client_secret",
        )
    return intent


@operation("GetSetupIntentsIntent")
def retrieve(call: Call) -> SetupIntent:
    return _find(call)


@operation("PostSetupIntentsIntent")
def update(call: Call) -> SetupIntent:
    intent = _find(call)
    fixed = [name for name in call.params if name not in ("expand", "metadata", "description")]
    if fixed and intent.status not in _OPEN:
        raise _unexpected(intent, "You cannot update this SetupIntent", "updated", param=fixed[0])
    _require_types(call.params)
    for name, value in _values(call, intent).items():
        setattr(intent, name, value)
    if "customer" in call.params:
        intent.customer = _customer(call)
    _take_method(call, intent)
    intent.save()
    return intent


@operation("PostSetupIntentsIntentConfirm")
def confirm(call: Call) -> SetupIntent:
    return _confirm(call, _find(call), None)


def _confirm(call: Call, intent: SetupIntent, token: ConfirmationToken | None) -> SetupIntent:
    params = call.params
    given = any(name in params for name in ("payment_method", "payment_method_data", "confirmation_token"))
    if intent.payment_method is None and not given:
        raise StripeError(
            "You cannot confirm this SetupIntent because it's missing a payment method. You can either update the "
            "SetupIntent with a payment method and then confirm it again, or confirm it again directly with a payment "
            "method or ConfirmationToken.",
            code="setup_intent_unexpected_state",
            setup_intent=wire.of(intent),
        )
    if intent.status not in _OPEN:
        raise _unexpected(intent, "You cannot confirm this SetupIntent", "confirmed")
    if call.operation.id != "PostSetupIntents":
        token = _take_method(call, intent)
        intent.payment_method_options = _values(call, intent)["payment_method_options"]
    method = intent.payment_method
    assert method is not None
    if params.get("mandate_data"):
        intent.x_acceptance = params["mandate_data"]["customer_acceptance"]
    return_url = params.get("return_url") or (token.return_url if token is not None else None)
    _require_ready(intent, method, has_return=bool(return_url or params.get("use_stripe_sdk")))
    attempting.attempt(call, intent, method, return_url)
    return intent


def _require_ready(intent: SetupIntent, method: PaymentMethod, *, has_return: bool) -> None:
    """Refuse what could not be carried out: no consent to debits, no address to come back to."""
    attaching.require_unspent(method)
    if method.type in mandates.NEEDS_ACCEPTANCE and intent.x_acceptance is None and not method.x_is_set_up:
        raise StripeError(
            f"Setting up a payment method of the type `{method.type}` needs the customer's acceptance of a mandate: "
            "pass `mandate_data`.",
            code="setup_intent_mandate_invalid",
            param="mandate_data",
        )
    automatic = intent.automatic_payment_methods or {}
    may_redirect = automatic.get("enabled") and automatic.get("allow_redirects") == "always"
    if not has_return and (may_redirect or method.type in rails.WITH_REDIRECT):
        raise StripeError(
            "This SetupIntent accepts payment methods that may send your customer to another page. Pass a "
            "`return_url`, or set `automatic_payment_methods[allow_redirects]` to `never`.",
            param="return_url",
        )


@operation("PostSetupIntentsIntentCancel")
def cancel(call: Call) -> SetupIntent:
    intent = _find(call)
    if intent.status not in _OPEN:
        raise _unexpected(intent, "You cannot cancel this SetupIntent", "canceled")
    intent.status = "canceled"
    intent.next_action = None
    intent.cancellation_reason = call.params.get("cancellation_reason")
    intent.save()
    if intent.latest_attempt is not None and intent.latest_attempt.status == "requires_action":
        intent.latest_attempt.status = "abandoned"
        intent.latest_attempt.save(update_fields=["status"])
    call.emit("setup_intent.canceled", intent)
    return intent


def _unexpected(intent: SetupIntent, what: str, done: str, param: str | None = None) -> StripeError:
    return StripeError(
        f"{what} because it has a status of {intent.status}. Only a SetupIntent with one of the following statuses may "
        f"be {done}: {', '.join(_OPEN)}.",
        code="setup_intent_unexpected_state",
        param=param,
        setup_intent=wire.of(intent),
    )


@operation("PostSetupIntentsIntentVerifyMicrodeposits")
def verify_microdeposits(call: Call) -> SetupIntent:
    intent = _find(call)
    method = intent.payment_method
    if method is None or (intent.next_action or {}).get("type") != "verify_with_microdeposits":
        raise StripeError(
            "This SetupIntent does not wait for microdeposits to be verified.",
            code="intent_invalid_state",
            setup_intent=wire.of(intent),
        )
    before = intent.x_wrong_amounts
    intent.x_wrong_amounts = before + 1
    intent.save(update_fields=["x_wrong_amounts"])
    ending = microdeposits.verify(method, call.params, before)
    if ending is not None:
        raise attempting.fail(call, intent, method, error=ending)
    attempting.succeed(call, intent, method)
    return intent


@operation("GetSetupIntents")
def list_all(call: Call) -> dict[str, Any]:
    rows = call.rows(SetupIntent).filter(listing.equal(call, "attach_to_self", "created", "customer", "payment_method"))
    return listing.page(call, rows, noun="setupintent")
