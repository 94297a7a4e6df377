"""How far is work that takes longer than a page should wait?

A job stands in this process under an id that its page asks for again and again, so that a reload loses nothing. What it
reports comes from a worker thread; all else happens on the event loop.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Any, NamedTuple

from console.wording import sentence
from worlds.engine import CallTimeout, SeahavenError
from worlds.engine.hosting import new_id
from worlds.engine.images import Report

logger = logging.getLogger("console")

#: Building a very large image may take so long.
BUILD_S = 3600.0
#: Jobs that are over and still can be looked at.
KEPT = 200

#: What a job does: it reports how far it is, and answers the address where its outcome is seen.
Work = Callable[[Report], Awaitable[str]]


class Step(NamedTuple):
    """One part of a job; `total` is 0 while nobody knows it."""

    what: str
    done: int
    total: int

    @property
    def percent(self) -> int:
        return 100 * self.done // self.total if self.total else 0


class Job:
    """One piece of work, and what is known of it so far."""

    def __init__(self, title: str, *, back: str, key: Hashable = None, kept: Any = None) -> None:
        self.id = new_id()
        self.title = title
        #: Where somebody goes who wants to try again.
        self.back = back
        #: Two jobs of one key would do the same.
        self.key = key
        #: What was typed to begin it.
        self.kept = kept
        #: Where its outcome is seen, once it is done.
        self.to = ""
        #: Why it failed, and what to do.
        self.problem = ""
        self._began_at = time.monotonic()
        self._steps: dict[str, Step] = {}
        self._over = asyncio.Event()

    @property
    def is_over(self) -> bool:
        return self._over.is_set()

    @property
    def seconds(self) -> float:
        """How long ago it was begun."""
        return time.monotonic() - self._began_at

    @property
    def steps(self) -> list[Step]:
        return list(self._steps.copy().values())

    def report(self, what: str, done: int, total: int) -> None:
        """Note how far it is; called on any thread."""
        self._steps[what] = Step(what, done, total)

    async def wait(self, most_s: float) -> bool:
        """Wait for its end, but not for longer; is it over?"""
        try:
            await asyncio.wait_for(self._over.wait(), most_s)
        except TimeoutError:
            return False
        return True

    async def run(self, work: Work) -> None:
        """Do the work, and keep how it ended."""
        try:
            self.to = await work(self.report)
            self.kept = None
        except CallTimeout:
            self.problem = "It took too long and was stopped. Try again when the server is less busy."
        except SeahavenError as error:
            self.problem = sentence(error)
        except Exception:  # nobody else waits for it
            logger.exception("Job %s failed: %s", self.id, self.title)
            self.problem = f"The server had an error of its own. Its log says more, under job {self.id}."
        finally:
            self._over.set()


class Jobs:
    """The jobs of this process."""

    def __init__(self) -> None:
        self._all: OrderedDict[str, Job] = OrderedDict()
        self._tasks: set[asyncio.Task[None]] = set()

    def get(self, job_id: str) -> Job | None:
        return self._all.get(job_id)

    def running(self, key: Hashable) -> Job | None:
        """The job of that key that is under way."""
        return next((job for job in self._all.values() if job.key == key and not job.is_over), None)

    def latest(self, key: Hashable) -> Job | None:
        """The job of that key that was begun last."""
        return next((job for job in reversed(self._all.values()) if job.key == key), None)

    def start(self, title: str, work: Work, *, back: str, key: Hashable = None, kept: Any = None) -> Job:
        """Begin a job, or answer the one of the same key that is under way. Call it on an event loop."""
        same = self.running(key) if key is not None else None
        if same is not None:
            return same
        job = Job(title, back=back, key=key, kept=kept)
        self._all[job.id] = job
        self._forget()
        task = asyncio.create_task(job.run(work))
        self._tasks.add(task)  # the loop itself keeps no hold of it
        task.add_done_callback(self._tasks.discard)
        return job

    def _forget(self) -> None:
        over = [job.id for job in self._all.values() if job.is_over]
        for job_id in over[: max(0, len(self._all) - KEPT)]:
            del self._all[job_id]


JOBS = Jobs()
