"""Where does a request to the product's own API arrive?"""

from __future__ import annotations

import re

from worlds.engine import Ctx, HttpRequest, HttpResponse, http_api
from worlds.stripe import pages, resources
from worlds.stripe.api import keys
from worlds.stripe.api.answering import respond
from worlds.stripe.connect import oauth

__all__ = ["resources", "serve"]


#: What stripe-mock's users look for before they begin.
_FRONT = HttpResponse.of_json({"message": "Stripe World"}, 200, (("stripe-mock-version", "master"),))
_ACCOUNT_OF_KEY = re.compile(r"(?:sk|rk|pk)_(?:test|live)_([A-Za-z0-9_-]{1,64})")


def account_of(request: HttpRequest) -> str | None:
    """The instance a key stands for: `sk_test_<instance>`."""
    found = _ACCOUNT_OF_KEY.fullmatch(keys.shown_in(request))
    return found[1] if found else None


@http_api(roots=("/v1", "/v2", "/oauth"), account_of=account_of, front=_FRONT)
def serve(ctx: Ctx, request: HttpRequest) -> HttpResponse:
    """Answer as Stripe does; shoppers are shown the account's own pages."""
    return pages.abroad(request, pages.show(ctx, request) or oauth.serve(ctx, request) or respond(ctx, request))
