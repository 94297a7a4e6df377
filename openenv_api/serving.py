"""How is the server run, on uvicorn or on daphne?"""

from __future__ import annotations

import gc
import logging
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string

from openenv_api import recording
from worlds.engine import FixtureError, installed
from worlds.engine.hosting import LANES

SERVERS = ("uvicorn", "daphne")
#: So many times the limit for frames is let through: what is over the limit is answered then, and not cut off.
HARD_LIMIT = 4
#: Clients ping. A server that pings too drops those that train in the same thread and do not pong.
NEVER_S = 10.0 * 365 * 24 * 3600
#: A client that vanished without a word is given up after about two minutes.
KEEPALIVE = {"TCP_KEEPIDLE": 60, "TCP_KEEPINTVL": 15, "TCP_KEEPCNT": 4, "TCP_USER_TIMEOUT": 120_000}
#: So long may calls run on when the server is told to stop.
GRACE_S = 3

logger = logging.getLogger(__name__)


def serve(host: str, port: int, server: str = "uvicorn", *, on_ready: Callable[[str], object] | None = None) -> None:
    """Serve until SIGTERM or Ctrl+C; `on_ready` is called with the address once clients can connect.

    Raises: OSError for an address that cannot be had.
    """
    listener = _listen(host, port)
    _prepare()
    application = import_string(settings.ASGI_APPLICATION)
    _settle()
    if on_ready is not None:
        on_ready(_url(listener))
    try:
        {"uvicorn": _uvicorn, "daphne": _daphne}[server](application, listener)
    finally:
        recording.finish()
        LANES.shutdown(wait_s=0)


def _listen(host: str, port: int) -> socket.socket:
    # The connections inherit these options.
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host, port), family=family, backlog=4096)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in KEEPALIVE.items():
        if hasattr(socket, name):
            listener.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    return listener


def _url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def _prepare() -> None:
    """Open every image now, so that no client waits for one; a damaged fixture is told to whoever asks for it."""
    for name in installed.names():
        world = installed.get(name)
        for fixture_id in (None, *world.fixture_ids()):
            try:
                world.prepare_fixture(fixture_id)
            except FixtureError as error:
                logger.warning("%s", error)


def _settle() -> None:
    """Spare the garbage collector what is here to stay, and have it look at the rest less often.

    It would go through all of it every few resets, which takes as long as they do.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 10, 10)


def _uvicorn(application: Any, listener: socket.socket) -> None:
    import uvicorn

    class Server(uvicorn.Server):
        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            # Uvicorn's own raises the signal again at the end, and the process would look killed.
            for each in (signal.SIGINT, signal.SIGTERM):
                signal.signal(each, self.handle_exit)
            yield

    config = uvicorn.Config(
        application,
        ws="websockets-sansio",
        ws_max_size=largest_frame(),
        ws_ping_interval=None,
        ws_ping_timeout=None,
        ws_per_message_deflate=False,  # compressing a large state would keep everybody waiting
        lifespan="off",
        access_log=False,
        log_config=None,
        log_level="warning",
        timeout_graceful_shutdown=GRACE_S,
    )
    Server(config).run(sockets=[listener])


def _daphne(application: Any, listener: socket.socket) -> None:
    from daphne.endpoints import build_endpoint_description_strings
    from daphne.server import Server

    # A script's background job is started deaf to Ctrl+C, and Twisted would leave it so.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if listener.family == socket.AF_INET:
        endpoints = build_endpoint_description_strings(file_descriptor=listener.fileno())
    else:  # daphne adopts no other kind
        host, port = listener.getsockname()[:2]
        listener.close()
        endpoints = build_endpoint_description_strings(host=host, port=port)
    Server(
        application,
        endpoints=endpoints,
        ping_interval=NEVER_S,
        ping_timeout=NEVER_S,
        websocket_timeout=-1,
        websocket_max_message_size=largest_frame(),
        websocket_max_frame_size=largest_frame(),
        application_close_timeout=NEVER_S,  # its client may be back before the call is done
    ).run()


def largest_frame() -> int:
    """What a server lets through, in bytes; the limit proper is kept by the consumers."""
    return HARD_LIMIT * settings.SEAHAVEN_MAX_MESSAGE_MIB * 1024 * 1024
