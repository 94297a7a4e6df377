"""How is the server started from the command line?"""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError

from openenv_api import access, serving
from worlds.engine import WorldBug, installed

#: Options that outrank the setting of the same meaning.
OVERRIDES = {
    "world": "SEAHAVEN_DEFAULT_WORLD",
    "fixture": "SEAHAVEN_DEFAULT_FIXTURE",
    "max_sessions": "SEAHAVEN_MAX_SESSIONS",
    "idle_timeout": "SEAHAVEN_IDLE_TIMEOUT_S",
    "call_timeout": "SEAHAVEN_CALL_TIMEOUT_S",
}


class Command(BaseCommand):
    help = "Serve the worlds on one port: over OpenEnv, the REST API, MCP and the products' own APIs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000, help="0 takes a free one")
        parser.add_argument("--server", choices=serving.SERVERS, default=serving.SERVERS[0])
        parser.add_argument("--world", help="the world of clients that name none")
        parser.add_argument("--fixture", help="the fixture of resets that name none")
        parser.add_argument("--max-sessions", type=int, help="so many clients at once")
        parser.add_argument("--idle-timeout", type=float, metavar="S", help="end sessions idle for so long; 0: never")
        parser.add_argument("--call-timeout", type=float, metavar="S", help="end calls that take longer")
        parser.add_argument("--insecure", action="store_true", help="let everybody in who reaches this machine")

    def handle(self, *args: Any, host: str, port: int, server: str, insecure: bool, **options: Any) -> None:
        for option, setting in OVERRIDES.items():
            if options[option] is not None:
                setattr(settings, setting, options[option])
        try:
            access.require_guard(host, insecure=insecure)
            installed.get(settings.SEAHAVEN_DEFAULT_WORLD).prepare_fixture(settings.SEAHAVEN_DEFAULT_FIXTURE or None)
            serving.serve(host, port, server, on_ready=self._announce)
        except (WorldBug, OSError, ImproperlyConfigured) as error:
            raise CommandError(str(error)) from error

    def _announce(self, url: str) -> None:
        self.stdout.write(f"Seahaven serves {', '.join(installed.names())} at {url}")
        self.stdout.flush()
