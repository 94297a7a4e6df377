"""How does what worlds want sent to elsewhere get there?

Whenever a served instance has moved it is asked what it wants sent. That leaves on the event loop, where it holds up no
instance, and the instance is told what came of it.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from contextlib import suppress
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from django.conf import settings
from django.http.request import validate_host

from worlds.engine import CallTimeout, Instance, InstanceClosed, Outgoing
from worlds.engine.composing import tree_of
from worlds.engine.hosting import HOSTS, Hosted

logger = logging.getLogger(__name__)
#: What is given up is one attempt; the world decides whether there is another.
TIMEOUT_S = 10.0
#: Requests under way at once, for all instances together.
MOST_AT_ONCE = 64
#: Of an answer's body no more is waited for.
BODY_READ_BYTES = 64 * 1024
#: A clock that goes by itself; any other stands until somebody moves it.
_RUNNING = ("running", "wall")


class Line(NamedTuple):
    """Requests that leave one after the other: those of one group, of one world of one instance."""

    hosted_id: str
    node: str
    group: str


class Courier:
    """Takes what instances want sent to where it goes. Its methods run on the event loop, but for `watch`."""

    def __init__(self) -> None:
        self._lines: dict[Line, deque[Outgoing]] = {}
        #: Requests that were taken over and are not reported yet: what was asked for twice is sent once.
        self._under_way: set[tuple[str, str, str]] = set()
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._post: Post | None = None

    def watch(self, hosted: Hosted, what: str) -> None:
        """Be told of what happens to a hosted instance; on any thread."""
        loop, instance = hosted.loop, hosted.instance
        if loop is None or not any(branch.world.sends for branch in tree_of(hosted.world).branches.values()):
            return
        with suppress(RuntimeError):  # the loop is closed: the server goes down
            if what == "moved" and instance is not None:
                if found := _wanted(instance):
                    loop.call_soon_threadsafe(self._take, hosted, found, instance.clock.now())
            elif what == "opened":
                loop.call_soon_threadsafe(self._look, hosted)
            elif what == "ended":
                loop.call_soon_threadsafe(self._forget, hosted)

    def _look(self, hosted: Hosted) -> None:
        """Ask an instance again: its time has come, or something is out of the way."""
        self._timers.pop(hosted.id, None)
        self._start(self._ask(hosted))

    async def _ask(self, hosted: Hosted) -> None:
        instance = hosted.instance
        if instance is not None:
            with suppress(InstanceClosed, CallTimeout):
                self._take(hosted, await hosted.run(_wanted, instance), instance.clock.now())

    def _take(self, hosted: Hosted, found: list[tuple[str, Outgoing]], now: datetime) -> None:
        """Send what is due, and come back when the rest is."""
        waits = [request.at - now for _, request in found if request.at > now]
        if waits and hosted.instance is not None and hosted.instance.clock.mode in _RUNNING:
            self._come_back(hosted, min(waits).total_seconds())
        for node, request in found:
            key = (hosted.id, node, request.key)
            if request.at > now or key in self._under_way or hosted.over_because is not None:
                continue
            self._under_way.add(key)
            line = Line(hosted.id, node, request.group)
            if line in self._lines:
                self._lines[line].append(request)
            else:
                self._lines[line] = deque([request])
                self._start(self._walk(hosted, line))

    def _come_back(self, hosted: Hosted, after_s: float) -> None:
        if (timer := self._timers.pop(hosted.id, None)) is not None:
            timer.cancel()
        # A little later than that, so that the clock has passed the moment.
        self._timers[hosted.id] = asyncio.get_running_loop().call_later(after_s + 0.01, self._look, hosted)

    async def _walk(self, hosted: Hosted, line: Line) -> None:
        """Send a line's requests until there are no more, and report each."""
        requests = self._lines[line]
        try:
            while requests and hosted.over_because is None:
                request = requests.popleft()
                outcome = await self._posted(request)
                assert hosted.instance is not None
                await hosted.move(hosted.instance.report, line.node, request.key, outcome)
                self._under_way.discard((hosted.id, line.node, request.key))
        except (InstanceClosed, CallTimeout):
            return
        except Exception:
            logger.exception("a world could not be told what came of a request it wanted sent")
        finally:
            del self._lines[line]
            for request in requests:
                self._under_way.discard((hosted.id, line.node, request.key))
        self._look(hosted)

    async def _posted(self, request: Outgoing) -> dict[str, Any]:
        host = urlsplit(request.url).hostname or ""
        if not validate_host(f"[{host}]" if ":" in host else host, settings.SEAHAVEN_WEBHOOK_HOSTS):
            return _unanswered(f"this server sends nothing to {host:.80}; add it to SEAHAVEN_WEBHOOK_HOSTS")
        loop = asyncio.get_running_loop()
        if self._post is None or self._post.loop is not loop:
            self._post = Post(loop)
        return await self._post.send(request)

    def _forget(self, hosted: Hosted) -> None:
        if (timer := self._timers.pop(hosted.id, None)) is not None:
            timer.cancel()
        self._under_way = {key for key in self._under_way if key[0] != hosted.id}

    def _start(self, coroutine: Any) -> None:
        task = asyncio.get_running_loop().create_task(coroutine)
        self._tasks.add(task)  # a loop holds its tasks by weak references only
        task.add_done_callback(self._tasks.discard)


class Post:
    """An HTTP client on one event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        import httpx2  # costs a tenth of a second, and most servers never send anything

        self.loop = loop
        self._failed: tuple[type[Exception], ...] = (httpx2.HTTPError, httpx2.InvalidURL, ValueError)
        self._slots = asyncio.Semaphore(MOST_AT_ONCE)
        # Redirects are failures, proxies of this machine are not for what worlds send, and nothing is left open.
        self._client = httpx2.AsyncClient(
            follow_redirects=False, trust_env=False, limits=httpx2.Limits(max_keepalive_connections=0)
        )

    async def send(self, request: Outgoing) -> dict[str, Any]:
        """Send a request once; answers what came of it."""
        async with self._slots:
            # A receiver compares the time it was signed at with a clock like this one.
            signed = request.sign(int(time.time())) if request.sign else ()
            try:
                async with asyncio.timeout(TIMEOUT_S):
                    return await self._sent(request, [*request.headers, *signed])
            except TimeoutError:
                return _unanswered(f"no answer within {TIMEOUT_S:g} s")
            except self._failed as error:
                return _unanswered(f"{type(error).__name__}: {error}"[:200])

    async def _sent(self, request: Outgoing, headers: list[tuple[str, str]]) -> dict[str, Any]:
        async with self._client.stream(request.method, request.url, headers=headers, content=request.body) as answer:
            read = 0
            async for chunk in answer.aiter_raw():
                read += len(chunk)
                if read > BODY_READ_BYTES:
                    break
            return {"status": answer.status_code, "error": None}


def _wanted(instance: Instance) -> list[tuple[str, Outgoing]]:
    """What an instance wants sent; nothing when it is over, or its world fails to say: no call fails for that."""
    try:
        return instance.outgoing()
    except InstanceClosed:
        return []
    except Exception:
        logger.exception("a world could not say what it wants sent")
        return []


def _unanswered(why: str) -> dict[str, Any]:
    return {"status": None, "error": why}


COURIER = Courier()


def begin() -> None:
    """Send what the instances of this process want sent, from now on."""
    if COURIER.watch not in HOSTS.watchers:
        HOSTS.watchers.append(COURIER.watch)
