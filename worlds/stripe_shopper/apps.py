"""How does Django know the Stripe account whose shoppers are played by an agent?"""

from worlds.engine import World, WorldConfig


class StripeShopperConfig(WorldConfig):
    """The app of the world whose agent has Stripe's tools and a shopper's purse."""

    name = "worlds.stripe_shopper"
    label = "stripe_shopper"
    verbose_name = "Stripe, with shoppers"
    world = World(
        "stripe_shopper",
        version="1.0.0",
        description="A Stripe account in test mode, with a tool that pays at its pages as a shopper does.",
    )
    world.embed("stripe", name="stripe")
