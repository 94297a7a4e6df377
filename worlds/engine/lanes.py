"""On which thread does a call run, and for how long?

Every instance has a lane: a queue of calls that run one after the other. All lanes share one pool of worker threads and
take turns, one call a turn, so a lane with a thousand calls waiting delays nobody.

Python threads share one interpreter lock, and each thread more that wants it makes all of them slower. So only a few
workers are *awake*, that is, may take calls. A watchdog looks on: workers that are stuck in long calls while others wait
lose their places to spare ones, and lie down when they come back. The watchdog also ends calls that run over their time
limit; whoever takes a job out of `Lanes._running`, the worker or the watchdog, decides how the job ended.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import logging
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from worlds.engine.errors import CallTimeout, InstanceClosed

T = TypeVar("T")
Callback = Callable[[], object]

ABORT_EVERY_S = 0.05
ABORT_SELDOM_S = 1.0
ABORTS_BEFORE_SELDOM = 40
PATIENCE_WHILE_COMPUTING = 10
QUIET_TICKS_BEFORE_SLEEP = 20
NO_THREAD_PAUSE_S = 1.0

logger = logging.getLogger(__name__)
_set_async_exc = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_ulong, ctypes.py_object)(
    ("PyThreadState_SetAsyncExc", ctypes.pythonapi)
)
_NO_EXCEPTION: Any = ctypes.py_object()  # NULL: takes back an exception that has not arrived yet


class CallAborted(BaseException):
    """Raised inside a call that ran over its time limit, so that its thread comes to an end."""


class LaneClosed(InstanceClosed):
    """The lane takes no more calls: it was closed, or a call in it ran over its time limit."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"This lane takes no more calls: {reason}. Open a new instance.")


class Job(Generic[T]):
    """One call in a lane: what to run, and how it ended."""

    __slots__ = ("_latch", "args", "deadline", "error", "fn", "lane", "on_overrun", "timeout_s", "value")

    def __init__(
        self, lane: Lane, fn: Callable[..., T], args: tuple[Any, ...], timeout_s: float | None, on_overrun: Callback | None
    ) -> None:
        self.lane = lane
        self.fn: Callable[..., T] | None = fn
        self.args = args
        self.timeout_s = timeout_s
        self.on_overrun = on_overrun
        self.deadline: float | None = None
        self.value: T | None = None
        self.error: BaseException | None = None
        self._prepare()

    def result(self, timeout: float | None = None) -> T:
        """What the call returned; raises what the call raised, or TimeoutError while it has not ended."""
        if not self._latch.acquire(timeout=-1 if timeout is None else timeout):
            raise TimeoutError(f"the call has not ended after {timeout:g} s")
        self._latch.release()
        try:
            if self.error is not None:
                raise self.error
            return self.value  # type: ignore[return-value]
        finally:
            del self  # the error's traceback holds this frame: a cycle otherwise

    def finish(self, value: T | None, error: BaseException | None) -> None:
        """Keep the outcome, and nothing that led to it."""
        self.fn = self.on_overrun = None
        self.args = ()
        self.value, self.error = value, error
        self._announce()

    def _prepare(self) -> None:
        self._latch = threading.Lock()  # held until there is an outcome; far cheaper than an Event
        self._latch.acquire()

    def _announce(self) -> None:
        self._latch.release()


class AwaitedJob(Job[T]):
    """A call whose outcome goes to a coroutine."""

    __slots__ = ("_mailbox", "future")

    def settle(self) -> None:
        """Hand the outcome to the coroutine, unless that was cancelled meanwhile. Runs on the coroutine's own loop."""
        if self.future.done():
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.value)  # type: ignore[arg-type]

    def _prepare(self) -> None:
        self._mailbox = Mailbox.of_running_loop()
        self.future: asyncio.Future[T] = self._mailbox.loop.create_future()

    def _announce(self) -> None:
        self._mailbox.post(self)


class Mailbox:
    """Outcomes on their way to one event loop: all that come in while it is busy cost it one wake-up."""

    _here = threading.local()  # a thread runs one loop at a time

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._jobs: deque[AwaitedJob[Any]] = deque()
        self._is_rung = False

    @classmethod
    def of_running_loop(cls) -> Mailbox:
        loop = asyncio.get_running_loop()
        mailbox: Mailbox | None = getattr(cls._here, "mailbox", None)
        if mailbox is None or mailbox.loop is not loop:
            mailbox = cls._here.mailbox = cls(loop)
        return mailbox

    def post(self, job: AwaitedJob[Any]) -> None:
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


