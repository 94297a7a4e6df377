"""Which tools does Stripe's own MCP server offer?"""

from worlds.stripe.tools import (
    accounts,
    acting,
    advising,
    analytics,
    approving,
    arguments,
    asking,
    describing,
    errors,
    finding,
    gates,
    library,
    querying,
    tables,
    templates,
)

__all__ = [
    "accounts",
    "acting",
    "advising",
    "analytics",
    "approving",
    "arguments",
    "asking",
    "describing",
    "errors",
    "finding",
    "gates",
    "library",
    "querying",
    "tables",
    "templates",
]
