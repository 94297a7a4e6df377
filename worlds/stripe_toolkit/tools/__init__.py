"""Which tools did Stripe's agent toolkit have?"""

from worlds.stripe_toolkit.tools import arguments, billing, catalogue, customers, payments, subscriptions

__all__ = ["arguments", "billing", "catalogue", "customers", "payments", "subscriptions"]
