"""For which account does a request act: the platform's own, or one connected to it?"""

from __future__ import annotations

from worlds.engine import HttpRequest
from worlds.stripe.api.call import Call, account_id
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.expanding import LOADERS
from worlds.stripe.api.keys import Key, masked

#: Where the instance keeps which keys act for a connected account: {key: account}.
CONNECTED_KEYS = "connected_keys"
#: Objects that are accounts, in either form of the API.
_ACCOUNTS = ("account", "v2.core.account")


def acted_for(call: Call, key: Key, request: HttpRequest) -> str:
    """The connected account that a request names, "" for the platform itself.

    Raises: StripeError for an account that is not connected.
    """
    if (owner := call.ctx.state.get(CONNECTED_KEYS, {}).get(key.value)) is not None:
        return str(owner)
    asked = request.header("stripe-account") or request.header("stripe-context") or ""
    if not asked or asked == account_id(call.ctx):
        return ""
    for name in _ACCOUNTS:
        found = LOADERS[name](call, asked) if name in LOADERS else None
        if found is not None and not found.get("deleted"):
            return asked
    raise StripeError(
        f"The provided key '{masked(key.value)}' does not have access to account '{asked}' (or that account does not "
        "exist). Application access may have been revoked.",
        status=403,
        code="account_invalid",
    )
