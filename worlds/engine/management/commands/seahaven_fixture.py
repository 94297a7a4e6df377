"""How are fixtures curated from the command line?"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from worlds.engine import curating, installed
from worlds.engine.errors import WorldBug
from worlds.engine.images import Report
from worlds.engine.world import World


class Command(BaseCommand):
    help = "List, build, freeze, fork, verify and migrate fixtures."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="list|build|freeze|fork|verify|migrate")
        for verb, text in (
            ("list", "the fixtures there are"),
            ("build", "make what is missing: texts by their recipes, images from the texts"),
            ("verify", "check that fixtures load and come out as the same text"),
            ("migrate", "write fixtures anew under the present schema"),
        ):
            sub = verbs.add_parser(verb, help=text)
            sub.add_argument("world", nargs="?", help="only this world")
            sub.add_argument("ids", nargs="*", metavar="id", help="only these fixtures")
            if verb == "build":
                sub.add_argument("--anew", action="store_true", help="run the recipes of fixtures that are there, too")
            if verb == "verify":
                sub.add_argument("--rebuild", action="store_true", help="also run the recipes and compare")
        for verb, text in (
            ("freeze", "a new fixture from a blank instance"),
            ("fork", "a new fixture from another"),
        ):
            sub = verbs.add_parser(verb, help=text)
            sub.add_argument("world")
            if verb == "fork":
                sub.add_argument("parent")
            sub.add_argument("id")
            sub.add_argument("--run", required=True, metavar="module:function", help="what to do to the instance")
            sub.add_argument("--description", required=True, help="what state it is and what it is good for")
            sub.add_argument("--seed", type=int, default=0)
            sub.add_argument("--now", help="when it begins, such as 2026-06-01T09:00:00.000Z")

    def handle(self, *args: Any, verb: str, **options: Any) -> None:
        try:
            getattr(self, f"_{verb}")(**options)
        except WorldBug as error:
            raise CommandError(str(error)) from error

    def _list(self, world: str | None, ids: list[str], **_: Any) -> None:
        rows = [
            (
                w.name,
                fixture.id,
                fixture.parent or "-",
                fixture.now,
                str(sum(fixture.counts.values())),
                fixture.description,
            )
            for w in _worlds(world)
            for fixture in w.fixtures()
            if not ids or fixture.id in ids
        ]
        if not self.stdout.isatty():
            for row in rows:
                self.stdout.write("\t".join((*row[:-1], " ".join(row[-1].split()))))
            return
        table = Table("world", "fixture", "parent", "now", "rows", "description")
        for row in rows:
            table.add_row(*row[:-1], row[-1].split("\n\n")[0])
        Console().print(table)

    def _build(self, world: str | None, ids: list[str], anew: bool, **_: Any) -> None:
        with _progress() as report:
            built = [f for w in _worlds(world) for f in curating.build(w, ids, anew=anew, report=report)]
        self.stdout.write(f"{len(built)} fixtures are ready: {', '.join(f.id for f in built)}")

    def _verify(self, world: str | None, ids: list[str], rebuild: bool, **_: Any) -> None:
        problems = [
            problem
            for w in _worlds(world)
            for fixture_id in ids or w.fixture_ids()
            for problem in curating.verify(w, fixture_id, rebuild=rebuild)
        ]
        if problems:
            raise CommandError("\n".join(problems))
        self.stdout.write("every fixture loads and comes out as the same text")

    def _migrate(self, world: str | None, ids: list[str], **_: Any) -> None:
        moved = [
            f"{w.name}/{fixture_id}"
            for w in _worlds(world)
            for fixture_id in ids or w.fixture_ids()
            if w.migrate_fixture(fixture_id)
        ]
        self.stdout.write(f"{len(moved)} fixtures were migrated{': ' if moved else ''}{', '.join(moved)}")

    def _freeze(self, world: str, id: str, run: str, parent: str | None = None, **options: Any) -> None:
        more = {key: options[key] for key in ("description", "seed", "now")}
        fixture = curating.freeze_by(installed.get(world), id, run, parent=parent, **more)
        self.stdout.write(f"{fixture.folder}: {sum(fixture.counts.values())} rows")

    _fork = _freeze


def _worlds(name: str | None) -> list[World]:
    return [installed.get(name)] if name else [installed.get(each) for each in installed.names()]


@contextmanager
def _progress() -> Iterator[Report]:
    """A progress bar for each build that reports, on stderr; silent where nobody watches."""
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        bars: dict[str, Any] = {}

        def report(what: str, done: int, total: int) -> None:
            if what not in bars:
                bars[what] = progress.add_task(what, total=total or None)
            progress.update(bars[what], completed=done, total=total or None)

        yield report
