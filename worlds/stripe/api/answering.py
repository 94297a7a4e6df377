"""In which order is a request answered?

Key, version, operation, parameters, `expand[]`; then the same request again is answered as before, and a new one is
carried out. A refusal undoes what the operation wrote, unless it is a decline.
"""

from __future__ import annotations

from typing import Any

import orjson
from django.db.transaction import atomic

from worlds.engine import Ctx, HttpRequest, HttpResponse
from worlds.stripe import facts
from worlds.stripe.api import decoding, expanding, idempotency, keys, validating, versions, wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.operations import HAND_WRITTEN, Answer
from worlds.stripe.api.routing import route
from worlds.stripe.generic import carry_out

_JSON = ("content-type", "application/json")


def respond(ctx: Ctx, request: HttpRequest) -> HttpResponse:
    """Answer a request; every one has an id, refusals too."""
    request_id = f"req_{ctx.ids.token(14)}"
    headers = [("request-id", request_id), ("stripe-version", facts.VERSION)]
    if key := request.header("idempotency-key"):
        headers.append(("idempotency-key", key))
    try:
        answer = _answer(ctx, request, request_id)
    except StripeError as error:
        answer = _refusal(error)
    return HttpResponse(answer.status, (*answer.headers, *headers), answer.body)


def _answer(ctx: Ctx, request: HttpRequest, request_id: str) -> HttpResponse:
    key = keys.key_of(request)
    version = versions.version_of(request.header("stripe-version"))
    operation, path = route(request.method, request.path)
    keys.require_allowed(key, operation.id, None, "")
    given = decoding.query_of(request) | decoding.body_of(request)
    params = validating.check(operation, given)
    call = Call(
        ctx, operation, path, params,
        account=request.header("stripe-account") or "",
        request_id=request_id,
        idempotency_key=request.header("idempotency-key") if request.method == "POST" else None,
        version=version,
    )  # fmt: skip
    expanding.check(operation, params.get("expand", []))
    return _once(call, request.path, given)


def _once(call: Call, path: str, given: dict[str, Any]) -> HttpResponse:
    before = idempotency.replayed(call, path, given)
    if before is not None:
        return before
    try:
        answer = _response(call, run(call))
    except StripeError as error:
        answer = _refusal(error)
    idempotency.remember(call, path, given, answer)
    return answer


def run(call: Call) -> Answer:
    """Carry an operation out: by the function written for it, else by what its shape says.

    Raises: StripeError, when what was written is undone unless the error keeps it.
    """
    fn = HAND_WRITTEN.get(call.operation.id, carry_out)
    kept: StripeError | None = None
    with atomic():
        try:
            return fn(call)
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
