"""How does Django know Stripe's tools as a session with one API key has them?"""

from worlds.engine import World, WorldConfig


class StripeKeyConfig(WorldConfig):
    """The app of the world whose agent has a key of one account, and so no tools that manage accounts."""

    name = "worlds.stripe_key"
    label = "stripe_key"
    verbose_name = "Stripe, with one key"
    world = World(
        "stripe_key",
        version="1.0.0",
        description="A Stripe account in test mode, used through Stripe's MCP tools with a key of that one account.",
    )
    world.embed("stripe", name="stripe", without_tools=["list_available_accounts_or_orgs", "manage_stripe_accounts"])
