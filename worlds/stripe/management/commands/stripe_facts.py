"""How are the facts of Stripe's API made anew from a newer published document?"""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from worlds.stripe import facts
from worlds.stripe.facts.rebuilding import rebuilt


class Command(BaseCommand):
    help = "Rebuild the facts of Stripe World from a published OpenAPI document (spec3.json)."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("document", metavar="OPENAPI_JSON", help="the published document")
        parser.add_argument("--to", default=str(facts.HERE), metavar="DIRECTORY", help="where the files are written")

    def handle(self, *args: Any, document: str, to: str, **options: Any) -> None:
        try:
            files = rebuilt(json.loads(Path(document).read_text(encoding="utf-8")))
        except (OSError, ValueError, KeyError) as error:
            raise CommandError(f"{document} is no OpenAPI document: {error!r}") from error
        for name, text in files.items():
            (Path(to) / name).write_text(text, encoding="utf-8")
        self.stdout.write(", ".join(f"{name}: {text.count(chr(10))} rows" for name, text in files.items()))
