"""Where does somebody find out what the REST API can do?"""

from __future__ import annotations

import asyncio

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

from openenv_api.http import json_response
from openenv_api.rest import schema
from openenv_api.rest.errors import Problem, answer_to

#: The page may load what this server has, and nothing else. The bundle that draws it writes styles into the page.
_FROM_HERE = (
    "default-src 'self'; script-src 'self' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data:"
)


async def root(request: HttpRequest) -> HttpResponse:
    """What is here."""
    if refused := _other_method(request):
        return refused
    here = request.path.rstrip("/")
    return json_response({name: f"{here}/{name}" for name in ("worlds", "instances", "openapi.json", "docs")})


async def openapi(request: HttpRequest) -> HttpResponse:
    """The document, for programs."""
    return _other_method(request) or json_response(await asyncio.to_thread(schema.document))


async def docs(request: HttpRequest) -> HttpResponse:
    """The same to look at and try, with nothing loaded from anywhere else."""
    if refused := _other_method(request):
        return refused
    return HttpResponse(render_to_string("rest/docs.html"), headers={"Content-Security-Policy": _FROM_HERE})


async def not_found(request: HttpRequest, path: str = "") -> HttpResponse:
    """Nothing is here."""
    return answer_to(request, 404, f"There is nothing at {request.path:.200}; /api/v1/openapi.json says what there is.")


def _other_method(request: HttpRequest) -> HttpResponse | None:
    if request.method in ("GET", "HEAD"):
        return None
    message = f"{request.method} is no method of this resource; it has GET, HEAD."
    return Problem(405, "method_not_allowed", message, headers={"Allow": "GET, HEAD"}).response()
