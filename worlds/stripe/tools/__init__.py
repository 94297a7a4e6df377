"""Which tools does Stripe's own MCP server offer?"""

from worlds.stripe.tools import accounts

__all__ = ["accounts"]
