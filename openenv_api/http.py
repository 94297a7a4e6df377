"""How is a view of this API written: which methods it takes, and what becomes of an error?"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.http.request import split_domain_port, validate_host
from django.views.decorators.csrf import csrf_exempt

from openenv_api import protocol
from openenv_api.access import Grant, grant_of, secret_in
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
            if is_foreign(request.headers.get("Origin")):
                return json_response({"detail": "Pages of other hosts may not use this server"}, 403)
            try:
                return await view(request, **kwargs)
            except Exception as error:
                return refused(refusal_of(error))

        wrapped.methods = methods  # type: ignore[attr-defined]  # read by the OpenAPI document
        return wrapped

    return decorate


def grant_for(request: HttpRequest) -> Grant:
    """What whoever sends a request may do.

    Raises: Unauthorized; EpisodeOver.
    """
    meta = request.META
    shown = {"authorization": meta.get("HTTP_AUTHORIZATION", ""), "x-api-key": meta.get("HTTP_X_API_KEY", "")}
    return grant_of(secret_in(shown, meta.get("QUERY_STRING", "")))


def is_foreign(origin: str | None) -> bool:
    """Is this a page of another host? Only browsers send an Origin."""
    if origin is None:
        return False
    host, _ = split_domain_port(urlsplit(origin).netloc)
    return not validate_host(host, settings.ALLOWED_HOSTS)


def json_response(value: Any, status: int = 200) -> HttpResponse:
    """JSON, from a value or from JSON that exists already."""
    body = value if isinstance(value, bytes) else protocol.encode(value)
    return HttpResponse(body, status=status, content_type="application/json")


def refused(refusal: Refusal) -> HttpResponse:
    """A refusal: the list of violations where there is one, else its message."""
    extra = dict(refusal.extra)
    if violations := extra.pop("errors", None):
        return json_response({"detail": violations}, refusal.status)
    response = json_response({"detail": refusal.message, "code": refusal.code, **extra}, refusal.status)
    if refusal.status == 401:
        response["WWW-Authenticate"] = "Bearer"
    return response


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