class Lane:
    """A queue of calls that run one after the other, in the order they came."""

    __slots__ = ("_lanes", "closed_because", "is_taking_turns", "jobs")

    def __init__(self, lanes: Lanes) -> None:
        self._lanes = lanes
        self.jobs: deque[Job[Any]] = deque()
        self.is_taking_turns = False  # waits for its turn or has it, and so comes back to its queue by itself
        self.closed_because: str | None = None

    def submit(
        self, fn: Callable[..., T], *args: Any, timeout_s: float | None = None, on_overrun: Callback | None = None
    ) -> Job[T]:
        """Queue `fn(*args)`; the job's `result()` waits for the outcome.

        Units:  `timeout_s` counts from the moment the call begins.
        Calls:  `on_overrun` once, on the watchdog's thread, when the limit is passed; it must not block.
        Raises: LaneClosed. The job itself: what the call raised, CallTimeout, or LaneClosed.
        """
        job = Job(self, fn, args, timeout_s, on_overrun)
        self._lanes.enqueue(job)
        return job

    async def run(
        self, fn: Callable[..., T], *args: Any, timeout_s: float | None = None, on_overrun: Callback | None = None
    ) -> T:
        """`submit` for coroutines. A cancelled call does not run if it has not begun, and runs to its end if it has."""
        job = AwaitedJob(self, fn, args, timeout_s, on_overrun)
        self._lanes.enqueue(job)
        try:
            return await job.future
        except asyncio.CancelledError:
            self._lanes.withdraw(job)
            raise
        finally:
            del job  # an error's traceback holds this frame: a cycle otherwise

    def close(self, reason: str = "it was closed") -> None:
        """Refuse the calls that wait and those to come; the one that runs goes on."""
        self._lanes.close(self, reason)


class _Worker(threading.Thread):
    """A thread that takes calls while it is awake, and waits for its bell while it is not."""

    def __init__(self, lanes: Lanes) -> None:
        super().__init__(name="seahaven-worker", daemon=True)
        self.bell = threading.Lock()
        self.bell.acquire()
        self.turns = 0
        self.turns_seen: int | None = None
        self.has_left = False
        self.abort_at = 0.0
        self._lanes = lanes
        self._aborts = 0
        self._guard = threading.RLock()

    def run(self) -> None:
        # CallAborted arrives between any two steps until `has_left` is set; from then on at most the one under way does.
        with contextlib.suppress(CallAborted):
            self._work()
        self.has_left = True
        with contextlib.suppress(CallAborted), self._guard:
            _set_async_exc(threading.get_ident(), _NO_EXCEPTION)

    def abort(self, now: float) -> None:
        """Raise CallAborted in this thread, which runs a call that was taken from it and will take no other.

        A call may catch the exception and go on, so this is done again and again; seldom in the end, since a thread that
        sleeps in C may never notice.
        """
        self._aborts += 1
        self.abort_at = now + (ABORT_EVERY_S if self._aborts < ABORTS_BEFORE_SELDOM else ABORT_SELDOM_S)
        if self._guard.acquire(blocking=False):
            try:
                if not self.has_left:
                    _set_async_exc(self.ident, CallAborted)
            finally:
                self._guard.release()

    def _work(self) -> None:
        while True:
            job = self._lanes.next_job(self)
            if job is None:
                if not self._lanes.rest(self):
                    return
            elif not self._perform(job):
                return
            del job  # keeps nothing alive while it rests

    def _perform(self, job: Job[Any]) -> bool:
        """Run the job; false when the watchdog ended it meanwhile, and this thread is not to touch anything any more."""
        value, error = None, None
        try:
            try:
                value = job.fn(*job.args)  # type: ignore[misc]
            except BaseException as raised:
                error = _deliverable(raised)
            if not self._lanes.take_back(job):
                return False
            job.finish(value, error)
            self._lanes.end_turn(job.lane)
            return True
        finally:
            del job, value, error  # the error's traceback holds this frame: a cycle otherwise


def _deliverable(raised: BaseException) -> Exception:
    """The error for whoever waits: what would end their thread or generator, a KeyboardInterrupt say, goes wrapped."""
    if isinstance(raised, Exception) and not isinstance(raised, StopIteration):
        return raised
    error = RuntimeError(f"the call raised {raised!r}")
    error.__cause__ = raised
    return error


