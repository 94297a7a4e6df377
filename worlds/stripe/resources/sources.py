"""How do a customer's sources behave: the cards and bank accounts from before there were payment methods?"""

from __future__ import annotations

from typing import Any

from worlds.stripe import bank_accounts, entered_cards, rails
from worlds.stripe.api import changing, errors, expanding, listing, wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.operations import find, operation
from worlds.stripe.card_numbers import require_expiry
from worlds.stripe.entered_cards import SOURCE_ADDRESS, EnteredCard
from worlds.stripe.models import Customer, PaymentMethod
from worlds.stripe.resources import attaching, tokens

_OBJECTS = {"card": "card", "us_bank_account": "bank_account"}
_TYPES = {"card": "card", "bank_account": "us_bank_account"}
_AMOUNTS = [32, 45]


def shown(row: PaymentMethod) -> dict[str, Any]:
    """A source as the API shows one."""
    common = {"id": row.id, "customer": row.customer_id, "metadata": row.metadata, **row.x_source}
    if row.type == "card":
        return wire.complete("card", {**entered_cards.as_source(row.rail, row.billing_details), **common})
    rail = row.rail
    return wire.complete(
        "bank_account",
        {
            "account_holder_name": row.billing_details.get("name"),
            **{name: rail[name] for name in ("account_holder_type", "bank_name", "last4", "routing_number")},
            "fingerprint": rail["fingerprint"],
            **common,
        },
    )


def add(call: Call, customer: Customer, given: Any, metadata: Any = None) -> PaymentMethod:
    """Keep a source for a customer: a token's, or one as it was entered.

    Raises: StripeError for one that cannot be, and the issuer's refusal.
    """
    row = _of_token(call, customer, given) if isinstance(given, str) else _of_entry(call, customer, given)
    if metadata is not None:
        row.metadata = changing.metadata(None, metadata)
        row.save(update_fields=["metadata"])
    if customer.default_source_id is None:
        customer.default_source = row
        customer.save(update_fields=["default_source"])
    call.emit("customer.source.created", shown(row))
    return row


def _of_token(call: Call, customer: Customer, id: str) -> PaymentMethod:
    token = tokens.spend(call, id)
    if token.card is not None:
        return _keep_card(call, customer, tokens.card_of(token), token.card["id"])
    if token.bank_account is not None:
        return _keep_bank_account(call, customer, token.bank_account, token.x_number)
    raise StripeError(f"The token {id} stands for nothing that can be charged.", param="source")


def _of_entry(call: Call, customer: Customer, given: dict[str, Any]) -> PaymentMethod:
    if "number" in given:
        return _keep_card(call, customer, entered_cards.entered(given, call.now), call.new_id("card_"))
    if "account_number" not in given:
        raise errors.missing_parameter("source")
    account, number = tokens.shown_bank_account(call, given)
    return _keep_bank_account(call, customer, account, number)


def _keep_card(call: Call, customer: Customer, card: EnteredCard, id: str) -> PaymentMethod:
    details = entered_cards.billing_details(card)
    row = PaymentMethod(
        type="card", rail=entered_cards.rail(call, card), billing_details=details, x_number=card.test_card.number
    )
    attaching.require_accepted(row)
    return call.make(
        PaymentMethod,
        "card_",
        id=id,
        type="card",
        rail=entered_cards.checked(row.rail, card.test_card, details),
        billing_details=details,
        customer=customer,
        x_number=row.x_number,
    )


def _keep_bank_account(call: Call, customer: Customer, account: dict[str, Any], number: str) -> PaymentMethod:
    routing = account["routing_number"] or bank_accounts.ROUTING_NUMBER
    given = {"account_number": number, "routing_number": routing}
    if account["account_holder_type"]:
        given["account_holder_type"] = account["account_holder_type"]
    rail, _ = rails.rail(call, "us_bank_account", given)
    rail["account_holder_type"] = account["account_holder_type"]
    return call.make(
        PaymentMethod,
        "ba_",
        id=account["id"],
        type="us_bank_account",
        rail={**rail, "fingerprint": account["fingerprint"]},
        billing_details={"name": account["account_holder_name"]},
        customer=customer,
        x_number=number,
        x_is_set_up=account["status"] == "verified",
        x_source={name: account[name] for name in ("account_type", "country", "currency", "status")},
    )


@operation("PostCustomersCustomerSources", "PostCustomersCustomerCards", "PostCustomersCustomerBankAccounts")
def create(call: Call) -> dict[str, Any]:
    customer = find(call, Customer, call.path["customer"], noun="customer", param="customer")
    params = call.params
    given = params.get("source", params.get("card", params.get("bank_account")))
    if given is None:
        raise errors.missing_parameter("source")
    return shown(add(call, customer, given, params.get("metadata")))


def _rows(call: Call, customer: Customer) -> Any:
    return call.rows(PaymentMethod).filter(customer=customer).exclude(pk__startswith="pm_")


