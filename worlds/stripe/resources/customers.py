"""How do customers behave?"""

from __future__ import annotations

from typing import Any

from worlds.stripe import customer_balance
from worlds.stripe.api import changing, errors, wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.expanding import PARTS
from worlds.stripe.api.operations import find, lists, loads, operation
from worlds.stripe.models import Customer, PaymentMethod
from worlds.stripe.resources import attaching, cash_balances, payment_methods, sources, tax_ids

_UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_PLAIN = (
    "address", "business_name", "description", "email", "individual_name", "invoice_prefix",
    "invoice_settings", "metadata", "name", "next_invoice_sequence", "phone", "preferred_locales", "shipping",
    "tax_exempt", "test_clock",
)  # fmt: skip
_NO_INVOICE_SETTINGS = {
    "custom_fields": None,
    "default_payment_method": None,
    "footer": None,
    "rendering_options": None,
}
#: Where a source may be given, or named as the default one.
_SOURCES, _DEFAULTS = ("source", "card", "bank_account"), ("default_source", "default_card", "default_bank_account")

loads(Customer)
lists("GetCustomers", Customer, "email", "created", "test_clock", noun="customer")


@wire.shaped("customer")
def _shape(customer: Customer) -> dict[str, Any]:
    return {
        "discount": None if customer.discount is None else wire.of(customer.discount),
        "invoice_settings": {**_NO_INVOICE_SETTINGS, **customer.invoice_settings},
    }


def _tax(call: Call, shown: dict[str, Any]) -> dict[str, Any]:
    """Where a customer is for taxes, which is shown only when it is asked for."""
    address, ip_address = shown["address"] or {}, Customer.objects.get(pk=shown["id"]).x_ip_address
    location = None
    if address.get("country"):
        location = {"country": address["country"], "source": "billing_address", "state": address.get("state")}
    status = "unrecognized_location" if location is None else "supported"
    return {"automatic_tax": status, "ip_address": ip_address, "location": location, "provider": "stripe"}


PARTS["customer", "tax"] = _tax


@operation("PostCustomers")
def create(call: Call) -> Customer:
    """Make a customer, with a payment method or a source if there is one."""
    values = _values(call)
    values.setdefault("invoice_prefix", call.ctx.ids.token(8, _UPPER))
    default = (values.get("invoice_settings") or {}).pop("default_payment_method", None)
    customer = call.make(Customer, "cus_", **values)
    method = None
    if (given := call.params.get("payment_method")) is not None:
        method = payment_methods.resolve(call, given)
        if default == given:
            default = method.id
    if default and (method is None or default != method.id):
        raise _not_attached(default)
    if default:
        customer.invoice_settings = {**customer.invoice_settings, "default_payment_method": default}
        customer.save(update_fields=["invoice_settings"])
    if balance := call.params.get("balance"):
        customer_balance.set_to(call, customer, balance, type="initial")
    _set_cash_balance(call, customer)
    call.emit("customer.created", customer)
    for each in call.params.get("tax_id_data", ()):
        tax_ids.add(call, each["type"], each["value"], customer=customer)
    if method is not None:
        attaching.attach(call, method, customer)
    if "source" in call.params:
        sources.add(call, customer, call.params["source"])
    return customer


def _set_cash_balance(call: Call, customer: Customer) -> None:
    settings = (call.params.get("cash_balance") or {}).get("settings") or {}
    if "reconciliation_mode" in settings:
        cash_balances.configure(customer.id, settings["reconciliation_mode"])


def _not_attached(id: str) -> StripeError:
    return StripeError(
        f"The customer does not have a payment method with the ID {id}. The payment method must be attached to the "
        "customer.",
        code="resource_missing",
        param="invoice_settings[default_payment_method]",
    )


@operation("GetCustomersCustomer")
def retrieve(call: Call) -> Customer:
    """A customer; a deleted one as its stub."""
    row = call.rows(Customer).filter(pk=call.path["customer"]).first()
    return row or find(call, Customer, call.path["customer"], noun="customer")


@operation("PostCustomersCustomer")
def update(call: Call) -> Customer:
    customer = find(call, Customer, call.path["customer"], noun="customer")
    values = _values(call, customer)
    _require_attached(call, customer)
    if (source := _source(call, customer)) is not None:
        values["default_source_id"] = source
    _set_cash_balance(call, customer)
    before = wire.of(customer)
    changing.change(customer, values)
    if "balance" in call.params:
        customer_balance.set_to(call, customer, call.params["balance"])
    if previous := changing.differences(before, wire.of(customer)):
        call.emit("customer.updated", customer, previous)
    return customer


def _require_attached(call: Call, customer: Customer) -> None:
    """Refuse a default payment method that is not the customer's."""
    wanted = (call.params.get("invoice_settings") or {}).get("default_payment_method")
    if wanted and not call.rows(PaymentMethod).filter(pk=wanted, customer=customer).exists():
        raise _not_attached(wanted)


def _source(call: Call, customer: Customer) -> str | None:
    """The default source that a change asks for; a new one takes the place of the one before."""
    given = next((call.params[name] for name in _SOURCES if call.params.get(name)), None)
    if given is not None:
        before = customer.default_source
        added = sources.add(call, customer, given)
        if before is not None:
            sources.remove(call, customer, before, is_replaced=True)
        return added.id
    wanted = next((call.params[name] for name in _DEFAULTS if call.params.get(name)), None)
    if wanted is None:
        return None
    if not call.rows(PaymentMethod).filter(pk=wanted, customer=customer).exists():
        raise errors.no_such("source", wanted, param="default_source", in_path=False)
    return str(wanted)


@operation("DeleteCustomersCustomer")
def delete(call: Call) -> Customer:
    """Delete a customer, who keeps no payment method then."""
    customer = find(call, Customer, call.path["customer"], noun="customer")
    call.emit("customer.deleted", customer)
    customer.deleted = True
    customer.save(update_fields=["deleted"])
    for method in call.rows(PaymentMethod).filter(customer=customer).order_by("x_seq"):
        previous = changing.change(method, {"customer_id": None, "x_is_spent": True})
        if not method.is_source:
            call.emit("payment_method.detached", method, previous)
    return customer


def _values(call: Call, present: Customer | None = None) -> dict[str, Any]:
    found = changing.values(call.params, _PLAIN, present)
    if "tax_exempt" in found:
        found["tax_exempt"] = found["tax_exempt"] or "none"
    if "tax" in call.params and "ip_address" in call.params["tax"]:
        found["x_ip_address"] = call.params["tax"]["ip_address"] or None
    if "invoice_settings" in found:
        settings = found["invoice_settings"] or {}
        found["invoice_settings"] = {name: value or None for name, value in settings.items()}
    return found
