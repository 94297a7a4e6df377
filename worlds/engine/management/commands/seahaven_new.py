"""How is a new world begun from the command line?"""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from worlds.engine.errors import WorldBug
from worlds.engine.scaffold.beginning import begin


class Command(BaseCommand):
    help = "Write a new world that passes its checks and tests: an example to change, or what an OpenAPI document says."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="a noun in lower case, such as library")
        parser.add_argument("--dir", dest="folder", help="the folder the app goes into; default: beside the other apps")
        parser.add_argument("--label", help="the app's label, where the name is another app's; default: the name")
        parser.add_argument("--description", default="", help="one sentence: what product is it?")
        parser.add_argument(
            "--from-openapi", metavar="FILE", dest="document", help="an OpenAPI 3.0 or 3.1 document, JSON or YAML"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            written = begin(**{key: options[key] for key in ("name", "folder", "label", "description", "document")})
        except WorldBug as error:
            raise CommandError(str(error)) from error
        self.stdout.write(written)
