"""On which thread does a call run, and for how long?

Every instance has a lane, a queue of calls that run one after the other. All lanes share a pool of worker threads and
take turns, one call a turn. Threads share one interpreter lock, so each one more slows the others: only a few workers
are *awake*, that is, may take calls. A watchdog has those that are stuck in long calls while others wait replaced by
spare ones, and ends the calls that run over their time limit. Whoever takes a job out of `Lanes.running`, its worker or
the watchdog, says how it ended; the worker that comes too late is *written off*: it touches nothing any more, so it may
be interrupted wherever it is.
"""

from __future__ import annotations

import asyncio
import logging
import math
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from ctypes import PYFUNCTYPE, c_int, c_ulong, py_object, pythonapi
from dataclasses import dataclass, field
from typing import Any, TypeVar

from worlds.engine.errors import CallTimeout, InstanceClosed
from worlds.engine.jobs import Job, Mailbox

T = TypeVar("T")
Hook = Callable[[], object] | None
Limit = float | None  # seconds

ABORT_EVERY_S = 0.05
PATIENCE_WHILE_COMPUTING = 10

_set_async_exc = PYFUNCTYPE(c_int, c_ulong, py_object)(("PyThreadState_SetAsyncExc", pythonapi))


class CallAborted(BaseException):
    """Raised inside a call that ran over its time limit, so that its thread comes to an end."""


class LaneClosed(InstanceClosed):
    """The lane takes no more calls; the message says why."""


@dataclass(slots=True, eq=False)
class Lane:
    """A queue of calls that run one after the other, in the order they came."""

    lanes: Lanes
    jobs: deque[Job] = field(default_factory=deque)
    takes_turns: bool = False  # it has its turn or waits for it, and so comes back to its queue by itself
    closed_because: str | None = None

    def submit(self, fn: Callable[..., T], *args: Any, timeout_s: Limit = None, on_overrun: Hook = None) -> Future[T]:
        """Queue `fn(*args)`; `result()` of the future waits for the outcome.

        Units:  `timeout_s` counts from the moment the call begins.
        Calls:  `on_overrun` once, on the watchdog's thread, when the limit is passed; it must not block.
        Raises: LaneClosed; from `result()` what the call raised, CallTimeout, or LaneClosed.
        """
        future: Future[T] = Future()
        self.lanes.enqueue(Job(self, fn, args, timeout_s, on_overrun, future, Job.settle))
        return future

    async def run(self, fn: Callable[..., T], *args: Any, timeout_s: Limit = None, on_overrun: Hook = None) -> T:
        """`submit` for coroutines. A cancelled call does not run if it has not begun, and runs to its end if it has."""
        mailbox = Mailbox.of_running_loop()
        future: asyncio.Future[T] = mailbox.loop.create_future()
        self.lanes.enqueue(Job(self, fn, args, timeout_s, on_overrun, future, mailbox.post), rouses=False)
        mailbox.expect(self.lanes)
        try:
            return await future
        finally:
            del future  # an error's traceback holds this frame: a cycle otherwise

    def close(self, reason: str = "the lane was closed") -> None:
        """Refuse the calls that wait and those to come; the one that runs goes on."""
        with self.lanes.lock, suppress(ValueError):  # it does not wait for its turn
            self.closed_because = self.closed_because or reason
            refused, self.jobs = self.jobs, deque()
            self.lanes.ready.remove(self)
        for job in refused:
            job.finish(None, LaneClosed(reason))


class _Worker(threading.Thread):
    """A thread that takes calls while it is awake, and waits for its bell while it is not."""

    def __init__(self, lanes: Lanes) -> None:
        super().__init__(name="seahaven-worker", daemon=True)
        self.bell = threading.Lock()  # rung by releasing it
        self.bell.acquire()
        self.was_seen = False  # by the watchdog, in the call it is in
        self.has_left = False
        self._lanes = lanes
        self._guard = threading.RLock()

    def run(self) -> None:
        # CallAborted may arrive anywhere until `has_left` is set, and after that only the one being sent just now.
        with suppress(CallAborted):
            try:
                while (job := self._lanes.next_job(self)) and self._perform(job):
                    del job  # keeps nothing alive while it waits for the next one
            finally:
                self.has_left = True
                with self._guard:
                    # Takes the place of one that has not arrived yet, and arrives at once. Taking that one back with
                    # NULL would leave CPython 3.11 looking for it at every jump of every thread from then on.
                    _set_async_exc(threading.get_ident(), CallAborted)
                    while True:
                        pass

    def abort(self) -> None:
        """Raise CallAborted in this thread, which is written off."""
        if self._guard.acquire(blocking=False):
            if not self.has_left:
                _set_async_exc(self.ident, CallAborted)
            self._guard.release()

    def _perform(self, job: Job) -> bool:
        """Run the job; false when the watchdog has ended it meanwhile and written this thread off."""
        value, error = None, None
        try:
            value = None if job.future.cancelled() else job.fn(*job.args)
        except BaseException as raised:
            error = _deliverable(raised)
        if is_in_time := self._lanes.running.pop(job, None) is not None:
            job.finish(value, error)
            self._lanes.end_turn(job.lane)
        del job, value, error  # the error's traceback holds this frame: a cycle otherwise
        return is_in_time


def _deliverable(raised: BaseException) -> Exception:
    """The error for whoever waits: what would end their thread or generator, a KeyboardInterrupt say, goes wrapped."""
    if isinstance(raised, Exception) and not isinstance(raised, StopIteration):
        return raised
    return RuntimeError(f"the call raised {raised!r}").with_traceback(raised.__traceback__)


