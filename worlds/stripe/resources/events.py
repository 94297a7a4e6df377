"""How are events looked at? What happened in the account, for thirty days."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from worlds.stripe.api import errors, listing, wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.operations import find, loads, operation
from worlds.stripe.models import Event, WebhookDelivery

NOUN = "event"
KEPT = timedelta(days=30)
_MOST_TYPES = 20

loads(Event)


@wire.shaped("event")
def shape(event: Event) -> dict[str, Any]:
    """An event as it is looked at, and as it is sent."""
    return {
        "request": {"id": event.request_id, "idempotency_key": event.request_idempotency_key},
        **({"account": event.x_account} if event.x_account else {}),
    }


def _kept(call: Call) -> QuerySet[Event]:
    return call.rows(Event).filter(created__gt=call.now - KEPT)


@operation("GetEventsId")
def retrieve(call: Call) -> Event:
    row = find(call, Event, call.path["id"], noun=NOUN)
    if row.created <= call.now - KEPT:
        raise errors.no_such(NOUN, row.id)
    return row


@operation("GetEvents")
def list_all(call: Call) -> dict[str, Any]:
    params = call.params
    rows = _kept(call).filter(listing.equal(call, "created"))
    if "type" in params and "types" in params:
        raise StripeError(
            "You may only specify one of these parameters: type, types.", code="parameters_exclusive", param="type"
        )
    if "type" in params:
        rows = rows.filter(_of_type(params["type"]))
    if "types" in params:
        if len(params["types"]) > _MOST_TYPES:
            raise StripeError(f"You can pass at most {_MOST_TYPES} types.", param="types")
        wanted = Q(pk__in=[])
        for type in params["types"]:
            wanted |= _of_type(type)
        rows = rows.filter(wanted)
    if "delivery_success" in params:
        undelivered = Exists(WebhookDelivery.objects.filter(event=OuterRef("pk")).exclude(status="succeeded"))
        rows = rows.filter(~undelivered if params["delivery_success"] else undelivered)
    return listing.page(call, rows, noun=NOUN)


def _of_type(type: str) -> Q:
    """A type, or with `*` at its end all that begin so."""
    return Q(type__startswith=type[:-1]) if type.endswith("*") else Q(type=type)
