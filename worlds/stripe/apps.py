"""How does Django know Stripe World?"""

from worlds.engine import World, WorldConfig


class StripeConfig(WorldConfig):
    """The app of Stripe World."""

    name = "worlds.stripe"
    label = "stripe"
    verbose_name = "Stripe"
    world = World(
        "stripe",
        version="1.0.0",
        description="A Stripe account in test mode: the API the official SDKs speak, and Stripe's own agent tools.",
        untracked_tables=("file_contents", "idempotency_keys"),
    )
