"""Which operations of Stripe's API behave, and which are answered by their shape?"""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from worlds.stripe import coverage


class Command(BaseCommand):
    help = "Show how each published operation of Stripe World is answered, or write it to docs/stripe-coverage.md."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--write", nargs="?", const="docs/stripe-coverage.md", metavar="FILE", help="write it there"
        )
        parser.add_argument("--check", metavar="FILE", help="fail unless that file is current")

    def handle(self, *args: Any, write: str | None, check: str | None, **options: Any) -> None:
        found = coverage.document()
        if check is not None:
            if Path(check).read_text(encoding="utf-8") != found:
                raise CommandError(f"{check} is out of date; run `python manage.py stripe_coverage --write`")
        elif write is not None:
            Path(write).write_text(found, encoding="utf-8")
        else:
            self.stdout.write(found, ending="")