class _Watchdog(threading.Thread):
    """Ends the calls that run over their limit, and has stuck workers replaced; sleeps while there is no work."""

    def __init__(self, lanes: Lanes) -> None:
        super().__init__(name="seahaven-watchdog", daemon=True)
        self.written_off: list[_Worker] = []
        self._lanes = lanes
        self._bell = threading.Lock()
        self._bell.acquire()
        self._is_asleep = False
        self._looked_at = self._cpu_s = self._abort_at = 0.0

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
            self._is_asleep = not (self._lanes.ready or self._lanes.running) and self._lanes.is_open
        if not self._is_asleep:
            return self._lanes.patience_s
        return ABORT_EVERY_S if self.written_off else -1

    def _end_overruns(self, now: float) -> None:
        for job, worker in self._lanes.running.copy().items():
            if now >= job.deadline and self._lanes.running.pop(job, None) is not None:
                self._lanes.dismiss(worker)
                self.written_off.append(worker)
                self._time_out(job, job.timeout_s or 0.0)

    def _time_out(self, job: Job, limit_s: float) -> None:
        job.finish(None, CallTimeout(limit_s))
        job.lane.close(f"a call in the lane ran over its time limit of {limit_s:g} s")
        try:
            if job.on_overrun is not None:
                job.on_overrun()
        except Exception:  # what a call brings along must not end the watchdog
            logging.getLogger(__name__).exception("The callback of a call that ran over its time limit failed")

    def _abort_written_off(self, now: float) -> None:
        """Again and again, since a call may catch the exception and go on; the more there are the more seldom."""
        if self.written_off and now >= self._abort_at:
            self._abort_at = now + ABORT_EVERY_S * (1 + len(self.written_off) // 20)
            for worker in self.written_off:
                worker.abort()
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
    """The worker threads, and whose turn it is. The first lane starts them."""

    base_workers: int = 1  # so many calls run at once, as long as calls are short: more would share one lock
    max_workers: int = 1024  # so many threads at most, not counting those written off
    patience_s: float = 0.005  # a call that takes longer is long
    idle_s: float = 10.0  # a spare worker goes away after that time without work
    switch_interval_s: float = 0.0005  # how long a thread that computes makes others wait, in the whole process

    def __post_init__(self) -> None:
        self.lock = threading.Lock()
        self.is_open = True
        self.ready: deque[Lane] = deque()  # lanes that wait for their turn
        self.running: dict[Job, _Worker] = {}
        self._workers: set[_Worker] = set()
        self._awake: set[_Worker] = set()
        self._places = self.base_workers  # so many may be awake
        self._idle: list[_Worker] = []  # the last to rest is the first to be woken, so that spare ones age
        self._jobs_done = 0
        self._watchdog = _Watchdog(self)

    def lane(self) -> Lane:
        with self.lock:
            if self._watchdog.ident is None:
                sys.setswitchinterval(self.switch_interval_s)
                self._workers = {_Worker(self) for _ in range(self.base_workers)}
                for thread in [*self._workers, self._watchdog]:
                    thread.start()
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
            while self._idle:
                self._wake(self._idle.pop())
            self._watchdog.wake()
        for lane in self._busy_lanes():
            lane.close("the lanes are shut down")
        until = time.monotonic() + wait_s
        for worker in filter(_Worker.is_alive, self._workers.copy()):
            worker.join(max(0.0, until - time.monotonic()))

    def _busy_lanes(self) -> set[Lane]:
        with self.lock:
            return {*self.ready, *(job.lane for job in self.running.copy())}

    def enqueue(self, job: Job, *, rouses: bool = True) -> None:
        lane = job.lane
        with self.lock:
            if lane.closed_because is not None or not self.is_open:
                raise LaneClosed(lane.closed_because or "the lanes are shut down")
            lane.jobs.append(job)
            if lane.takes_turns:
                return
            lane.takes_turns = True
            self.ready.append(lane)
            if rouses and self._idle and len(self._awake) < self._places:
                self._wake(self._idle.pop())
            self._watchdog.wake()

    def rouse(self) -> None:
        """Wake a worker for the calls that wait."""
        with self.lock:
            if self.ready and self._idle and len(self._awake) < self._places:
                self._wake(self._idle.pop())

    def _wake(self, worker: _Worker) -> None:
        self._awake.add(worker)
        worker.was_seen = False
        worker.bell.release()

    def next_job(self, worker: _Worker) -> Job | None:
        """The call whose turn it is, once there is one and a place for the worker; None sends the worker home."""
        while True:
            with self.lock:
                if self.ready and len(self._awake) + (worker not in self._awake) <= self._places:
                    self._awake.add(worker)
                    worker.was_seen = False
                    job = self.ready.popleft().jobs.popleft()
                    job.deadline = math.inf if job.timeout_s is None else time.monotonic() + job.timeout_s
                    self.running[job] = worker
                    return job
                self._awake.discard(worker)
                self._idle.append(worker)
            if not self._waits_for_bell(worker):
                self.dismiss(worker)
                return None

    def _waits_for_bell(self, worker: _Worker) -> bool:
        while self.is_open and not worker.bell.acquire(timeout=self.idle_s):
            with self.lock:
                if worker in self._idle and len(self._idle) > self.base_workers:
                    self._idle.remove(worker)
                    return False
        return self.is_open

    def end_turn(self, lane: Lane) -> None:
        with self.lock:
            self._jobs_done += 1
            lane.takes_turns = bool(lane.jobs)
            if lane.jobs:
                self.ready.append(lane)
                self._watchdog.wake()

    def dismiss(self, worker: _Worker) -> None:
        with self.lock:
            self._awake.discard(worker)
            self._workers.discard(worker)

    def expel_stuck(self) -> None:
        """If calls wait, take the places of workers still in the call of the last look; double them if all are."""
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
