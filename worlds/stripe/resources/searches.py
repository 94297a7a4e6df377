"""What can be searched with a query, and by which fields?"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from worlds.stripe.api import listing, wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.operations import MODELS, operation
from worlds.stripe.api.search import Kind, Query, parse
from worlds.stripe.generic import stored
from worlds.stripe.models.objects import StoredObject

Fields = dict[str, tuple[Kind, str]]
#: As many are counted at most.
_MOST_COUNTED = 10_000
#: By operation: the resource as refusals call it, its object, and its fields. `metadata` can always be searched.
SEARCHED: dict[str, tuple[str, str, Fields]] = {
    "GetChargesSearch": ("charges", "charge", {
        "amount": ("number", ""), "billing_details.address.postal_code": ("token", ""), "created": ("number", ""),
        "currency": ("token", ""), "customer": ("token", ""), "disputed": ("token", ""),
        "payment_method_details.*.brand": ("token", ""), "payment_method_details.*.exp_month": ("token", ""),
        "payment_method_details.*.exp_year": ("token", ""), "payment_method_details.*.fingerprint": ("token", ""),
        "payment_method_details.*.last4": ("token", ""), "refunded": ("token", ""), "status": ("token", "")}),
    "GetCustomersSearch": ("customers", "customer", {
        "created": ("number", ""), "email": ("text", ""), "name": ("text", ""), "phone": ("text", "")}),
    "GetInvoicesSearch": ("invoices", "invoice", {
        "created": ("number", ""), "currency": ("token", ""), "customer": ("token", ""),
        "last_finalization_error_code": ("token", "last_finalization_error.code"),
        "last_finalization_error_type": ("token", "last_finalization_error.type"), "number": ("text", ""),
        "receipt_number": ("text", ""), "status": ("token", ""),
        "subscription": ("token", "parent.subscription_details.subscription"), "total": ("number", "")}),
    "GetPaymentIntentsSearch": ("payment_intents", "payment_intent", {
        "amount": ("number", ""), "created": ("number", ""), "currency": ("token", ""), "customer": ("token", ""),
        "status": ("token", "")}),
    "GetPricesSearch": ("prices", "price", {
        "active": ("token", ""), "currency": ("token", ""), "lookup_key": ("text", ""), "product": ("token", ""),
        "type": ("token", "")}),
    "GetProductsSearch": ("products", "product", {
        "active": ("token", ""), "description": ("text", ""), "name": ("text", ""), "shippable": ("token", ""),
        "url": ("text", "")}),
    "GetSubscriptionsSearch": ("subscriptions", "subscription", {
        "canceled_at": ("number", ""), "created": ("number", ""), "status": ("token", "")}),
}  # fmt: skip


def _register(id: str, resource: str, name: str, fields: Fields) -> None:
    @operation(id)
    def run(call: Call) -> dict[str, Any]:
        query = parse(call.params["query"], resource, fields)
        return _page(call, query, name)


for _id, _searched in SEARCHED.items():
    _register(_id, *_searched)


def _page(call: Call, query: Query, name: str) -> dict[str, Any]:
    limit = min(max(call.params.get("limit", 10), 1), 100)
    counts = "total_count" in call.params.get("expand", [])
    after = _place(call, call.params["page"]) if "page" in call.params else None
    rows, columns, value_of = _source(call, query, name)
    found: list[tuple[int, str]] = []
    total = 0
    for seq, id, *values in rows.order_by("-x_seq").values_list("x_seq", "pk", *columns).iterator():
        known = dict(zip(columns, values, strict=True))
        if not query.matches(lambda path, known=known: value_of(known, path)):  # type: ignore[misc]
            continue
        total += 1
        if (after is None or seq < after) and len(found) <= limit:
            found.append((seq, id))
        if len(found) > limit and not counts:
            break
    has_more = len(found) > limit
    found = found[:limit]
    by_id = rows.in_bulk([id for _, id in found])
    answer = {
        "object": "search_result",
        "data": [stored.shown(call, by_id[id]) for _, id in found],
        "has_more": has_more,
        "next_page": _token(call, found[-1][0]) if has_more else None,
        "url": listing.path_of(call),
    }
    return answer | ({"total_count": min(total, _MOST_COUNTED)} if counts else {})


def _source(
    call: Call, query: Query, name: str
) -> tuple[QuerySet[Any], list[str], Callable[[dict[str, Any], tuple[str, ...]], Any]]:
    """Where the objects are, which columns a query reads, and how its values are got from them."""
    rows: QuerySet[Any]
    if name not in MODELS:
        rows = call.rows(StoredObject).filter(object=name, deleted=False)
        return rows, ["data"], lambda known, path: _at(known["data"], path)
    rows = call.rows(MODELS[name])
    stands = {field.name for field in MODELS[name]._meta.concrete_fields}
    if "deleted" in stands:
        rows = rows.filter(deleted=False)
    needed = {clause.path[0] for clause in query.clauses}
    if needed <= stands:
        return rows, sorted(needed), _at
    # A value that no column holds is looked up in the object as it is shown.
    return rows, ["pk"], lambda known, path: _at(wire.of(rows.get(pk=known["pk"])), path)


def _at(value: Any, path: tuple[str, ...]) -> Any:
    for step in path:
        if not isinstance(value, dict):
            return None
        value = value.get(step)
    return int(value.timestamp()) if isinstance(value, datetime) else value


def _token(call: Call, seq: int) -> str:
    return f"{_mark(call)}{seq:x}"


def _place(call: Call, token: str) -> int:
    """Where a page begins; it is good for the query it came from."""
    mark = _mark(call)
    try:
        if not token.startswith(mark):
            raise ValueError(token)
        return int(token[len(mark) :], 16)
    except ValueError:
        raise StripeError(
            "The page you passed is not valid for this search query. Pass the `next_page` of a response to the same "
            "query.",
            param="page",
        ) from None


def _mark(call: Call) -> str:
    asked = f"{call.operation.id} {call.params['query']} {call.account}"
    return f"W1{hashlib.sha256(asked.encode()).hexdigest()[:20]}-"
