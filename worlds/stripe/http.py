"""Where does a request to the product's own API arrive?"""

from __future__ import annotations

from worlds.engine import Ctx, HttpRequest, HttpResponse, http_api
from worlds.stripe import resources
from worlds.stripe.api.answering import respond

__all__ = ["resources", "serve"]


@http_api
def serve(ctx: Ctx, request: HttpRequest) -> HttpResponse:
    """Answer as Stripe does."""
    return respond(ctx, request)
