"""How does a test run the server in its own process, where it can look at what the server holds?"""

import asyncio
import socket

import uvicorn

from openenv_api.mcp.sessions import sessions
from seahaven_site.asgi import application
from worlds.engine.hosting import HOSTS


class ServerHere(uvicorn.Server):
    """The application on a free port; nothing is left of it afterwards."""

    def __init__(self):
        super().__init__(uvicorn.Config(application, lifespan="off", log_config=None, timeout_graceful_shutdown=1))
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    async def __aenter__(self):
        self.task = asyncio.create_task(self._serve(sockets=[self._listener]))
        while not self.started:
            await asyncio.sleep(0.01)
        return self

    async def __aexit__(self, *exc_info):
        for session in list(sessions()._all.values()):
            session.end("the test is over")
        self.should_exit = self.force_exit = True
        await self.task
        for hosted in HOSTS:
            hosted.end("the test is over")
        assert not len(sessions())
