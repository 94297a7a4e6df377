"""How do customers behave?"""

from __future__ import annotations

from typing import Any

from worlds.stripe.api import changing, wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.operations import find, lists, loads, operation
from worlds.stripe.models import Customer

_UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_PLAIN = (
    "address", "balance", "business_name", "description", "email", "individual_name", "invoice_prefix",
    "invoice_settings", "metadata", "name", "next_invoice_sequence", "phone", "preferred_locales", "shipping",
    "tax_exempt", "test_clock",
)  # fmt: skip
_NO_INVOICE_SETTINGS = {
    "custom_fields": None,
    "default_payment_method": None,
    "footer": None,
    "rendering_options": None,
}

loads(Customer)
lists("GetCustomers", Customer, "email", "created", "test_clock", noun="customer")


@wire.shaped("customer")
def _shape(customer: Customer) -> dict[str, Any]:
    return {"invoice_settings": {**_NO_INVOICE_SETTINGS, **customer.invoice_settings}}


@operation("PostCustomers")
def create(call: Call) -> Customer:
    values = _values(call)
    values.setdefault("invoice_prefix", call.ctx.ids.token(8, _UPPER))
    customer = call.make(Customer, "cus_", **values)
    call.emit("customer.created", customer)
    return customer


@operation("GetCustomersCustomer")
def retrieve(call: Call) -> Customer:
    """A customer; a deleted one as its stub."""
    row = call.rows(Customer).filter(pk=call.path["customer"]).first()
    return row or find(call, Customer, call.path["customer"], noun="customer")


@operation("PostCustomersCustomer")
def update(call: Call) -> Customer:
    customer = find(call, Customer, call.path["customer"], noun="customer")
    previous = changing.change(customer, _values(call, customer))
    if previous:
        call.emit("customer.updated", customer, previous)
    return customer


@operation("DeleteCustomersCustomer")
def delete(call: Call) -> Customer:
    customer = find(call, Customer, call.path["customer"], noun="customer")
    call.emit("customer.deleted", customer)
    customer.deleted = True
    customer.save(update_fields=["deleted"])
    return customer


def _values(call: Call, present: Customer | None = None) -> dict[str, Any]:
    found = changing.values(call.params, _PLAIN, present)
    if "tax_exempt" in found:
        found["tax_exempt"] = found["tax_exempt"] or "none"
    if "invoice_settings" in found:
        found["invoice_settings"] = found["invoice_settings"] or {}
    return found
