"""How does an operator make, list and revoke API keys at the command line?"""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError

from openenv_api import keys
from openenv_api.models import ApiKey


class Command(BaseCommand):
    help = "Make, list and revoke the API keys that clients of this server must show once it has any."

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        create = verbs.add_parser("create", help="make a key, and show it this once")
        create.add_argument("name", help="who uses it, and for what")
        create.add_argument("--scope", choices=ApiKey.Scopes.values, default=ApiKey.Scopes.AGENT.value)
        verbs.add_parser("list", help="list the keys")
        verbs.add_parser("revoke", help="make a key good for nothing").add_argument("name")

    def handle(self, *args: Any, verb: str, **options: Any) -> None:
        try:
            getattr(self, f"_{verb}")(options)
        except OperationalError as error:
            raise CommandError(f"{error}; run `manage.py migrate` first") from error

    def _create(self, options: dict[str, Any]) -> None:
        try:
            key = keys.create(options["name"], options["scope"])
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        self.stdout.write(key)
        self.stderr.write("Keep it: it is not shown again. Clients send it as `Authorization: Bearer <key>`.")

    def _list(self, options: dict[str, Any]) -> None:
        for each in ApiKey.objects.all():
            end = f"revoked {each.revoked_at:%Y-%m-%d}" if each.revoked_at else ""
            self.stdout.write(f"{each.name}\t{each.scope}\t{each.start}…\t{each.created_at:%Y-%m-%d}\t{end}".rstrip())

    def _revoke(self, options: dict[str, Any]) -> None:
        found = ApiKey.objects.filter(name=options["name"], revoked_at=None).first()
        if found is None:
            known = ", ".join(ApiKey.objects.filter(revoked_at=None).values_list("name", flat=True)) or "none"
            raise CommandError(f"There is no key {options['name']!r} to revoke; there are: {known}")
        keys.revoke(found)
        self.stdout.write(f"{found.name} is good for nothing from now on.")
