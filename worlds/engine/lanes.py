"""On which thread does a call run, and for how long?

Every instance has a lane, a queue of calls that run one after the other. All lanes share one pool of worker threads and
take turns, one call a turn, so that a lane with a thousand calls waiting delays nobody.

Python threads share one interpreter lock, and each thread more that wants it slows the others. So only a few workers are
*awake*, that is, may take calls. A watchdog looks on: workers stuck in long calls while others wait lose their places to
spare ones, and rest when they come back. It also ends the calls that run over their time limit. Whoever takes a job out
of `Lanes.running`, its worker or the watchdog, says how it ended; a worker that comes too late is *written off*: it
touches nothing any more, so it may be interrupted wherever it is.
"""

from __future__ import annotations

import asyncio
import ctypes
import logging
import math
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from worlds.engine.errors import CallTimeout, InstanceClosed

T = TypeVar("T")
Callback = Callable[[], object]

ABORT_EVERY_S = 0.05
PATIENCE_WHILE_COMPUTING = 10

logger = logging.getLogger(__name__)
_set_async_exc = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_ulong, ctypes.py_object)(
    ("PyThreadState_SetAsyncExc", ctypes.pythonapi)
)
_NO_EXCEPTION: Any = ctypes.py_object()  # NULL takes back an exception that has not arrived yet


class CallAborted(BaseException):
    """Raised inside a call that ran over its time limit, so that its thread comes to an end."""


