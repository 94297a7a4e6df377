"""Which development server runs? Daphne's, since Django's own speaks no WebSocket.

Daphne itself must not be an installed app: it would install its reactor in every process that loads Django.
"""

from daphne.management.commands.runserver import Command

__all__ = ["Command"]
