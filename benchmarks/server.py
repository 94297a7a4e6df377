"""A server to measure: ours, with an echo consumer beside it. Prints its address once it listens.

python -m benchmarks.server [PORT [uvicorn|daphne]]
"""

from __future__ import annotations

import os
import sys

import django


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "seahaven_site.settings")
    os.environ.setdefault("SEAHAVEN_MAX_SESSIONS", "4096")
    os.environ.setdefault("SEAHAVEN_LOG_LEVEL", "WARNING")
    django.setup()
    from django.conf import settings

    from benchmarks.in_process import nothing
    from openenv_api.serving import serve
    from worlds.engine import installed

    installed.get(settings.SEAHAVEN_DEFAULT_WORLD).tool(nothing, name="benchmark_nothing")
    settings.ASGI_APPLICATION = "benchmarks.echo.application"
    port, server = [*sys.argv[1:], *["0", "uvicorn"][len(sys.argv) - 1 :]]
    serve("127.0.0.1", int(port), server, on_ready=lambda url: print(url, flush=True))


if __name__ == "__main__":
    main()
