"""How is a stored episode replayed or graded from the command line?"""

from __future__ import annotations

import gzip
import sys
import zlib
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import orjson
from django.core.management.base import BaseCommand, CommandError

from worlds.engine import verdicts
from worlds.engine.curating import import_function
from worlds.engine.errors import WorldBug
from worlds.engine.verdicts import Question, Verdict

#: How a gzip file begins: episodes that a server recorded are kept so.
_GZIP = b"\x1f\x8b"


class Command(BaseCommand):
    help = (
        "Replay episodes that were exported, and name the first divergence of each: which call, which row, which "
        "cell. Exit status 0: all are equal; 1: one diverged; 2: one could not be replayed."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "files", nargs="+", metavar="FILE", help="an episode document, as it is or gzipped; - is standard input"
        )
        parser.add_argument("--against", metavar="VERSION-OR-WORLD", help="replay in another world, or this version")
        parser.add_argument("--all", action="store_true", help="go on after a divergence, and list every one")
        parser.add_argument("--grade", metavar="module:function", help="give it the state document; print its answer")
        parser.add_argument("--no-replay", action="store_true", help="with --grade: grade what is stored")
        parser.add_argument("--json", action="store_true", help="one JSON object a line")

    def handle(self, *args: Any, files: list[str], json: bool, **options: Any) -> None:
        question = _question(**options)
        worst = verdicts.EQUAL
        for file in files:
            found = _verdict(file, question)
            worst = max(worst, found.status)
            self.stdout.write(orjson.dumps(found.as_dict()).decode() if json else str(found))
        if worst != verdicts.EQUAL:
            raise CommandError(_SUMMARIES[worst], returncode=worst)


_SUMMARIES = {
    verdicts.DIVERGED: "not every episode went the same way again",
    verdicts.IMPOSSIBLE: "not every episode could be replayed",
}


def _question(against: str | None, all: bool, grade: str | None, no_replay: bool, **_: Any) -> Question:
    if no_replay and (grade is None or against is not None or all):
        raise CommandError("--no-replay goes with --grade, and without --against and --all", returncode=2)
    try:
        return Question(against, all, import_function(grade) if grade else None, no_replay)
    except WorldBug as error:
        raise CommandError(str(error), returncode=2) from error


def _verdict(file: str, question: Question) -> Verdict:
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        if data.startswith(_GZIP):
            data = gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        return verdicts.impossible(file, f"cannot be read: {getattr(error, 'strerror', None) or error}")
    return verdicts.verdict(file, data, question)
