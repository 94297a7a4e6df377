"""A world of awkward tools, to hold the engine to its promises."""

from worlds.engine import World, WorldConfig


class LabConfig(WorldConfig):
    name = "tests.worlds.lab"
    label = "lab"
    world = World("lab", version="1.0.0", description="Awkward on purpose.")
