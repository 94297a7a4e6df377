"""How does an agent learn which accounts there are?"""

from __future__ import annotations

from typing import Any

from worlds.engine import Ctx, tool
from worlds.stripe.api.call import account_id


@tool
def list_available_accounts_or_orgs(ctx: Ctx) -> dict[str, Any]:
    """List the accounts and organizations this connection can act for, with the stripe_context of each."""
    return {"accounts": [{"stripe_context": account_id(ctx), "livemode": False, "name": "Test account"}]}
