"""How does an operator grade, export and delete recorded episodes at the command line?"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError
from django.db.models import QuerySet

from openenv_api import recorded
from openenv_api.models import RecordedEpisode
from worlds.engine import EpisodeError, WorldBug, verdicts
from worlds.engine.curating import import_function
from worlds.engine.verdicts import Question


class Command(BaseCommand):
    help = "Grade the episodes that were recorded, write them out as JSON lines, or delete the oldest."

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        grade = verbs.add_parser("grade", help="give each one's state document to a function, and keep its number")
        grade.add_argument("grader", metavar="module:function", help="answers a number, the reward")
        grade.add_argument("--again", action="store_true", help="those that have a reward already, too")
        export = verbs.add_parser("export", help="write the episode documents to the standard output, one a line")
        for verb in (grade, export):
            verb.add_argument("--world", help="only those of this world")
            verb.add_argument("--fixture", help="only those that began from this fixture")
        verbs.add_parser("prune", help="delete those that are more than the settings let be")

    def handle(self, *args: Any, verb: str, **options: Any) -> None:
        try:
            getattr(self, f"_{verb}")(**options)
        except OperationalError as error:
            raise CommandError(f"{error}; run `manage.py migrate` first") from error

    def _grade(self, grader: str, again: bool, **which: Any) -> None:
        try:
            question = Question(grader=import_function(grader), as_stored=True)
        except WorldBug as error:
            raise CommandError(str(error)) from error
        found = _found(**which)
        graded = failed = 0
        for episode in found if again else found.filter(reward=None):
            try:
                verdict = verdicts.verdict(str(episode), recorded.document_of(episode), question)
                reward = verdict.data.get("grade")
                if isinstance(reward, bool) or not isinstance(reward, int | float):
                    raise EpisodeError(verdict.line if reward is None else f"the grade {reward!r:.60} is no number")
            except EpisodeError as error:
                failed += 1
                self.stderr.write(f"{episode.instance_id}: {error}")
                continue
            RecordedEpisode.objects.filter(pk=episode.pk).update(reward=reward)
            graded += 1
        self.stdout.write(f"{graded} graded, {failed} not.")
        if failed:
            raise CommandError("not every episode could be graded", returncode=2)

    def _export(self, **which: Any) -> None:
        for episode in _found(**which):
            try:
                sys.stdout.buffer.write(recorded.document_of(episode) + b"\n")
            except EpisodeError as error:
                self.stderr.write(f"{episode.instance_id}: {error}")

    def _prune(self, **_: Any) -> None:
        self.stdout.write(f"{recorded.prune()} deleted.")


def _found(world: str | None, fixture: str | None, **_: Any) -> QuerySet[RecordedEpisode]:
    found = RecordedEpisode.objects.exclude(file="").order_by("ended_at", "id")
    if world is not None:
        found = found.filter(world=world)
    return found if fixture is None else found.filter(fixture=fixture)