@operation("GetCustomersCustomerSources", "GetCustomersCustomerCards", "GetCustomersCustomerBankAccounts")
def list_all(call: Call) -> dict[str, Any]:
    customer = find(call, Customer, call.path["customer"], noun="customer")
    rows = _rows(call, customer)
    asked = call.params.get("object")
    if call.operation.id == "GetCustomersCustomerCards":
        asked = "card"
    elif call.operation.id == "GetCustomersCustomerBankAccounts":
        asked = "bank_account"
    if asked is not None:
        rows = rows.filter(type=_TYPES.get(asked, "source"))
    return listing.page(call, rows, noun="source", shown=shown)


def _of_path(call: Call) -> tuple[Customer, PaymentMethod]:
    customer = find(call, Customer, call.path["customer"], noun="customer", param="customer")
    row = _rows(call, customer).filter(pk=call.path["id"]).first()
    if row is None:
        raise errors.no_such("source", call.path["id"])
    return customer, row


@operation("GetCustomersCustomerSourcesId", "GetCustomersCustomerCardsId", "GetCustomersCustomerBankAccountsId")
def retrieve(call: Call) -> dict[str, Any]:
    return shown(_of_path(call)[1])


@operation("PostCustomersCustomerSourcesId", "PostCustomersCustomerCardsId", "PostCustomersCustomerBankAccountsId")
def update(call: Call) -> dict[str, Any]:
    _, row = _of_path(call)
    before, params = shown(row), call.params
    row.metadata = changing.values(params, ("metadata",), row).get("metadata", row.metadata)
    address = {part: params[name] for part, name in SOURCE_ADDRESS.items() if name in params}
    details = {**row.billing_details, "address": {**(row.billing_details.get("address") or {}), **address}}
    name = params.get("name", params.get("account_holder_name"))
    row.billing_details = details if name is None else {**details, "name": name}
    if row.type == "card" and ("exp_month" in params or "exp_year" in params):
        month = int(params.get("exp_month", row.rail["exp_month"]))
        year = int(params.get("exp_year", row.rail["exp_year"]))
        month, year = require_expiry(month, year, call.now)
        row.rail = {**row.rail, "exp_month": month, "exp_year": year}
    if row.type != "card" and "account_holder_type" in params:
        row.rail = {**row.rail, "account_holder_type": params["account_holder_type"]}
    row.save(update_fields=["metadata", "billing_details", "rail"])
    after = shown(row)
    if previous := changing.differences(before, after):
        call.emit("customer.source.updated", after, previous)
    return after


@operation(
    "DeleteCustomersCustomerSourcesId", "DeleteCustomersCustomerCardsId", "DeleteCustomersCustomerBankAccountsId"
)
def delete(call: Call) -> dict[str, Any]:
    customer, row = _of_path(call)
    remove(call, customer, row)
    return {"id": row.id, "object": _OBJECTS[row.type], "deleted": True}


def remove(call: Call, customer: Customer, row: PaymentMethod, *, is_replaced: bool = False) -> None:
    """Take a source from its customer; one that is replaced leaves the default to what takes its place."""
    before = shown(row)
    if not is_replaced:
        attaching.forget(call, row, customer)
    row.customer, row.x_is_spent = None, True
    row.save(update_fields=["customer", "x_is_spent"])
    call.emit("customer.source.deleted", before)


@operation("PostCustomersCustomerSourcesIdVerify", "PostCustomersCustomerBankAccountsIdVerify")
def verify(call: Call) -> dict[str, Any]:
    """Compare the two amounts that the bank account's holder saw."""
    _, row = _of_path(call)
    if row.type == "card":
        raise StripeError("Only bank accounts are verified.")
    if row.x_source["status"] == "verified":
        raise StripeError("This bank account has already been verified.")
    if sorted(call.params.get("amounts", [])) != _AMOUNTS:
        raise StripeError(
            "The amounts provided do not match the amounts that were sent to the bank account.",
            status=402,
            kind="card_error",
            code="bank_account_verification_failed",
        )
    row.x_source = {**row.x_source, "status": "verified"}
    row.x_is_set_up = True
    row.save(update_fields=["x_source", "x_is_set_up"])
    after = shown(row)
    call.emit("customer.source.updated", after, {"status": "new"})
    return after


def _all_of(call: Call, customer: dict[str, Any]) -> dict[str, Any]:
    rows = list(
        call.rows(PaymentMethod).filter(customer=customer["id"]).exclude(pk__startswith="pm_").order_by("-x_seq")
    )
    page = listing.envelope(
        [shown(row) for row in rows[:10]], url=f"/v1/customers/{customer['id']}/sources", has_more=len(rows) > 10
    )
    return {**page, "total_count": len(rows)}


expanding.PARTS["customer", "sources"] = _all_of


def _loaded(call: Call, id: str) -> dict[str, Any] | None:
    row = call.rows(PaymentMethod).filter(pk=id).exclude(pk__startswith="pm_").first()
    return None if row is None else shown(row)


expanding.LOADERS["card"] = expanding.LOADERS["bank_account"] = _loaded
