"""Which development server runs? Daphne's, since Django's own speaks no WebSocket.

Daphne itself must not be an installed app: it would install its reactor in every process that loads Django.
"""

from __future__ import annotations

from argparse import ArgumentParser

from daphne.management.commands.runserver import Command as DaphnesRunserver

from openenv_api.serving import largest_frame


class Command(DaphnesRunserver):
    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.set_defaults(websocket_max_message_size=largest_frame(), websocket_max_frame_size=largest_frame())
