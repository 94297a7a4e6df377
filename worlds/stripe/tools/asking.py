"""How does a tool ask the account's API: an operation's id and parameters in, an object out?"""

from __future__ import annotations

from typing import Any

from worlds.engine import Ctx, HttpResponse
from worlds.stripe import facts
from worlds.stripe.api import errors as api_errors
from worlds.stripe.api import expanding, validating
from worlds.stripe.api.answering import run, shown
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.tools import errors


def ask(ctx: Ctx, operation: facts.Operation, parameters: dict[str, Any], account: str) -> dict[str, Any]:
    """Carry an operation out; path, query and body come in one mapping.

    Raises: ApiError with the message alone; what a decline wrote stays, when the tool has no transaction of its own.
    """
    try:
        path, given = _split(operation, parameters)
        params = validating.check(operation, given)
        expanding.check(operation, params.get("expand", []))
        call = Call(ctx, operation, path, params, account=account, request_id=f"req_{ctx.ids.token(14)}")
        answer = run(call)
    except StripeError as error:
        raise errors.ApiError(error.message, operation.id) from error
    if isinstance(answer, HttpResponse):
        raise errors.NotAvailable(operation.id)
    return shown(call, answer)


def path_names(operation: facts.Operation) -> list[str]:
    """What stands in an operation's path, in order."""
    return [part[1:-1] for part in operation.path.split("/") if part.startswith("{")]


def _split(operation: facts.Operation, parameters: dict[str, Any]) -> tuple[dict[str, str], dict[str, Any]]:
    given, path = dict(parameters), {}
    for name in path_names(operation):
        value = given.pop(name, None)
        if value is None:
            raise api_errors.missing_parameter(name)
        if not isinstance(value, str) or not value:
            raise api_errors.invalid("string", value, name)
        path[name] = value
    return path, given
