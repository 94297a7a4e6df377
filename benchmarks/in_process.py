"""What do instances and calls cost inside one Python process?

python -m benchmarks in-process [--world crm] [--small small_startup] [--large huge_co]
"""

from __future__ import annotations

import argparse
import logging
import resource
import threading
import time
from typing import Any

from django.apps import apps

import seahaven
from benchmarks.measure import machine, median_us, private_mb, rss_mb, show, side_by_side_us
from worlds.engine import Ctx, Instance, World


def nothing(ctx: Ctx) -> None:
    """Do nothing."""


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="benchmarks in-process", description=__doc__)
    parser.add_argument("--world", default="crm")
    parser.add_argument("--small", default="small_startup", help="a small fixture")
    parser.add_argument("--large", default="huge_co", help="a large one, built first when it is not there")
    parser.add_argument("--read", default="get_lead", help="a tool with one required argument: a key")
    parser.add_argument("--model", default="crm.Lead", help="the model that tool reads, to read it with a plain query")
    parser.add_argument(
        "--key-sql", default="SELECT id FROM leads ORDER BY id LIMIT 1", help="where the key comes from"
    )
    parser.add_argument("--write", default="create_lead")
    parser.add_argument("--write-args", default='{"email": "{n}@example.com"}', help="{n} counts")
    parser.add_argument("--open", type=int, default=500, help="instances open at once")
    options = parser.parse_args(arguments)

    world = seahaven.world(options.world)
    logging.disable(logging.CRITICAL)
    world.tool(nothing, name="benchmark_nothing")
    bench = Bench(world, options)
    print(machine())
    bench.creating()
    bench.calling()
    bench.going_back()
    bench.reading_state()
    bench.many_open()
    bench.taking_turns()


class Bench:
    """The measurements, on one world and two of its fixtures."""

    def __init__(self, world: World, options: argparse.Namespace) -> None:
        self.world = world
        self.options = options
        self._written = 0
        for fixture in (options.small, options.large):
            if fixture not in world.fixture_ids():
                print(f"building {fixture} …")
                world.build_fixture(fixture)
            world.prepare_fixture(fixture)
        self.keys = {fixture: self._key(fixture) for fixture in (options.small, options.large)}
        self.argument = next(iter(world.tools[options.read].schema["required"]))

    def _key(self, fixture: str) -> Any:
        with self.world.instance(fixture) as inst:
            row = inst.inspect().one(self.options.key_sql)
        assert row is not None
        return next(iter(row.values()))

    def read(self, inst: Instance, fixture: str) -> Any:
        return inst.call(self.options.read, **{self.argument: self.keys[fixture]})

    def write(self, inst: Instance) -> Any:
        import json

        self._written += 1
        return inst.call(self.options.write, **json.loads(self.options.write_args.replace("{n}", str(self._written))))

    def creating(self) -> None:
        def episode(fixture: str) -> None:
            with self.world.instance(fixture, seed=1) as inst:
                self.read(inst, fixture)

        small, large = side_by_side_us(lambda: episode(self.options.small), lambda: episode(self.options.large), 300)
        rows = [(self.options.small, small / 1000), (self.options.large, large / 1000), ("ratio", large / small)]
        show("Create an instance, one read, destroy it", ("fixture", "median ms"), rows)

    def calling(self) -> None:
        with self.world.instance(self.options.small, seed=1) as inst:
            plain = median_us(lambda: inst.call("benchmark_nothing"), 5000)
            through = median_us(lambda: self.read(inst, self.options.small), 2000)
            writing = median_us(lambda: self.write(inst), 500)
            fn, key = self.world.tools[self.options.read].fn, self.keys[self.options.small]
            with inst._turn() as at, at.entered(at.root):
                alone = median_us(lambda: fn(Ctx(at.root, None), **{self.argument: key}), 2000)
                rows_of = apps.get_model(self.options.model)._default_manager
                query = median_us(lambda: rows_of.get(pk=key), 2000)
        rows = [
            ("a tool that does nothing", plain),
            (f"{self.options.read}, as a call", through),
            (f"{self.options.read}, its function alone", alone),
            (f"a plain ORM query for the row, {self.options.model}.objects.get", query),
            ("the call in such queries", through / query),
            (self.options.write, writing),
        ]
        show("One call", ("", "median µs"), rows)

    def going_back(self) -> None:
        with self.world.instance(self.options.large, seed=1) as inst:
            while len(inst._at.root.store.pages.changed) < 100:
                self.write(inst)
            pages = len(inst._at.root.store.pages.changed)

            def fork() -> None:
                with inst.fork() as twin:
                    self.read(twin, self.options.large)

            forking = median_us(fork, 200)
            marked = inst.checkpoint()

            def rewind() -> None:
                inst.rewind(marked)
                self.read(inst, self.options.large)

            to_mark = median_us(rewind, 200)
            taken = []
            for _ in range(100):
                self.write(inst)
                began = time.perf_counter_ns()
                inst.rewind(call=inst.call_count - 2)
                self.read(inst, self.options.large)
                taken.append((time.perf_counter_ns() - began) / 1e6)
        rows = [
            ("fork, and a read", forking / 1000),
            ("rewind to a checkpoint, and a read", to_mark / 1000),
            ("rewind one call, and a read", sorted(taken)[50]),
        ]
        show(f"Going back, with {pages} changed pages", ("", "median ms"), rows)

    def reading_state(self) -> None:
        rows = []
        with self.world.instance(self.options.small, seed=1) as inst:
            for writes in (1, 100, 1000):
                while inst.call_count < writes:
                    self.write(inst)
                rows.append(
                    (
                        writes,
                        len(inst.change_log()),
                        median_us(inst.state, 50) / 1000,
                        median_us(inst.state_json, 50) / 1000,
                        median_us(inst.diff, 10) / 1000,
                    )
                )
        show("The state document", ("writes", "records", "state() ms", "as JSON ms", "diff() ms"), rows)

    def many_open(self) -> None:
        count, kept = self.options.open, []
        before, began = (rss_mb(), private_mb()), time.perf_counter()
        for seed in range(count):
            inst = self.world.instance(self.options.large, seed=seed)
            self.write(inst)
            self.read(inst, self.options.large)
            kept.append(inst)
        took = time.perf_counter() - began
        rows = [
            ("all in RAM, MB", rss_mb() - before[0]),
            ("their own (not the shared image), MB", private_mb() - before[1]),
            ("files written, blocks", resource.getrusage(resource.RUSAGE_SELF).ru_oublock - 0),
            ("opened in, s", took),
        ]
        show(f"{count} open instances of {self.options.large}, one write and one read each", ("", ""), rows)
        for inst in kept:
            inst.destroy()

    def taking_turns(self) -> None:
        with self.world.instance(self.options.small, seed=1) as inst:
            counts, stop = [0] * 8, time.perf_counter() + 2

            def work(number: int) -> None:
                while time.perf_counter() < stop:
                    inst.call("benchmark_nothing")
                    counts[number] += 1

            threads = [threading.Thread(target=work, args=(number,)) for number in range(len(counts))]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        rows = [(min(counts), max(counts), min(counts) / max(counts), sum(counts) / 2)]
        show("8 threads on one instance, 2 s", ("least calls", "most calls", "ratio", "calls per s"), rows)
