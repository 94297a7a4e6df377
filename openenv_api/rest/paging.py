"""How is a long list answered, a page at a time?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import HttpResponse
from rest_framework.request import Request

from openenv_api import protocol
from openenv_api.http import json_response


def cut_of(given: dict[str, Any]) -> slice:
    """The part that was asked for."""
    return slice(given["offset"], given["offset"] + given["limit"])


def page(request: Request, given: dict[str, Any], found: Sequence[Any], count: int) -> HttpResponse:
    """One page: `found` is what is on it, `count` how many there are in all. Items may be JSON already."""
    offset, limit = given["offset"], given["limit"]
    head = {
        "count": count,
        "next": _link(request, offset + limit) if offset + limit < count else None,
        "previous": _link(request, max(0, offset - limit)) if offset else None,
    }
    texts = (item if isinstance(item, bytes) else protocol.encode(item) for item in found)
    return json_response(protocol.encode(head)[:-1] + b',"results":[' + b",".join(texts) + b"]}")


def page_of_all(request: Request, given: dict[str, Any], everything: Sequence[Any]) -> HttpResponse:
    """One page of a list that is there as a whole."""
    return page(request, given, everything[cut_of(given)], len(everything))


def _link(request: Request, offset: int) -> str:
    query = request._request.GET.copy()
    query["offset"] = str(offset)
    return f"{request.path}?{query.urlencode()}"