class LaneClosed(InstanceClosed):
    """The lane takes no more calls: it was closed, or a call in it ran over its time limit."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"This lane takes no more calls: {reason}. Open a new instance.")


@dataclass(slots=True, eq=False)
class Job:
    """A call in a lane, and how it ended."""

    lane: Lane
    fn: Callable[..., Any]
    args: tuple[Any, ...]
    timeout_s: float | None
    on_overrun: Callback | None
    future: Future[Any] | asyncio.Future[Any]
    post: Callable[[Job], None]  # takes the finished job to where its future may be settled
    deadline: float = math.inf
    value: Any = None
    error: BaseException | None = None

    def finish(self, value: Any, error: BaseException | None) -> None:
        self.value, self.error = value, error
        self.post(self)

    def settle(self) -> None:
        with suppress(InvalidStateError):  # cancelled at this very moment
            if self.future.done():
                return
            if self.error is not None:
                self.future.set_exception(self.error)
            else:
                self.future.set_result(self.value)


class Mailbox:
    """Finished jobs on their way to one event loop: all that come in while it is busy cost it one wake-up."""

    _here = threading.local()  # a thread runs one loop at a time

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._jobs: deque[Job] = deque()
        self._is_rung = False

    @classmethod
    def of_running_loop(cls) -> Mailbox:
        loop = asyncio.get_running_loop()
        mailbox: Mailbox | None = getattr(cls._here, "mailbox", None)
        if mailbox is None or mailbox.loop is not loop:
            mailbox = cls._here.mailbox = cls(loop)
        return mailbox

    def post(self, job: Job) -> None:
        self._jobs.append(job)
        if self._is_rung:
            return
        self._is_rung = True
        try:
            self.loop.call_soon_threadsafe(self._deliver)
        except RuntimeError:  # the loop is closed: nobody awaits any more
            self._is_rung = False
            self._jobs.clear()

    def _deliver(self) -> None:
        self._is_rung = False  # first: a job posted from here on rings again
        while self._jobs:
            self._jobs.popleft().settle()


@dataclass(slots=True, eq=False)
class Lane:
    """A queue of calls that run one after the other, in the order they came."""

    lanes: Lanes
    jobs: deque[Job] = field(default_factory=deque)
    takes_turns: bool = False  # it has its turn or waits for it, and so comes back to its queue by itself
    closed_because: str | None = None

    def submit(
        self, fn: Callable[..., T], *args: Any, timeout_s: float | None = None, on_overrun: Callback | None = None
    ) -> Future[T]:
        """Queue `fn(*args)`; `result()` of the future waits for the outcome.

        Units:  `timeout_s` counts from the moment the call begins.
        Calls:  `on_overrun` once, on the watchdog's thread, when the limit is passed; it must not block.
        Raises: LaneClosed; from `result()` what the call raised, CallTimeout, or LaneClosed.
        """
        future: Future[T] = Future()
        self.lanes.enqueue(Job(self, fn, args, timeout_s, on_overrun, future, Job.settle))
        return future

    async def run(
        self, fn: Callable[..., T], *args: Any, timeout_s: float | None = None, on_overrun: Callback | None = None
    ) -> T:
        """`submit` for coroutines. A cancelled call does not run if it has not begun, and runs to its end if it has."""
        mailbox = Mailbox.of_running_loop()
        future: asyncio.Future[T] = mailbox.loop.create_future()
        self.lanes.enqueue(Job(self, fn, args, timeout_s, on_overrun, future, mailbox.post))
        try:
            return await future
        finally:
            del future  # an error's traceback holds this frame: a cycle otherwise

    def close(self, reason: str = "it was closed") -> None:
        """Refuse the calls that wait and those to come; the one that runs goes on."""
        with self.lanes.lock:
            self.closed_because = self.closed_because or reason
            refused = list(self.jobs)
            self.jobs.clear()
        for job in refused:
            job.finish(None, LaneClosed(reason))


class _Worker(threading.Thread):
    """A thread that takes calls while it is awake, and waits for its bell while it is not."""

    def __init__(self, lanes: Lanes) -> None:
        super().__init__(name="seahaven-worker", daemon=True)
        self.bell = _new_bell()
        self.was_seen = False  # by the watchdog, in the call it is in
        self.has_left = False
        self.written_off_at = self.abort_at = 0.0
        self._lanes = lanes
        self._guard = threading.RLock()

    def run(self) -> None:
        # CallAborted may arrive anywhere until `has_left` is set, and after that only the one being sent just now.
        with suppress(CallAborted):
            while (job := self._lanes.next_job(self)) and self._perform(job):
                del job  # keeps nothing alive while it waits for the next one
        self.has_left = True
        with suppress(CallAborted), self._guard:
            _set_async_exc(threading.get_ident(), _NO_EXCEPTION)

    def _perform(self, job: Job) -> bool:
        """Run the job; false when the watchdog has ended it meanwhile and written this thread off."""
        value, error = None, None
        try:
            value = job.fn(*job.args)
        except BaseException as raised:
            error = _deliverable(raised)
        is_in_time = self._lanes.running.pop(job, None) is not None
        if is_in_time:
            job.finish(value, error)
            self._lanes.end_turn(job.lane)
        del job, value, error  # the error's traceback holds this frame: a cycle otherwise
        return is_in_time

    def abort(self, now: float) -> None:
        """Raise CallAborted in this thread, which is written off.

        A call may catch it and go on, so it is raised again; ever more seldom, since a sleep in C never notices.
        """
        self.abort_at = now + max(ABORT_EVERY_S, (now - self.written_off_at) / 20)
        if self._guard.acquire(blocking=False):
            if not self.has_left:
                _set_async_exc(self.ident, CallAborted)
            self._guard.release()


def _deliverable(raised: BaseException) -> Exception:
    """The error for whoever waits: what would end their thread or generator, a KeyboardInterrupt say, goes wrapped."""
    if isinstance(raised, Exception) and not isinstance(raised, StopIteration):
        return raised
    error = RuntimeError(f"the call raised {raised!r}")
    error.__cause__ = raised
    return error


def _new_bell() -> threading.Lock:
    """A lock that is held until somebody rings, that is, releases it; whoever waited holds it again."""
    bell = threading.Lock()
    bell.acquire()
    return bell


class _Watchdog(threading.Thread):
    """Ends the calls that run over their limit, and has stuck workers replaced; sleeps while there is no work."""

    def __init__(self, lanes: Lanes) -> None:
        super().__init__(name="seahaven-watchdog", daemon=True)
        self.written_off: list[_Worker] = []
        self._lanes = lanes
        self._bell = _new_bell()
        self._is_asleep = False
        self._looked_at = self._cpu_s = 0.0

    def run(self) -> None:
        while self._lanes.is_open or self._lanes.running or self.written_off:
            self._bell.acquire(timeout=self._rest_s())
            now = time.monotonic()
            self._end_overruns(now)
            self._abort_written_off(now)
            self._replace_stuck(now)

    def wake(self) -> None:
        """Begin to tick again. The caller holds the lock of the lanes."""
        if self._is_asleep:
            self._is_asleep = False
            self._bell.release()

    def _rest_s(self) -> float:
        with self._lanes.lock:
            self._is_asleep = not (self._lanes.ready or self._lanes.running)
        if not self._is_asleep:
            return self._lanes.patience_s
        return ABORT_EVERY_S if self.written_off else -1

    def _end_overruns(self, now: float) -> None:
        for job, worker in self._lanes.running.copy().items():
            if now >= job.deadline and self._lanes.running.pop(job, None):
                self._lanes.dismiss(worker)
                worker.written_off_at = now
                self.written_off.append(worker)
                self._time_out(job, job.timeout_s or 0.0)

    def _time_out(self, job: Job, limit_s: float) -> None:
        job.finish(None, CallTimeout(limit_s))
        job.lane.close(f"a call in it ran over its time limit of {limit_s:g} s")
        try:
            if job.on_overrun is not None:
                job.on_overrun()
        except Exception:  # what a call brings along must not end the watchdog
            logger.exception("The callback of a call that ran over its time limit failed")

    def _abort_written_off(self, now: float) -> None:
        for worker in self.written_off:
            if now >= worker.abort_at:
                worker.abort(now)
        self.written_off = [worker for worker in self.written_off if not worker.has_left]

    def _replace_stuck(self, now: float) -> None:
        """While the process computes it waits longer: calls are slow because they share, and more would share more."""
        cpu_s, since_s = time.process_time(), now - self._looked_at
        is_computing = cpu_s - self._cpu_s > since_s / 2
        if since_s >= self._lanes.patience_s * (PATIENCE_WHILE_COMPUTING if is_computing else 1):
            self._looked_at, self._cpu_s = now, cpu_s
            self._lanes.expel_stuck()
        self._lanes.recruit()


@dataclass(eq=False)
class Lanes:
    """The worker threads, and whose turn it is. The first lane starts them.

    A short `switch_interval_s` keeps a server alive under endless loops: so long a thread that computes makes the others
    wait. It is set for the whole process, see `sys.setswitchinterval`; None leaves it as it is.
    """

    base_workers: int = 2  # so many calls run at once, as long as calls are short
    max_workers: int = 1024  # so many threads at most, not counting those written off
    patience_s: float = 0.005  # a call that takes longer is long
    idle_s: float = 10.0  # a spare worker goes away after that time without work
    switch_interval_s: float | None = 0.001

    def __post_init__(self) -> None:
        self.lock = threading.Lock()
        self.is_open = True
        self.ready: deque[Lane] = deque()  # lanes that wait for their turn
        self.running: dict[Job, _Worker] = {}
        self._watchdog = _Watchdog(self)
        self._workers: set[_Worker] = set()
        self._awake: set[_Worker] = set()
        self._places = self.base_workers  # so many may be awake
        self._idle: list[_Worker] = []  # the last to rest is the first to be woken, so that spare ones age
        self._is_started = False
        self._jobs_done = 0

    def lane(self) -> Lane:
        with self.lock:
            is_first, self._is_started = not self._is_started, True
        if is_first:
            self._start()
        return Lane(self)

    def stats(self) -> dict[str, int]:
        """How many threads there are and what they do; `written_off` are those still in a call that ran over."""
        return {
            "workers": len(self._workers),
            "busy": len(self.running),
            "queued": sum(len(lane.jobs) for lane in self._busy_lanes()),
            "written_off": len(self._watchdog.written_off),
            "jobs_done": self._jobs_done,
        }

    def shutdown(self, wait_s: float = 5.0) -> None:
        """Refuse the calls that wait and those to come, and give those that run some time to end."""
        with self.lock:
            self.is_open = False
            workers = list(self._workers)
            while self._idle:
                self._wake(self._idle.pop())
            self._watchdog.wake()
        for lane in self._busy_lanes():
            lane.close("the server is shutting down")
        until = time.monotonic() + wait_s
        for worker in workers:
            worker.join(max(0.0, until - time.monotonic()))

    def _start(self) -> None:
        if self.switch_interval_s is not None:
            sys.setswitchinterval(self.switch_interval_s)
        self._workers.update(_Worker(self) for _ in range(self.base_workers))
        for thread in [*self._workers, self._watchdog]:
            thread.start()

    def _busy_lanes(self) -> set[Lane]:
        with self.lock:
            return {*self.ready, *(job.lane for job in self.running.copy())}

    def enqueue(self, job: Job) -> None:
        lane = job.lane
        with self.lock:
            if lane.closed_because is not None or not self.is_open:
                raise LaneClosed(lane.closed_because or "the server is shutting down")
            lane.jobs.append(job)
            if lane.takes_turns:
                return
            lane.takes_turns = True
            self.ready.append(lane)
            if self._idle and len(self._awake) < self._places:
                self._wake(self._idle.pop())
            self._watchdog.wake()

    def _wake(self, worker: _Worker) -> None:
        self._awake.add(worker)
        worker.was_seen = False
        worker.bell.release()

    def next_job(self, worker: _Worker) -> Job | None:
        """The call whose turn it is, once there is one and a place for the worker; None sends the worker home."""
        while True:
            with self.lock:
                if not self.is_open:
                    break
                has_place = len(self._awake) + (worker not in self._awake) <= self._places
                if has_place and (job := self._take()):
                    self._awake.add(worker)
                    self.running[job] = worker
                    worker.was_seen = False
                    return job
                self._awake.discard(worker)
                self._idle.append(worker)
            if not self._waits_for_bell(worker):
                break
        self.dismiss(worker)
        return None

    def _take(self) -> Job | None:
        while self.ready:
            lane = self.ready.popleft()
            while lane.jobs:
                job = lane.jobs.popleft()
                if not job.future.cancelled():
                    if job.timeout_s is not None:
                        job.deadline = time.monotonic() + job.timeout_s
                    return job
            lane.takes_turns = False
        return None

    def _waits_for_bell(self, worker: _Worker) -> bool:
        while not worker.bell.acquire(timeout=self.idle_s):
            with self.lock:
                if worker in self._idle and len(self._idle) > self.base_workers:
                    self._idle.remove(worker)
                    return False
        return True

    def end_turn(self, lane: Lane) -> None:
        with self.lock:
            self._jobs_done += 1
            lane.takes_turns = bool(lane.jobs)
            if lane.jobs:
                self.ready.append(lane)

    def dismiss(self, worker: _Worker) -> None:
        with self.lock:
            self._awake.discard(worker)
            self._workers.discard(worker)

    def expel_stuck(self) -> None:
        """Take the places of the workers that are in the call they were in at the last look, if others wait.

        When that is all of them, places double for a while: a hundred sleeping calls need a hundred workers.
        """
        with self.lock:
            stuck = {worker for worker in self._awake if worker.was_seen and self.ready}
            is_standstill = bool(stuck) and stuck == self._awake
            self._places = min(2 * self._places, self.max_workers) if is_standstill else self.base_workers
            self._awake -= stuck
            for worker in self._awake:
                worker.was_seen = True

    def recruit(self) -> None:
        """Fill the free places while calls wait."""
        with self.lock:
            free = min(len(self.ready), self._places - len(self._awake))
            hired = [_Worker(self) for _ in range(min(free - len(self._idle), self.max_workers - len(self._workers)))]
            for _ in range(min(free, len(self._idle))):
                self._wake(self._idle.pop())
            self._workers.update(hired)
            self._awake.update(hired)
        for worker in hired:
            try:
                worker.start()
            except RuntimeError:  # the system gives no more threads; the next tick asks again
                self.dismiss(worker)