class _Watchdog(threading.Thread):
    """Ends the calls that run over their limit and has stuck workers replaced; sleeps while there is no work."""

    def __init__(self, lanes: Lanes, patience_s: float) -> None:
        super().__init__(name="seahaven-watchdog", daemon=True)
        self.written_off: list[_Worker] = []
        self._lanes = lanes
        self._patience_s = patience_s
        self._bell = threading.Lock()
        self._bell.acquire()
        self._is_asleep = False
        self._quiet_ticks = 0
        self._looked_at, self._cpu_s = 0.0, 0.0
        self._recruit_at = 0.0

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
            has_work = bool(self._lanes.ready or self._lanes.running)
            self._quiet_ticks = 0 if has_work else self._quiet_ticks + 1
            self._is_asleep = self._quiet_ticks > QUIET_TICKS_BEFORE_SLEEP
            if not self._is_asleep:
                return self._patience_s
            return ABORT_SELDOM_S if self.written_off else -1

    def _end_overruns(self, now: float) -> None:
        for job, worker in self._lanes.running.copy().items():
            if job.deadline is not None and now >= job.deadline and self._lanes.take_back(job):
                self._write_off(worker, job, job.timeout_s or 0.0, job.on_overrun)

    def _write_off(self, worker: _Worker, job: Job[Any], limit_s: float, on_overrun: Callback | None) -> None:
        self._lanes.dismiss(worker)
        self.written_off.append(worker)
        job.finish(None, CallTimeout(limit_s))
        job.lane.close(f"a call in it ran over its time limit of {limit_s:g} s")
        try:
            if on_overrun is not None:
                on_overrun()
        except Exception:  # nothing that a call brings along may end the watchdog
            logger.exception("The callback of a call that ran over its time limit failed.")

    def _abort_written_off(self, now: float) -> None:
        for worker in self.written_off:
            if now >= worker.abort_at:
                worker.abort(now)
        self.written_off = [worker for worker in self.written_off if not worker.has_left]

    def _replace_stuck(self, now: float) -> None:
        """Computing workers are given more time: they are slow because they share, and one more would make them slower."""
        cpu_s = time.process_time()
        since_s = now - self._looked_at
        is_computing = cpu_s - self._cpu_s > since_s / 2
        if since_s >= self._patience_s * (PATIENCE_WHILE_COMPUTING if is_computing else 1):
            self._looked_at, self._cpu_s = now, cpu_s
            self._lanes.expel_stuck()
        if now >= self._recruit_at and not self._lanes.recruit():
            self._recruit_at = now + NO_THREAD_PAUSE_S


