"""How do payment methods behave?"""

from __future__ import annotations

from typing import Any

from worlds.stripe import bank_accounts, entered_cards, rails
from worlds.stripe.api import changing, errors, listing, wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.operations import find, loads, operation
from worlds.stripe.card_numbers import require_expiry
from worlds.stripe.cards import by_payment_method
from worlds.stripe.entered_cards import ADDRESS, EnteredCard
from worlds.stripe.models import Customer, PaymentMethod
from worlds.stripe.resources import tokens
from worlds.stripe.resources.attaching import attach, detach

NOUN = "PaymentMethod"
_DETAILS = ("email", "name", "phone", "tax_id")

loads(PaymentMethod)


@wire.shaped("payment_method")
def _shape(method: PaymentMethod) -> dict[str, Any]:
    return {
        method.type: method.rail,
        "billing_details": _all_details(method.billing_details),
        "radar_options": method.radar_options,
    }


def _all_details(known: dict[str, Any]) -> dict[str, Any]:
    """Details with every key there is."""
    address = known.get("address") or {}
    return {
        "address": {part: address.get(part) for part in ADDRESS},
        **{name: known.get(name) for name in _DETAILS},
    }


def resolve(call: Call, id: str, *, param: str = "payment_method", in_path: bool = False) -> PaymentMethod:
    """The payment method of an id; `pm_card_visa` and its kin become one of the account's own.

    Raises: StripeError for one that is not there.
    """
    if (card := by_payment_method(id)) is not None:
        return _of_card(call, entered_cards.of_test_card(card, call.now))
    if id.startswith(("pm_usBankAccount", "pm_sepaDebit", "pm_bacsDebit", "pm_auBecsDebit", "pm_acssDebit")):
        account = bank_accounts.by_payment_method(id)
        if account is not None:
            rail, number = rails.of_test_account(call, account)
            details = {"name": "Jenny Rosen", "email": "jenny.rosen@example.com"}
            return call.make(
                PaymentMethod, "pm_", type=account.rail, rail=rail, x_number=number, billing_details=details
            )
    return find(call, PaymentMethod, id, noun=NOUN, param=param, in_path=in_path)


def _of_card(call: Call, card: EnteredCard, **values: Any) -> PaymentMethod:
    return call.make(
        PaymentMethod, "pm_", type="card", rail=entered_cards.rail(call, card), x_number=card.test_card.number, **values
    )


def make(call: Call, data: dict[str, Any], *, within: str = "") -> PaymentMethod:
    """A new payment method, from its own parameters or from `payment_method_data`, which is then `within`.

    Raises: StripeError for what is missing, and for cards and accounts that cannot be.
    """
    type = data.get("type")
    if type is None:
        raise errors.missing_parameter(_named("type", within))
    strangers = [name for name in rails.TYPES if name in data and name != type]
    if strangers:
        raise StripeError(
            f"You passed `{strangers[0]}`, which does not go with a payment method of the type `{type}`.",
            param=_named(strangers[0], within),
        )
    common = {
        "allow_redisplay": data.get("allow_redisplay", "unspecified"),
        "billing_details": _details(data, type, within),
        "metadata": changing.metadata(None, data.get("metadata")),
        "radar_options": data.get("radar_options"),
    }
    given = data.get(type)
    if type == "card":
        if given is None:
            raise errors.missing_parameter(_named("card", within))
        return _make_card(call, given, common)
    if given is None and type in rails.WITH_NUMBERS:
        raise errors.missing_parameter(_named(type, within))
    rail, number = rails.rail(call, type, given or {})
    return call.make(PaymentMethod, "pm_", type=type, rail=rail, x_number=number, **common)


def _named(name: str, within: str) -> str:
    return f"{within}[{name}]" if within else name


def _make_card(call: Call, given: dict[str, Any], common: dict[str, Any]) -> PaymentMethod:
    details = common["billing_details"]
    if "token" in given:
        token = tokens.spend(call, given["token"], param="card[token]")
        if token.card is None:
            raise StripeError(f"The token {given['token']} does not stand for a card.", param="card[token]")
        card = tokens.card_of(token)
        on_card = entered_cards.billing_details(card)
        common["billing_details"] = {**on_card, **{name: value for name, value in details.items() if value}}
    else:
        card = entered_cards.entered({**given, "name": details.get("name")}, call.now)
    address = {part: value for part, value in (common["billing_details"].get("address") or {}).items() if value}
    card = EnteredCard(
        card.test_card, card.exp_month, card.exp_year, card.has_cvc, card.preferred_network, card.name, address
    )
    return _of_card(call, card, **common)


def _details(data: dict[str, Any], type: str, within: str) -> dict[str, Any]:
    given = {name: value or None for name, value in (data.get("billing_details") or {}).items()}
    for name in rails.DETAILS_NEEDED.get(type, ()):
        if not given.get(name):
            raise errors.missing_parameter(_named("billing_details", within) + f"[{name}]")
    return given


