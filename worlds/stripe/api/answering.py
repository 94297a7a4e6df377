"""In which order is a request answered?

Key, version, operation, parameters, `expand[]`; then the same request again is answered as before, and a new one is
carried out. A refusal undoes what the operation wrote, unless it is a decline.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import orjson
from django.db.transaction import atomic

from worlds.engine import Ctx, HttpRequest, HttpResponse
from worlds.stripe import facts
from worlds.stripe.access import activation, permissions
from worlds.stripe.api import accounts, decoding, expanding, faults, idempotency, keys, validating, versions, wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.operations import HAND_WRITTEN, Answer
from worlds.stripe.api.routing import route
from worlds.stripe.generic import carry_out, placeholders

T = TypeVar("T")
_JSON = ("content-type", "application/json")


def respond(ctx: Ctx, request: HttpRequest) -> HttpResponse:
    """Answer a request; every one has an id, refusals too."""
    request_id = f"req_{ctx.ids.token(14)}"
    headers = [("request-id", request_id), ("stripe-version", facts.VERSION)]
    if key := request.header("idempotency-key"):
        headers.append(("idempotency-key", key))
    try:
        fault = faults.due(ctx, request)
        answer = _answer(ctx, request, request_id)
        if fault == "lost_response":
            answer = faults.lost(answer)
    except StripeError as error:
        answer = _refusal(error)
    return HttpResponse(answer.status, (*answer.headers, *headers), answer.body)


def _answer(ctx: Ctx, request: HttpRequest, request_id: str) -> HttpResponse:
    key = keys.key_of(request)
    version = versions.version_of(request.header("stripe-version"))
    operation, path = route(request.method, request.path)
    granted = permissions.of_key(ctx, key.value)
    keys.require_allowed(key, operation.id, permissions.missing(granted, operation.id))
    if (reason := activation.refusal_of(ctx, operation)) is not None:
        raise StripeError(reason)
    given = decoding.query_of(request) | decoding.body_of(request)
    params = validating.check(operation, given)
    call = Call(
        ctx, operation, path, params,
        request_id=request_id,
        idempotency_key=request.header("idempotency-key") if request.method == "POST" else None,
        version=version,
        permissions=granted,
        is_publishable=key.is_publishable,
    )  # fmt: skip
    call.account = accounts.acted_for(call, key, request)
    expanding.check(operation, params.get("expand", []))
    return _once(call, request.path, given)


def _once(call: Call, path: str, given: dict[str, Any]) -> HttpResponse:
    before = idempotency.replayed(call, path, given)
    if before is not None:
        return before
    try:
        found = run(call)
        if placeholders.is_lenient(call) and placeholders.is_empty_page(found):
            found = placeholders.answer(call)
        answer = _response(call, found)
    except StripeError as error:
        answer = _stood_in_for(call) or _refusal(error)
    idempotency.remember(call, path, given, answer)
    return answer


def _stood_in_for(call: Call) -> HttpResponse | None:
    """The answer to an example of the documentation, whose ids are placeholders, where the account takes them."""
    found = placeholders.answer(call) if placeholders.are_taken(call) else None
    return None if found is None else _response(call, found)


def run(call: Call) -> Answer:
    """Carry an operation out: by the function written for it, else by what its shape says.

    Raises: StripeError, when what was written is undone unless the error keeps it.
    """
    fn = HAND_WRITTEN.get(call.operation.id, carry_out)
    return all_or_nothing(lambda: fn(call))


def all_or_nothing(act: Callable[[], T]) -> T:
    """Do something that leaves nothing behind where it is refused, unless the error keeps it.

    Raises: StripeError.
    """
    kept: StripeError | None = None
    with atomic():
        try:
            return act()
        except StripeError as error:
            if not error.keeps:
                raise
            kept = error
    raise kept


def shown(call: Call, answer: Answer) -> dict[str, Any]:
    """What an operation answered as an object, expanded as asked for."""
    assert not isinstance(answer, HttpResponse)
    found = answer if isinstance(answer, dict) else wire.of(answer)
    if paths := call.params.get("expand"):
        expanding.expand(call, found, paths)
    return found


def _response(call: Call, answer: Answer) -> HttpResponse:
    if isinstance(answer, HttpResponse):
        return answer
    return HttpResponse(200, (_JSON, *call.headers), orjson.dumps(shown(call, answer), option=orjson.OPT_INDENT_2))


def _refusal(error: StripeError) -> HttpResponse:
    return HttpResponse(error.status, (_JSON, *error.headers), orjson.dumps(error.body(), option=orjson.OPT_INDENT_2))
