"""How is a real API recorded from the command line?"""

from __future__ import annotations

import re
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from seahaven.fidelity.errors import FidelityError
from seahaven.fidelity.recording import Recording
from seahaven.fidelity.redacting import Redactor

MIB = 1024 * 1024


class Command(BaseCommand):
    help = (
        "Stand between a client and a real API on this machine, and write every exchange to a cassette, without its "
        "secrets. Point the client at the address that is printed; Ctrl+C ends the recording."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("upstream", metavar="URL", help="the real API, https://api.example.com")
        parser.add_argument("--to", type=Path, required=True, metavar="FILE", help="the cassette, a file that is new")
        parser.add_argument("--port", type=int, default=9000, help="0 takes a free one")
        parser.add_argument(
            "--redact", action="append", default=[], metavar="NAME", help="a name whose values are secret, may hold *"
        )
        parser.add_argument(
            "--keep", action="append", default=[], metavar="NAME", help="a name whose values are not secret, may hold *"
        )
        parser.add_argument("--hide", action="append", default=[], metavar="REGEX", help="text that is secret anywhere")
        parser.add_argument("--header", action="append", default=[], metavar="NAME", help="a header to keep as well")
        parser.add_argument("--timeout", type=float, default=60, metavar="S", help="to wait for the API; 60")
        parser.add_argument("--max-body", type=float, default=5, metavar="MIB", help="longer bodies are left out; 5")

    def handle(self, *args: Any, upstream: str, to: Path, port: int, **options: Any) -> None:
        try:
            recording = Recording(
                upstream,
                to,
                port=port,
                redactor=Redactor(options["redact"], options["keep"], options["hide"]),
                most=int(options["max_body"] * MIB),
                timeout_s=options["timeout"],
                more_headers=tuple(name.lower() for name in options["header"]),
            )
            recording.run(on_ready=lambda: self._say(f"Recording {recording.upstream} at {recording.url} to {to}"))
        except (FidelityError, OSError) as error:
            raise CommandError(str(error)) from error
        except re.error as error:
            raise CommandError(f"--hide takes a regular expression: {error}") from error
        failed = f", {recording.failures} of them failed" if recording.failures else ""
        self._say(f"{recording.exchanges} exchanges in {to}{failed}")

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()
