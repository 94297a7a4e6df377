"""What does a composite of several worlds cost inside one Python process?

python -m benchmarks composed [--world company] [--fixture agency]
"""

from __future__ import annotations

import argparse
import logging

import seahaven
from benchmarks.measure import machine, median_us, show, side_by_side_us
from worlds.engine import Ctx, World

#: A read of each embedded world: its name, the tool, where the argument comes from.
READS = (
    ("crm", "get_lead", "lead_id", "SELECT id FROM crm.leads ORDER BY id LIMIT 1"),
    ("helpdesk", "get_ticket", "ticket_id", "SELECT id FROM helpdesk.tickets ORDER BY id LIMIT 1"),
    ("mail", "get_message", "message_id", "SELECT id FROM mail.messages ORDER BY id LIMIT 1"),
)


def nothing(ctx: Ctx) -> None:
    """Do nothing."""


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="benchmarks composed", description=__doc__)
    parser.add_argument("--world", default="company")
    parser.add_argument("--fixture", default="agency")
    options = parser.parse_args(arguments)
    world = seahaven.world(options.world)
    logging.disable(logging.CRITICAL)
    print(machine())
    keys = _keys(world, options.fixture)
    world.tool(nothing, name="benchmark_nothing")
    for name, tool, argument, _ in READS:
        _across(world, name, tool, argument, keys[name])
    _opening(world, options.fixture, keys)
    _calling(world, options.fixture, keys)


def _keys(world: World, fixture: str) -> dict[str, str]:
    with world.instance(fixture) as inst:
        return {name: next(iter((inst.inspect().one(sql) or {}).values())) for name, _, _, sql in READS}


def _across(world: World, name: str, tool: str, argument: str, key: str) -> None:
    """A tool of the host that makes one read of an embedded world."""

    def reach(ctx: Ctx) -> None:
        """Reach into another world."""
        ctx.worlds[name].call(tool, **{argument: key})

    world.tool(reach, name=f"benchmark_{name}")


def _opening(world: World, fixture: str, keys: dict[str, str]) -> None:
    def episode() -> None:
        with world.instance(fixture, seed=1) as inst:
            for name, tool, argument, _ in READS:
                inst.call(f"{name}_{tool}", **{argument: keys[name]})

    def alone() -> None:
        with world.instance(fixture, seed=1):
            pass

    both, bare = side_by_side_us(episode, alone, 200)
    rows = [("made and destroyed", bare / 1000), ("made, a read in each embedded store, destroyed", both / 1000)]
    show(f"An instance of {world.name}/{fixture}", ("", "median ms"), rows)


def _calling(world: World, fixture: str, keys: dict[str, str]) -> None:
    rows = []
    with world.instance(fixture, seed=1) as inst:
        empty = median_us(lambda: inst.call("benchmark_nothing"), 3000)
        rows.append(("a tool of the host that does nothing", empty, 0.0))
        for name, tool, argument, _ in READS:
            given = {argument: keys[name]}
            direct = median_us(lambda tool=f"{name}_{tool}", given=given: inst.call(tool, **given), 2000)  # type: ignore[misc]
            across = median_us(lambda name=name: inst.call(f"benchmark_{name}"), 2000)  # type: ignore[misc]
            rows.append((f"{tool} of {name}, called by the agent", direct, 0.0))
            rows.append((f"{tool} of {name}, called by a tool of the host", across, across - direct - empty))
    show("A call across worlds", ("", "median µs", "beyond the sum of its parts"), rows)
