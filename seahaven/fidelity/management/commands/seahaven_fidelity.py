"""How is a recording of a real API held against a world from the command line?"""

from __future__ import annotations

import json
from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from seahaven.fidelity.errors import FidelityError
from seahaven.fidelity.replay import read_cassette, read_differences, replay
from worlds.engine import WorldBug

_BLANK = "none"


def _keywords(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise ArgumentTypeError(f"it is no JSON: {error}") from None
    if not isinstance(found, dict):
        raise ArgumentTypeError('it must be a JSON object, {"keyword": value}')
    return found


class Command(BaseCommand):
    help = (
        "Make the requests of a cassette again in a world, and report where it answers otherwise than the real API "
        "did. Exit status 0: only in declared ways; 1: in others, too; 2: it could not be told."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("cassette", type=Path, help="what seahaven_record wrote")
        parser.add_argument("--world", required=True)
        parser.add_argument("--fixture", default=_BLANK, help="where the world begins; none: with no rows")
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--now", help="when the world begins; the recording's beginning unless it is said")
        parser.add_argument("--startup", type=_keywords, default={}, metavar="JSON", help="its start-up keywords")
        parser.add_argument("--differences", type=Path, metavar="FILE", help="differences that are meant to be")
        parser.add_argument(
            "--strict", action="store_true", help="fail for declared differences that do not occur, too"
        )
        parser.add_argument("--json", action="store_true", help="the whole report as JSON")

    def handle(self, *args: Any, cassette: Path, world: str, fixture: str, **options: Any) -> None:
        try:
            report = replay(
                world,
                read_cassette(cassette),
                fixture=None if fixture == _BLANK else fixture,
                seed=options["seed"],
                differences=read_differences(options["differences"]),
                now=options["now"],
                startup=options["startup"],
            )
        except (FidelityError, WorldBug) as error:
            raise CommandError(str(error), returncode=2) from error
        self.stdout.write(json.dumps(report.as_dict(), ensure_ascii=False) if options["json"] else str(report))
        if not report.is_faithful:
            what = "the world differs in ways that are not declared" if report.compared else "nothing was compared"
            raise CommandError(what, returncode=1 if report.compared else 2)
        if options["strict"] and (report.stale or report.warnings):
            raise CommandError("a declared difference did not occur, or the cassette was cut off", returncode=1)
