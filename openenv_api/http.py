"""How is a view of this API written: which methods it takes, and what becomes of an error?"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from openenv_api import protocol
from openenv_api.errors import InvalidFrame, NotJson, Refusal, refusal_of, violation

View = Callable[..., Coroutine[Any, Any, HttpResponse]]


def answers(*methods: str) -> Callable[[View], View]:
    """A view for these methods; a refusal it raises becomes a response as FastAPI words it, `{"detail": …}`."""
    allowed = {*methods, "HEAD"} if "GET" in methods else {*methods}

    def decorate(view: View) -> View:
        @csrf_exempt
        @wraps(view)
        async def wrapped(request: HttpRequest, **kwargs: Any) -> HttpResponse:
            if request.method not in allowed:
                response = json_response({"detail": "Method Not Allowed"}, 405)
                response["Allow"] = ", ".join(sorted(allowed))
                return response
            try:
                return await view(request, **kwargs)
            except Exception as error:
                return refused(refusal_of(error))

        wrapped.methods = methods  # type: ignore[attr-defined]  # read by the OpenAPI document
        return wrapped

    return decorate


def json_response(value: Any, status: int = 200) -> HttpResponse:
    """JSON, from a value or from JSON that exists already."""
    body = value if isinstance(value, bytes) else protocol.encode(value)
    return HttpResponse(body, status=status, content_type="application/json")


def refused(refusal: Refusal) -> HttpResponse:
    """A refusal: the list of violations where there is one, else its message."""
    extra = dict(refusal.extra)
    if violations := extra.pop("errors", None):
        return json_response({"detail": violations}, refusal.status)
    return json_response({"detail": refusal.message, "code": refusal.code, **extra}, refusal.status)


def body_of(request: HttpRequest) -> Any:
    """The JSON of a request's body, None for an empty one.

    Raises: NotJson, InvalidFrame for a body that is too large.
    """
    try:
        body = request.body
    except RequestDataTooBig:
        raise InvalidFrame("The body is larger than this server reads") from None
    if not body.strip():
        return None
    try:
        return protocol.decode(body)
    except ValueError as error:
        message = f"JSON decode error: {error}"
        raise NotJson(message, errors=[violation("json_invalid", message, "body")]) from None
