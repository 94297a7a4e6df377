"""How does a call's outcome get from the worker thread to whoever waits for it?"""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, ClassVar

#: A loop that lingers goes on after so long without an outcome, and after so long in all.
STALLED_S, LINGERED_S = 0.001, 0.01


@dataclass(slots=True, eq=False)
class Job:
    """A call in a lane, and how it ended."""

    lane: Any  # the queue it stands in
    fn: Callable[..., Any]
    args: tuple[Any, ...]
    timeout_s: float | None
    on_overrun: Callable[[], object] | None
    future: Future[Any] | asyncio.Future[Any]
    post: Callable[[Job], None]  # takes the finished job to where its future may be settled
    deadline: float = math.inf
    value: Any = None
    error: BaseException | None = None

    def finish(self, value: Any, error: BaseException | None) -> None:
        self.value, self.error = value, error
        self.post(self)

    def settle(self) -> None:
        with suppress(InvalidStateError, asyncio.InvalidStateError):  # it was cancelled: nobody waits
            if self.error is None:
                self.future.set_result(self.value)
            else:
                self.future.set_exception(self.error)


@dataclass(slots=True, eq=False)
class Mailbox:
    """Finished jobs on their way to one event loop.

    Two threads that both want the interpreter lock hand it to and fro at each call into SQLite, which costs more than a
    short call itself. So a loop queues the calls of all its clients first and then *lingers*: it wakes the workers,
    waits as long as calls keep ending, and settles them all. A call that takes longer is left behind and rings the
    loop when it ends.
    """

    loop: asyncio.AbstractEventLoop
    jobs: deque[Job] = field(default_factory=deque)
    is_rung: bool = False
    expected: int = 0  # calls handed out that may end any moment
    is_lingering: bool = False
    will_linger: bool = False
    lanes: Any = None  # whose workers are to be woken
    gate: threading.Lock = field(default_factory=threading.Lock)  # opened for a lingering loop when all have ended
    here: ClassVar = threading.local()  # a thread runs one loop at a time

    @classmethod
    def of_running_loop(cls) -> Mailbox:
        loop = asyncio.get_running_loop()
        mailbox: Mailbox | None = getattr(cls.here, "mailbox", None)
        if mailbox is None or mailbox.loop is not loop:
            mailbox = cls.here.mailbox = cls(loop)
        return mailbox

    def expect(self, lanes: Any) -> None:
        """A job was queued in `lanes`, whose workers wake when the loop lingers; for the loop's own thread."""
        self.expected += 1
        if self.lanes is not lanes:
            if self.lanes is not None:
                self.lanes.rouse()
            self.lanes = lanes
        if not self.will_linger:
            self.will_linger = True
            self.loop.call_soon(self._linger)

    def post(self, job: Job) -> None:
        """A job has ended; for any thread."""
        self.jobs.append(job)
        if self.is_lingering:
            if len(self.jobs) >= self.expected:
                with suppress(RuntimeError):  # it is open already
                    self.gate.release()
        elif not self.is_rung:
            self.is_rung = True
            with suppress(RuntimeError):  # the loop is closed: nobody waits
                self.loop.call_soon_threadsafe(self._settle)

    def _linger(self) -> None:
        self.will_linger = False
        self.gate.acquire(blocking=False)
        self.is_lingering = True  # from here on a job that ends opens the gate, and rings no bell
        if self.lanes is not None:
            self.lanes.rouse()
        until = time.monotonic() + LINGERED_S
        ended = -1
        while ended < len(self.jobs) < self.expected and time.monotonic() < until:
            ended = len(self.jobs)
            self.gate.acquire(timeout=STALLED_S)
        self.is_lingering = False
        is_stalled = ended == len(self.jobs)
        self._settle()
        if is_stalled:
            self.expected = 0
        elif self.expected:
            self.will_linger = True
            self.loop.call_soon(self._linger)

    def _settle(self) -> None:
        self.is_rung = False  # first: a job posted from here on rings again
        while self.jobs:
            self.jobs.popleft().settle()
            self.expected = max(0, self.expected - 1)
