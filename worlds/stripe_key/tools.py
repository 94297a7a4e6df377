"""What does a session with one key have in place of the tools that manage accounts?"""

from __future__ import annotations

from typing import Any

from worlds.engine import Ctx, HttpRequest, WorldHandle, Worlds, tool


class Embedded(Worlds):
    """The world whose account the key is for."""

    stripe: WorldHandle


@tool
def get_stripe_account_info(ctx: Ctx[Embedded]) -> dict[str, Any]:
    """Get the account this connection acts for; its id is the stripe_context of the other tools."""
    request = HttpRequest.of("GET", "/v1/account", headers={"authorization": "Bearer sk_test_session"})
    found: dict[str, Any] = ctx.worlds.stripe.http(request).json()
    return found
