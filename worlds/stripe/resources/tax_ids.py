"""How do the tax ids of customers, and of the account itself, behave?"""

from __future__ import annotations

from typing import Any

from worlds.stripe import tax_numbers
from worlds.stripe.api import errors, listing, wire
from worlds.stripe.api.call import Call, account_id
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.expanding import PARTS
from worlds.stripe.api.operations import find, loads, operation
from worlds.stripe.models import Customer, TaxId

NOUN = "tax id"
_MOST = 5

loads(TaxId)


@wire.shaped("tax_id")
def _shape(tax_id: TaxId) -> dict[str, Any]:
    owner: dict[str, Any] = {"type": tax_id.x_owner}
    if tax_id.x_owner in ("customer", "account"):
        owner[tax_id.x_owner] = tax_id.customer_id or tax_id.x_owner_account
    verification = {
        "status": tax_id.x_status,
        "verified_address": tax_id.x_verified_address,
        "verified_name": tax_id.x_verified_name,
    }
    return {"owner": owner, "verification": verification if tax_id.x_status is not None else None}


def _of_customer(call: Call, shown: dict[str, Any]) -> dict[str, Any]:
    rows = list(call.rows(TaxId).filter(customer=shown["id"], deleted=False).order_by("-x_seq"))
    return listing.envelope([wire.of(row) for row in rows], url=f"/v1/customers/{shown['id']}/tax_ids")


PARTS["customer", "tax_ids"] = _of_customer


def add(call: Call, type: str, value: str, *, customer: Customer | None = None, **owner: Any) -> TaxId:
    """A new tax id of a customer, or of who `owner` says; an authority is asked about it where there is one.

    Raises: StripeError for a number that cannot be, and one too many.
    """
    tax_numbers.require_written(type, value)
    if customer is not None and call.rows(TaxId).filter(customer=customer, deleted=False).count() >= _MOST:
        raise StripeError(f"A customer can have at most {_MOST} tax IDs.")
    is_checked = type in tax_numbers.CHECKED
    row = call.make(
        TaxId, "txi_", type=type, value=value, customer=customer, country=tax_numbers.country_of(type, value),
        x_status="pending" if is_checked else "unavailable", **owner,
    )  # fmt: skip
    if is_checked and tax_numbers.outcome(value) is not None:
        call.ctx.schedule(tax_numbers.CHECK_TAKES, "tax_id_is_checked", {"account": call.account, "tax_id": row.id})
    if customer is not None:
        call.emit("customer.tax_id.created", row)
    return row


def remove(call: Call, row: TaxId) -> TaxId:
    """Delete a tax id."""
    if row.customer_id is not None:
        call.emit("customer.tax_id.deleted", row)
    row.deleted = True
    row.save(update_fields=["deleted"])
    return row


def _customer(call: Call) -> Customer:
    return find(call, Customer, call.path["customer"], noun="customer", param="customer")


def _own(call: Call) -> TaxId:
    """The tax id of the path, if it is the customer's of the path."""
    customer = _customer(call)
    row = find(call, TaxId, call.path["id"], noun=NOUN)
    if row.customer_id != customer.id:
        raise StripeError("Invalid request", status=404, param="customer")
    return row


@operation("PostCustomersCustomerTaxIds")
def create_of_customer(call: Call) -> TaxId:
    return add(call, call.params["type"], call.params["value"], customer=_customer(call))


@operation("GetCustomersCustomerTaxIdsId")
def retrieve_of_customer(call: Call) -> TaxId:
    return _own(call)


@operation("DeleteCustomersCustomerTaxIdsId")
def delete_of_customer(call: Call) -> TaxId:
    return remove(call, _own(call))


@operation("GetCustomersCustomerTaxIds")
def list_of_customer(call: Call) -> dict[str, Any]:
    rows = call.rows(TaxId).filter(customer=_customer(call), deleted=False)
    return listing.page(call, rows, noun=NOUN)


@operation("PostTaxIds")
def create(call: Call) -> TaxId:
    """Make a tax id of the account itself, unless `owner` says of whom."""
    owner = call.params.get("owner") or {"type": "self"}
    customer, about = None, {"x_owner": owner["type"]}
    if owner["type"] == "customer":
        if "customer" not in owner:
            raise errors.missing_parameter("owner[customer]")
        customer = find(call, Customer, owner["customer"], noun="customer", param="owner[customer]", in_path=False)
    elif owner["type"] == "account":
        about["x_owner_account"] = owner.get("account") or account_id(call.ctx)
    return add(call, call.params["type"], call.params["value"], customer=customer, **about)


@operation("GetTaxIdsId")
def retrieve(call: Call) -> TaxId:
    return find(call, TaxId, call.path["id"], noun=NOUN)


@operation("DeleteTaxIdsId")
def delete(call: Call) -> TaxId:
    return remove(call, find(call, TaxId, call.path["id"], noun=NOUN))


@operation("GetTaxIds")
def list_all(call: Call) -> dict[str, Any]:
    """The account's own tax ids, unless `owner` says whose."""
    owner = call.params.get("owner") or {"type": "self"}
    rows = call.rows(TaxId).filter(deleted=False, x_owner=owner["type"])
    if "customer" in owner:
        rows = rows.filter(customer=owner["customer"])
    return listing.page(call, rows, noun=NOUN)