@operation("PostPaymentMethods")
def create(call: Call) -> PaymentMethod:
    """Make a payment method, or copy one of the platform's; nothing is told of it."""
    params = call.params
    if "payment_method" in params:
        return _copy(call)
    if "customer" in params:
        raise StripeError(
            "`customer` can only be given together with `payment_method`. To keep a new payment method for a customer, "
            "attach it once it is made.",
            param="customer",
        )
    return make(call, params)


def _copy(call: Call) -> PaymentMethod:
    """A payment method of the platform, for the account acted for."""
    id = call.params["payment_method"]
    if by_payment_method(id) is not None:
        return resolve(call, id)
    source = PaymentMethod.objects.filter(pk=id, x_account="").first()
    if source is None:
        raise errors.no_such(NOUN, id, param="payment_method", in_path=False)
    if source.customer_id is not None and call.params.get("customer") != source.customer_id:
        raise errors.missing_parameter("customer")
    return call.make(
        PaymentMethod, "pm_", type=source.type, rail=source.rail, billing_details=source.billing_details,
        x_number=source.x_number, allow_redisplay=source.allow_redisplay,
    )  # fmt: skip


@operation("GetPaymentMethodsPaymentMethod")
def retrieve(call: Call) -> PaymentMethod:
    return resolve(call, call.path["payment_method"], in_path=True)


@operation("PostPaymentMethodsPaymentMethod")
def update(call: Call) -> PaymentMethod:
    method = resolve(call, call.path["payment_method"], in_path=True)
    if method.customer_id is None:
        raise StripeError("You must save this PaymentMethod to a customer before you can update it.")
    params = call.params
    values = changing.values(params, ("allow_redisplay", "metadata"), method)
    if "billing_details" in params:
        values["billing_details"] = _merged_details(method.billing_details, params["billing_details"])
    if method.type in ("card", "us_bank_account") and method.type in params:
        values["rail"] = _rail_after(call, method, params[method.type])
    previous = changing.change(method, values)
    if previous:
        call.emit("payment_method.updated", method, previous)
    return method


def _merged_details(present: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    merged = {**present, **{name: value or None for name, value in given.items() if name != "address"}}
    if "address" in given:
        address = given["address"]
        merged["address"] = {**(present.get("address") or {}), **address} if address else {}
    return merged


def _rail_after(call: Call, method: PaymentMethod, given: dict[str, Any]) -> dict[str, Any]:
    rail = dict(method.rail)
    if "exp_month" in given or "exp_year" in given:
        wanted = {**rail, **given}
        rail["exp_month"], rail["exp_year"] = require_expiry(wanted["exp_month"], wanted["exp_year"], call.now)
    if "networks" in given:
        rail["networks"] = {**rail["networks"], "preferred": given["networks"].get("preferred") or None}
    return {**rail, **{name: value for name, value in given.items() if name.startswith("account_")}}


@operation("PostPaymentMethodsPaymentMethodAttach")
def attach_to_customer(call: Call) -> PaymentMethod:
    if "customer" not in call.params:
        raise errors.missing_parameter("customer")
    method = resolve(call, call.path["payment_method"], in_path=True)
    customer = find(call, Customer, call.params["customer"], noun="customer", param="customer", in_path=False)
    return attach(call, method, customer)


@operation("PostPaymentMethodsPaymentMethodDetach")
def detach_from_customer(call: Call) -> PaymentMethod:
    return detach(call, resolve(call, call.path["payment_method"], in_path=True))


@operation("GetPaymentMethods")
def list_all(call: Call) -> dict[str, Any]:
    """The payment methods of a customer; without one there are none to see."""
    rows = call.rows(PaymentMethod).filter(customer__isnull=False)
    owner = call.params.get("customer")
    if owner is None:
        rows = rows.none()
    else:
        rows = rows.filter(customer=find(call, Customer, owner, noun="customer", param="customer", in_path=False))
    return listing.page(call, rows.filter(listing.equal(call, "allow_redisplay", "type")), noun=NOUN)


@operation("GetCustomersCustomerPaymentMethods")
def list_of_customer(call: Call) -> dict[str, Any]:
    customer = find(call, Customer, call.path["customer"], noun="customer")
    rows = call.rows(PaymentMethod).filter(listing.equal(call, "allow_redisplay", "type"), customer=customer)
    return listing.page(call, rows, noun=NOUN)


@operation("GetCustomersCustomerPaymentMethodsPaymentMethod")
def retrieve_of_customer(call: Call) -> PaymentMethod:
    customer = find(call, Customer, call.path["customer"], noun="customer", param="customer")
    method = resolve(call, call.path["payment_method"], in_path=True)
    if method.customer_id != customer.id:
        raise StripeError("Invalid request", status=404, param="customer")
    return method
