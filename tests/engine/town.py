"""How does a test get a world that embeds others? A town is a lab with a bank and two more labs in it."""

import copy
from contextlib import contextmanager

from tests.engine.workbench import NOW
from worlds.engine import World, installed

lab, bank = installed.get("lab"), installed.get("bank")
PATHS = ["main", "bank", "north", "south"]


def _town() -> World:
    town = copy.copy(lab)
    town.name = "town"
    town.embed(bank, name="bank", tool_prefix="bank_")
    town.embed(lab, name="north", tool_prefix="north_")
    town.embed(lab, name="south", tool_prefix="south_", without_tools=["perform", "perform_freely"])
    return town


town = _town()


@contextmanager
def opened(world=town, **options):
    with world.instance(**{"seed": 1, "now": NOW, **options}) as inst:
        yield inst


def shop(name="shop", **embedded):
    """A world with no tools of its own that embeds some; `shop(till=bank)`."""
    made = World(name, version="1.0.0")
    for each, world in embedded.items():
        made.embed(world, name=each, tool_prefix=f"{each}_")
    return made


def stored(inst):
    """What stands in each store: names of boxes, and the bank's balance."""
    see = inst.inspect()
    found = {
        path: {row["name"] for row in see.rows(f"SELECT name FROM {path}.boxes")} for path in ("main", "north", "south")
    }
    return found | {"bank": {row["balance"] for row in see.rows("SELECT balance FROM bank.accounts")}}


EMPTY: dict[str, set] = {path: set() for path in PATHS}
