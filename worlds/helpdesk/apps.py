"""How does Django know the helpdesk?"""

from worlds.engine import World, WorldConfig


class HelpdeskConfig(WorldConfig):
    """The app of the helpdesk world."""

    name = "worlds.helpdesk"
    label = "helpdesk"
    verbose_name = "Helpdesk"
    world = World(
        "helpdesk",
        version="1.0.0",
        description=(
            "A customer support desk: tickets with public replies and internal notes, agents and teams, macros, "
            "service levels whose deadlines run on the clock, and satisfaction ratings."
        ),
    )
