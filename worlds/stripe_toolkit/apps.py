"""How does Django know Stripe's older tools?"""

from worlds.engine import World, WorldConfig


class StripeToolkitConfig(WorldConfig):
    """The app of the world whose agent has the tools Stripe gave agents before its present ones."""

    name = "worlds.stripe_toolkit"
    label = "stripe_toolkit"
    verbose_name = "Stripe, the older tools"
    world = World(
        "stripe_toolkit",
        version="1.0.0",
        description="A Stripe account in test mode, used through the 22 tools of Stripe's agent toolkit.",
    )
    world.embed("stripe", name="stripe", tools=[])
