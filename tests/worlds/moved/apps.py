"""A world whose schema has moved on: a fixture of each of its migrations must still load."""

from worlds.engine import World, WorldConfig


class MovedConfig(WorldConfig):
    name = "tests.worlds.moved"
    label = "moved"
    world = World("moved", version="3.0.0", description="A club and who comes to it.")
