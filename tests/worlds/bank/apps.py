"""The world that OpenEnv's conformance probe expects: an account, and tools that fail and dawdle."""

from worlds.engine import World, WorldConfig


class BankConfig(WorldConfig):
    name = "tests.worlds.bank"
    label = "bank"
    world = World("bank", version="1.0.0", description="One account, to put money in.")
