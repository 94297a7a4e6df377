"""Was this request made before, under the same key?"""

from __future__ import annotations

import hashlib
from datetime import timedelta
from typing import Any

import orjson

from worlds.engine import HttpResponse
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.models.core import IdempotencyKey

_LONGEST = 255
_KEPT = timedelta(hours=24)


def replayed(call: Call, path: str, params: dict[str, Any]) -> HttpResponse | None:
    """The answer that was given under this key, or None.

    Raises: StripeError for a key that was used for another request, and for one that is too long.
    """
    key = call.idempotency_key
    if key is None:
        return None
    if len(key) > _LONGEST:
        raise StripeError(f"Idempotency keys can be up to {_LONGEST} characters long.", kind="idempotency_error")
    found = IdempotencyKey.objects.filter(pk=_id(call), created__gt=call.now - _KEPT).first()
    if found is None:
        return None
    if (found.method, found.path, found.request_hash) != (call.operation.method, path, _hash(params)):
        raise StripeError(
            f"Keys for idempotent requests can only be used with the same parameters they were first used with. Try "
            f"using a key other than '{key}' if you meant to execute a different request.",
            kind="idempotency_error",
        )
    headers = (("original-request", found.request_id), ("idempotent-replayed", "true"))
    return HttpResponse(found.status, headers, found.body.encode())


def remember(call: Call, path: str, params: dict[str, Any], answer: HttpResponse) -> None:
    """Keep an answer: of everything that began to be carried out, refusals too."""
    if call.idempotency_key is None or call.request_id is None:
        return
    IdempotencyKey.objects.update_or_create(
        id=_id(call),
        defaults={
            "method": call.operation.method, "path": path, "request_hash": _hash(params),
            "request_id": call.request_id, "status": answer.status, "body": answer.body.decode(), "created": call.now,
        },
    )  # fmt: skip


def _id(call: Call) -> str:
    return f"{call.account}/{call.idempotency_key}"


def _hash(params: dict[str, Any]) -> str:
    return hashlib.sha256(orjson.dumps(params, option=orjson.OPT_SORT_KEYS, default=repr)).hexdigest()
