"""How does Django know the CRM?"""

from worlds.engine import World, WorldConfig


class CrmConfig(WorldConfig):
    """The app of the CRM world."""

    name = "worlds.crm"
    label = "crm"
    verbose_name = "CRM"
    world = World(
        "crm",
        version="1.0.0",
        description="A sales CRM: leads, companies, deals in a pipeline, activities, notes and tags of a sales team.",
    )
