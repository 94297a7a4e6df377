"""How is one instance of a world served over MCP to the program that starts this command?"""

from __future__ import annotations

import asyncio
import signal
import sys
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from openenv_api.errors import Refusal
from openenv_api.mcp import pipes, starts, stdio
from openenv_api.sessions import default_fixture
from worlds.engine import ToolError, WorldBug, installed

#: How the options of a start are described; each is read as text, so that what does not fit is said in one line.
OPTIONS = {
    "fixture": "the starting state; none is the blank world",
    "seed": "a whole number that fixes every draw of chance",
    "now": "the clock's start, ISO 8601 with an offset",
    "clock_mode": "how the clock moves: fixed, tick, running or wall",
    "startup": "keywords for the world's startup hooks, as a JSON object",
    "setup_sql": "SQL to run on the starting state",
    "task": "what the run is about; stands in the state document",
}


class Command(BaseCommand):
    help = "Serve one instance of a world over MCP, on stdin and stdout, until the client closes them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--world", default=settings.SEAHAVEN_DEFAULT_WORLD)
        for name, about in OPTIONS.items():
            parser.add_argument(f"--{name.replace('_', '-')}", help=about)

    def handle(self, *args: Any, world: str, **options: Any) -> None:
        incoming, outgoing = pipes.claim()
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # until the loop listens to it
        texts = {name: options[name] for name in starts.NAMES if options[name] is not None}
        try:
            chosen = installed.get(world)
            start = starts.start_of(texts, default_fixture(chosen))
            asyncio.run(stdio.serve(chosen, start, incoming, outgoing))
        except (WorldBug, ToolError, Refusal) as error:
            raise CommandError(" ".join(str(error).split())) from error
