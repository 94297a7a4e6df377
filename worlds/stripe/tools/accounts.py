"""How does an agent learn which accounts there are?"""

from __future__ import annotations

from typing import Any

from worlds.engine import Ctx, tool
from worlds.stripe.resources.accounts import platform


@tool
def list_available_accounts_or_orgs(ctx: Ctx) -> dict[str, Any]:
    """List the accounts and organizations this connection can act for, with the stripe_context of each."""
    account = platform(ctx)
    name = account.business_profile.get("name") or "Sandbox"
    return {"accounts": [{"stripe_context": account.id, "livemode": False, "name": name}]}


@tool
def manage_stripe_accounts(ctx: Ctx) -> dict[str, Any]:
    """Get a link where a person can change which accounts this connection may act for."""
    session = ctx.ids.token(24)
    return {"reconsent_url": f"https://access.stripe.com/mcp/oauth2/authorize/sessions/oases_{session}"}