class Lanes:
    """The worker threads, the lanes they serve, and the watchdog.

    base_workers:      so many calls run at once as long as calls are short.
    max_workers:       so many threads at most, not counting those written off.
    patience_s:        a call that takes longer is long; ten times that while the process is busy computing.
    idle_s:            a spare worker goes away after that time without work.
    switch_interval_s: see `sys.setswitchinterval`, which is set for the whole process: how long an endless loop keeps
                       the interpreter lock while others want it; None leaves it as it is.
    """

    def __init__(
        self,
        base_workers: int = 2,
        max_workers: int = 1024,
        *,
        patience_s: float = 0.005,
        idle_s: float = 10.0,
        switch_interval_s: float | None = 0.001,
    ) -> None:
        self._base_workers = base_workers
        self._max_workers = max_workers
        self._idle_s = idle_s
        self._switch_interval_s = switch_interval_s
        self._watchdog = _Watchdog(self, patience_s)
        self._workers: set[_Worker] = set()
        self._awake: set[_Worker] = set()
        self._places = base_workers  # so many may be awake
        self._idle: list[_Worker] = []  # the last to lie down is the first to be woken, so that spare ones age
        self._jobs_done = 0
        self._is_started = False
        self.is_open = True
        self.lock = threading.Lock()
        self.ready: deque[Lane] = deque()  # lanes that wait for their turn
        self.running: dict[Job[Any], _Worker] = {}

    def __enter__(self) -> Lanes:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.shutdown()

    def lane(self) -> Lane:
        """A new lane; the first one starts the threads."""
        with self.lock:
            is_first, self._is_started = not self._is_started, True
        if is_first:
            self._start()
        return Lane(self)

    def stats(self) -> dict[str, int]:
        """How many threads there are and what they do; `written_off` are those still in a call that ran over."""
        with self.lock:
            return {
                "workers": len(self._workers),
                "busy": len(self.running),
                "queued": sum(len(lane.jobs) for lane in self._busy_lanes()),
                "written_off": len(self._watchdog.written_off),
                "jobs_done": self._jobs_done,
            }

    def shutdown(self, wait_s: float = 5.0) -> bool:
        """Refuse the calls that wait, and wait for those that run; false when some still run after `wait_s`."""
        with self.lock:
            self.is_open = False
            lanes, workers = self._busy_lanes(), list(self._workers)
            while self._idle:
                self._idle.pop().bell.release()
            self._watchdog.wake()
        for lane in lanes:
            lane.close("the server is shutting down")
        until = time.monotonic() + wait_s
        for worker in workers:
            worker.join(max(0.0, until - time.monotonic()))
        return not any(worker.is_alive() for worker in workers)

    def _start(self) -> None:
        if self._switch_interval_s is not None:
            sys.setswitchinterval(self._switch_interval_s)
        workers = [_Worker(self) for _ in range(self._base_workers)]
        self._workers.update(workers)
        for thread in [*workers, self._watchdog]:
            thread.start()

    def _busy_lanes(self) -> set[Lane]:
        return {*self.ready, *(job.lane for job in self.running.copy())}

    # What lanes ask for.

    def enqueue(self, job: Job[Any]) -> None:
        lane = job.lane
        with self.lock:
            if lane.closed_because is not None or not self.is_open:
                raise LaneClosed(lane.closed_because or "the server is shutting down")
            lane.jobs.append(job)
            if lane.is_taking_turns:
                return
            lane.is_taking_turns = True
            self.ready.append(lane)
            if self._idle and len(self._awake) < self._places:
                self._wake(self._idle.pop())
            self._watchdog.wake()

    def withdraw(self, job: Job[Any]) -> None:
        with self.lock, contextlib.suppress(ValueError):  # it has begun
            job.lane.jobs.remove(job)

    def close(self, lane: Lane, reason: str) -> None:
        with self.lock:
            lane.closed_because = lane.closed_because or reason
            refused = list(lane.jobs)
            lane.jobs.clear()
        for job in refused:
            job.finish(None, LaneClosed(reason))

    # What workers ask for.

    def next_job(self, worker: _Worker) -> Job[Any] | None:
        """The call whose turn it is; None when there is none, or no place for the worker, which is to rest."""
        with self.lock:
            if self.is_open and len(self._awake) + (worker not in self._awake) <= self._places:
                while self.ready:
                    lane = self.ready.popleft()
                    if lane.jobs:
                        return self._begin(worker, lane.jobs.popleft())
                    lane.is_taking_turns = False  # its calls were withdrawn
            self._awake.discard(worker)
            self._idle.append(worker)
            return None

    def rest(self, worker: _Worker) -> bool:
        """Wait for the worker's bell; false when it is to go home instead."""
        while self.is_open:
            if worker.bell.acquire(timeout=self._idle_s):
                return True
            with self.lock:
                is_spare = worker in self._idle and len(self._idle) > self._base_workers
                if is_spare:
                    self._idle.remove(worker)
            if is_spare:
                break
        self.dismiss(worker)
        return False

    def take_back(self, job: Job[Any]) -> bool:
        """Whether it is for the caller to end the job: true once. One dict operation, so it needs no lock."""
        return self.running.pop(job, None) is not None

    def end_turn(self, lane: Lane) -> None:
        with self.lock:
            self._jobs_done += 1
            lane.is_taking_turns = bool(lane.jobs)
            if lane.jobs:
                self.ready.append(lane)

    def _begin(self, worker: _Worker, job: Job[Any]) -> Job[Any]:
        self._awake.add(worker)
        worker.turns += 1
        if job.timeout_s is not None:
            job.deadline = time.monotonic() + job.timeout_s
        self.running[job] = worker
        return job

    def _wake(self, worker: _Worker) -> None:
        self._awake.add(worker)
        worker.turns_seen = None
        worker.bell.release()

    # What the watchdog asks for.

    def dismiss(self, worker: _Worker) -> None:
        with self.lock:
            self._awake.discard(worker)
            self._workers.discard(worker)

    def expel_stuck(self) -> None:
        """Take the place of every worker that is still in the call it was in at the last look, when others wait.

        When that is all of them there are more places for a while: a hundred sleeping calls need a hundred workers.
        """
        with self.lock:
            stuck = {worker for worker in self._awake if self.ready and worker.turns == worker.turns_seen}
            is_standstill = bool(stuck) and stuck == self._awake
            self._places = min(2 * self._places, self._max_workers) if is_standstill else self._base_workers
            self._awake -= stuck
            for worker in self._awake:
                worker.turns_seen = worker.turns

    def recruit(self) -> bool:
        """Fill free places while calls wait; false when the system gives no more threads."""
        recruits = []
        with self.lock:
            for _ in range(min(len(self.ready), self._places - len(self._awake))):
                if self._idle:
                    self._wake(self._idle.pop())
                elif len(self._workers) < self._max_workers:
                    recruits.append(_Worker(self))
                    self._workers.add(recruits[-1])
                    self._awake.add(recruits[-1])
        while recruits:
            try:
                recruits[-1].start()
                recruits.pop()
            except RuntimeError:
                ...
        return True
