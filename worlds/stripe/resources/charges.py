"""How do charges behave?"""

from __future__ import annotations

from worlds.stripe import currencies, entered_cards, ledger
from worlds.stripe.api import changing, errors
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.operations import find, lists, loads, operation
from worlds.stripe.connect import sharing
from worlds.stripe.models import Charge, Customer, PaymentMethod
from worlds.stripe.payments import attempting, capturing, charging, disputing
from worlds.stripe.payments.charging import Order
from worlds.stripe.resources import attaching, tokens

_TAKEN = (
    "application_fee_amount", "description", "on_behalf_of", "radar_options", "receipt_email", "shipping",
    "statement_descriptor", "statement_descriptor_suffix", "transfer_data", "transfer_group",
)  # fmt: skip

loads(Charge)
lists("GetCharges", Charge, "created", "customer", "payment_intent", "transfer_group", noun="charge")


def _found(call: Call) -> Charge:
    return find(call, Charge, call.path["charge"], noun="charge")


@operation("PostCharges")
def create(call: Call) -> Charge:
    """Charge a source at once, as it was done before there were intents."""
    params = call.params
    for name in ("amount", "currency"):
        if name not in params:
            raise errors.missing_parameter(name)
    currencies.require_chargeable(params["amount"], params["currency"])
    customer, method = _source(call)
    columns = {name: params[name] for name in _TAKEN if name in params}
    if isinstance(params.get("destination"), dict):
        given = params["destination"]
        columns["transfer_data"] = {"destination": given["account"], "amount": given.get("amount")}
    elif "destination" in params:
        columns["transfer_data"] = {"destination": params["destination"], "amount": None}
    sharing.require_shareable(call, columns, params["amount"])
    order = Order(
        params["amount"],
        params["currency"],
        params.get("capture", True),
        columns={
            **columns,
            "customer_id": customer.id if customer else None,
            "metadata": changing.metadata(None, params.get("metadata")),
        },
    )
    return _charge(call, order, method)


def _charge(call: Call, order: Order, method: PaymentMethod) -> Charge:
    if method.type in ledger.FROM_BANKS:
        charge = charging.begin_debit(call, order, method)
        attempting.schedule_settlement(call, charge, method)
        call.emit("charge.pending", charge)
        return charge
    card = method.test_card
    decline = card.decline if card is not None else None
    if decline is None and card is not None and card.authentication in ("required", "unless_set_up"):
        # Without an intent there is nobody to ask.
        decline = ("card_declined", "authentication_required")
    if decline is not None:
        message = attaching.declined(*decline).message
        charge = charging.send(call, order, method, decline=(*decline, message))
        call.emit("charge.failed", charge)
        refusal = attaching.declined(*decline, charge=charge.id)
        refusal.keeps = True
        raise refusal
    charge = charging.send(call, order, method)
    attaching.spend(method)
    call.emit("charge.succeeded", charge)
    if order.captures:
        disputing.arise(call, charge)
    else:
        call.ctx.schedule(
            call.now + charging.HOLD, "authorization_expires", {"account": call.account, "charge": charge.id}
        )
    return charge


def _source(call: Call) -> tuple[Customer | None, PaymentMethod]:
    """Who pays, and with what.

    Raises: StripeError where there is nothing to charge.
    """
    params = call.params
    customer = None
    if "customer" in params:
        customer = find(call, Customer, params["customer"], noun="customer", param="customer", in_path=False)
    given = params.get("source", params.get("card"))
    if given is None:
        if customer is None:
            raise StripeError("Must provide source or customer.", code="parameter_missing")
        if customer.default_source is None:
            raise StripeError("Cannot charge a customer that has no active card", code="missing", param="card",
                              status=402, kind="card_error")  # fmt: skip
        return customer, customer.default_source
    if isinstance(given, str) and given.startswith(("card_", "ba_", "src_", "pm_")) and customer is not None:
        method = call.rows(PaymentMethod).filter(pk=given, customer=customer).first()
        if method is None:
            raise StripeError(
                f"Customer {customer.id} does not have a linked source with ID {given}.",
                status=404,
                code="missing",
                param="source",
            )
        return customer, method
    if isinstance(given, str):
        token = tokens.spend(call, given)
        if token.card is None:
            raise StripeError(f"The token {given} does not stand for a card.", param="source")
        card = tokens.card_of(token)
    else:
        card = entered_cards.entered(given, call.now)
    return customer, call.make(
        PaymentMethod, "card_", type="card", rail=entered_cards.rail(call, card), x_number=card.test_card.number,
        billing_details=entered_cards.billing_details(card),
    )  # fmt: skip


@operation("GetChargesCharge")
def retrieve(call: Call) -> Charge:
    return _found(call)


@operation("PostChargesCharge")
def update(call: Call) -> Charge:
    charge, params = _found(call), call.params
    values = changing.values(params, ("description", "metadata", "receipt_email", "shipping", "transfer_group"), charge)
    if "fraud_details" in params:
        values["fraud_details"] = {**(charge.fraud_details or {}), **params["fraud_details"]}
    if "customer" in params:
        customer = find(call, Customer, params["customer"], noun="customer", param="customer", in_path=False)
        if charge.customer_id not in (None, customer.id):
            raise StripeError("You cannot change the customer of a charge once it has one.", param="customer")
        values["customer_id"] = customer.id
    previous = changing.change(charge, values)
    if previous:
        call.emit("charge.updated", charge, previous)
    return charge


@operation("PostChargesChargeCapture")
def capture(call: Call) -> Charge:
    charge, params = _found(call), call.params
    for name in ("application_fee_amount", "receipt_email", "statement_descriptor", "statement_descriptor_suffix"):
        if name in params:
            setattr(charge, name, params[name])
    intent = charge.payment_intent
    if intent is not None and intent.status == "requires_capture":
        charge.save()
        capturing.capture(call, intent, params.get("amount"), is_final=None)
        charge.refresh_from_db()
    else:
        capturing.capture_charge(call, charge, params.get("amount"))
    return charge
