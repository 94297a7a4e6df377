"""What is wrong with the worlds, and what of it can be mended at once?"""

from __future__ import annotations

import subprocess
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from worlds.engine.checking import linting, mending, reporting
from worlds.engine.checking.targets import targets
from worlds.engine.names import nearest

_AS = {
    "text": reporting.text,
    "json": lambda result: reporting.dumped(reporting.document(result)),
    "sarif": lambda result: reporting.dumped(reporting.sarif(result)),
}


class Command(BaseCommand):
    help = "Check worlds: each finding with its place, its id and the edit to make. Exits with 1 when one is an error."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("worlds", nargs="*", metavar="world", help="only these worlds")
        parser.add_argument("--format", choices=tuple(_AS), default="text", help="how findings are written")
        parser.add_argument("--fix", action="store_true", help="make the edits that are safe, and show them as a diff")

    def handle(self, *args: Any, worlds: list[str], format: str, fix: bool, **options: Any) -> None:
        _require_known(worlds)
        result = linting.lint(names=worlds)
        if fix and (mended := mending.mend(result.findings)):
            for each in mended:
                self.stderr.write(each.diff)  # where it is in no parser's way
            if getattr(self, "_called_from_command_line", False):
                sys.exit(self._again())
            done = {finding for each in mended for finding in each.findings}
            result.findings = [each for each in result.findings if each not in done]
        self.stdout.write(_AS[format](result))
        if result.has_errors:
            sys.exit(1)

    def _again(self) -> int:
        """Check anew in a process that loads the worlds as they are now."""
        command = [each for each in sys.orig_argv if each != "--fix"]
        run = subprocess.run([sys.executable, *command[1:]], stdout=subprocess.PIPE, text=True)
        self.stdout.write(run.stdout)
        return run.returncode


def _require_known(names: list[str]) -> None:
    known = {each.name for each in targets()}
    for name in names:
        if name not in known:
            near = nearest(name, known)
            hint = f"did you mean {near!r}? " if near else ""
            raise CommandError(
                f"world {name!r} is not installed; {hint}there are: {', '.join(sorted(known)) or 'none'}"
            )
