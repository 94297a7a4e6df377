import asyncio
import gc
import logging
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import weakref
from collections import Counter
from concurrent.futures import wait
from pathlib import Path

import pytest

from worlds.engine.errors import CallTimeout, ToolError
from worlds.engine.lanes import CallAborted, LaneClosed, Lanes

PROMPTLY_S = 10  # on a machine that is busy with something else


@pytest.fixture
def new_lanes():
    made, interval = [], sys.getswitchinterval()

    def make(**options) -> Lanes:
        made.append(Lanes(**options))
        return made[-1]

    yield make
    for lanes in made:
        lanes.shutdown(wait_s=PROMPTLY_S)
        eventually(lambda lanes=lanes: lanes.stats()["written_off"] == 0)
    sys.setswitchinterval(interval)


@pytest.fixture
def lanes(new_lanes) -> Lanes:
    return new_lanes()


@pytest.fixture
def gate():
    """What the calls of a test wait for; open at the end in any case."""
    gate = threading.Event()
    yield gate
    gate.set()


def eventually(condition) -> None:
    until = time.monotonic() + PROMPTLY_S
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.002)


def loop_forever():
    while True:
        pass


def fail(error):
    raise error


def compute(seconds):
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        pass


# Whose turn it is.


def test_calls_of_a_lane_run_one_after_the_other_in_order(new_lanes):
    lane, seen, inside = new_lanes(base_workers=4).lane(), [], []

    def call(number):
        inside.append(number)
        time.sleep(0.0001)
        assert inside == [number]
        inside.clear()
        seen.append(number)

    for future in [lane.submit(call, number) for number in range(200)]:
        future.result(PROMPTLY_S)
    assert seen == list(range(200))


def test_lanes_run_in_parallel(lanes):
    both = threading.Barrier(2)
    for future in [lanes.lane().submit(both.wait, PROMPTLY_S) for _ in range(2)]:
        future.result(PROMPTLY_S)


def test_lanes_take_turns_however_many_calls_one_of_them_has(new_lanes, gate):
    lanes = new_lanes(base_workers=1, max_workers=1)
    seen: list[str] = []
    lanes.lane().submit(gate.wait)
    busy, calm, other = lanes.lane(), lanes.lane(), lanes.lane()
    for _ in range(1000):
        busy.submit(seen.append, "busy")
    for _ in range(2):
        calm.submit(seen.append, "calm")
        other.submit(seen.append, "other")
    last = busy.submit(seen.append, "busy")
    gate.set()
    last.result(PROMPTLY_S)
    assert seen[:7] == ["busy", "calm", "other"] * 2 + ["busy"]


def test_calls_that_block_do_not_delay_other_lanes(lanes, gate):
    blocked = [lanes.lane().submit(gate.wait) for _ in range(50)]
    assert lanes.lane().submit(str, 7).result(PROMPTLY_S) == "7"
    eventually(lambda: lanes.stats()["busy"] == 50)
    assert not any(future.done() for future in blocked)


def test_spare_workers_go_away_when_they_are_idle(new_lanes, gate):
    lanes = new_lanes(idle_s=0.05)
    blocked = [lanes.lane().submit(gate.wait) for _ in range(20)]
    eventually(lambda: lanes.stats()["busy"] == 20)
    threads = threading.active_count()
    assert lanes.stats()["workers"] >= 20
    gate.set()
    wait(blocked)
    eventually(lambda: lanes.stats()["workers"] == 1)
    eventually(lambda: threading.active_count() <= threads - 19)


def test_there_are_never_more_workers_than_allowed(new_lanes, gate):
    lanes = new_lanes(max_workers=3)
    blocked = [lanes.lane().submit(gate.wait) for _ in range(10)]
    eventually(lambda: lanes.stats()["busy"] == 3)
    time.sleep(0.05)
    assert lanes.stats() == {"workers": 3, "busy": 3, "queued": 7, "written_off": 0, "jobs_done": 0}
    gate.set()
    wait(blocked)
    eventually(lambda: lanes.stats()["jobs_done"] == 10)


def test_the_watchdog_sleeps_when_there_is_nothing_to_watch(lanes):
    lanes.lane().submit(int).result(PROMPTLY_S)
    eventually(lambda: lanes._watchdog._is_asleep)
    with pytest.raises(CallTimeout):
        lanes.lane().submit(loop_forever, timeout_s=0.05).result(PROMPTLY_S)


def test_a_shut_down_refuses_what_waits_and_lets_what_runs_end(lanes, gate):
    lane = lanes.lane()
    running, waiting = lane.submit(gate.wait), lane.submit(int)
    eventually(lambda: lanes.stats()["busy"] == 1)
    threading.Timer(0.05, gate.set).start()
    lanes.shutdown(wait_s=PROMPTLY_S)
    assert running.result(0) is True
    with pytest.raises(LaneClosed, match="the lanes are shut down"):
        waiting.result(0)
    with pytest.raises(LaneClosed, match="the lanes are shut down"):
        lane.submit(int)
    assert lanes.stats()["workers"] == 0


# How a call ends.


async def test_a_coroutine_awaits_what_its_call_returns(lanes):
    assert await lanes.lane().run(divmod, 7, 2) == (3, 1)


async def test_errors_arrive_as_they_are_with_their_traceback(lanes):
    error = ToolError("not_found", "No such lead.", key="L-1")
    with pytest.raises(ToolError, match="No such lead.") as caught:
        await lanes.lane().run(fail, error)
    assert caught.value is error
    assert caught.traceback[-1].name == "fail"


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt(), SystemExit(1), StopIteration(), asyncio.CancelledError(), CallAborted()]
)
async def test_what_would_end_whoever_waits_arrives_wrapped_and_ends_no_worker(lanes, error):
    lane = lanes.lane()
    with pytest.raises(RuntimeError, match=f"the call raised {type(error).__name__}"):
        await lane.run(fail, error)
    assert await lane.run(int) == 0
    assert lanes.stats()["workers"] >= 1


async def test_a_loop_waits_for_short_calls_and_settles_them_together(lanes):
    settled = []

    async def call():
        await lanes.lane().run(int)
        settled.append(asyncio.get_running_loop().time())

    calls = [asyncio.ensure_future(call()) for _ in range(20)]
    turns = 0
    while len(settled) < 20:
        await asyncio.sleep(0)
        turns += 1
    await asyncio.gather(*calls)
    assert turns < 20


async def test_a_loop_does_not_wait_for_a_long_call(lanes, gate):
    long = asyncio.ensure_future(lanes.lane().run(gate.wait))
    began, turns = time.monotonic(), 0
    while time.monotonic() - began < 0.2:
        await asyncio.sleep(0)
        turns += 1
    assert turns > 100
    gate.set()
    assert await long


async def test_outcomes_that_come_in_while_the_loop_is_busy_wake_it_once(lanes, monkeypatch):
    loop, wakes = asyncio.get_running_loop(), []
    monkeypatch.setattr(loop, "call_soon_threadsafe", lambda *args: wakes.append(args))
    calls = [asyncio.ensure_future(lanes.lane().run(int)) for _ in range(100)]
    await asyncio.sleep(0)
    eventually(lambda: lanes.stats()["jobs_done"] == 100)
    assert len(wakes) == 1
    wakes[0][0]()
    assert await asyncio.gather(*calls) == [0] * 100


async def test_a_cancelled_call_that_has_not_begun_does_not_run(lanes, gate):
    lane = lanes.lane()
    seen: list[str] = []
    lane.submit(gate.wait)
    call = asyncio.ensure_future(lane.run(seen.append, "cancelled"))
    last = asyncio.ensure_future(lane.run(seen.append, "last"))
    await asyncio.sleep(0)
    call.cancel()
    gate.set()
    await last
    assert call.cancelled()
    assert seen == ["last"]


async def test_a_cancelled_call_that_has_begun_ends_before_the_next_of_its_lane(lanes, gate):
    lane = lanes.lane()
    seen: list[str] = []

    def wait_and_see():
        gate.wait()
        seen.append("cancelled")

    call = asyncio.ensure_future(lane.run(wait_and_see))
    while not lanes.stats()["busy"]:
        await asyncio.sleep(0.001)
    call.cancel()
    last = asyncio.ensure_future(lane.run(seen.append, "last"))
    await asyncio.sleep(0.01)
    assert call.cancelled()
    gate.set()
    await last
    assert seen == ["cancelled", "last"]


def test_a_loop_that_is_closed_meanwhile_harms_nobody(lanes, gate):
    lane = lanes.lane()

    async def give_up():
        call = asyncio.ensure_future(lane.run(gate.wait))
        await asyncio.sleep(0.01)
        call.cancel()

    asyncio.run(give_up())
    gate.set()
    eventually(lambda: lanes.stats()["jobs_done"] == 1)
    assert asyncio.run(lane.run(str, 7)) == "7"


def test_every_loop_gets_its_own_outcomes(lanes):
    async def main(number):
        lane = lanes.lane()
        return [await lane.run(int, number) for _ in range(100)]

    results = {}
    threads = [threading.Thread(target=lambda n=n: results.update({n: asyncio.run(main(n))})) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PROMPTLY_S)
    assert results == {number: [number] * 100 for number in range(4)}


async def test_nothing_of_a_call_is_kept_once_it_has_ended(lanes):
    class Thing:
        def fail(self):
            raise ToolError("no", "No.")

    lane = lanes.lane()
    seen: list[weakref.ref[object]] = []

    async def succeed_and_fail():
        thing = Thing()
        seen.append(weakref.ref(thing))
        assert await lane.run(lambda: thing) is thing
        try:
            await lane.run(thing.fail)
        except ToolError as error:
            seen.append(weakref.ref(error))
        try:
            lane.submit(thing.fail).result(PROMPTLY_S)
        except ToolError as error:
            seen.append(weakref.ref(error))

    gc.disable()
    try:
        await succeed_and_fail()
        await asyncio.sleep(0)  # the loop itself keeps the future while its callback runs
        eventually(lambda: [ref() for ref in seen] == [None] * 3)
    finally:
        gc.enable()


# How long a call runs.


async def test_a_call_over_its_limit_is_answered_and_its_lane_is_closed(lanes):
    lane, other = lanes.lane(), lanes.lane()
    call = asyncio.ensure_future(lane.run(loop_forever, timeout_s=0.1))
    waiting = asyncio.ensure_future(lane.run(int))
    began = time.monotonic()
    with pytest.raises(CallTimeout, match="longer than 0.1 s"):
        await call
    assert 0.1 <= time.monotonic() - began < 2
    with pytest.raises(LaneClosed, match="ran over its time limit of 0.1 s"):
        await waiting
    with pytest.raises(LaneClosed, match="ran over its time limit of 0.1 s"):
        await lane.run(int)
    assert await other.run(int) == 0


def test_the_thread_of_a_call_over_its_limit_ends_and_another_takes_its_place(lanes):
    threads, ended = [], []

    def call():
        threads.append(threading.current_thread())
        try:
            loop_forever()
        except CallAborted:
            ended.append("aborted")
            raise

    for _ in range(3):
        with pytest.raises(CallTimeout):
            lanes.lane().submit(call, timeout_s=0.05).result(PROMPTLY_S)
    eventually(lambda: lanes.stats()["written_off"] == 0)
    assert ended == ["aborted"] * 3
    assert len(set(threads)) == 3
    assert not any(thread.is_alive() for thread in threads)
    assert lanes.lane().submit(threading.current_thread).result(PROMPTLY_S) not in threads


def test_a_thread_asleep_in_c_is_left_to_itself_and_goes_home_when_it_wakes(lanes):
    calls = [lanes.lane().submit(time.sleep, 0.5, timeout_s=0.05) for _ in range(10)]
    for call in calls:
        with pytest.raises(CallTimeout):
            call.result(PROMPTLY_S)
    assert lanes.lane().submit(int).result(PROMPTLY_S) == 0
    assert lanes.stats()["written_off"] == 10
    eventually(lambda: lanes.stats()["written_off"] == 0)


def test_a_call_that_catches_the_exception_is_interrupted_again_and_again(lanes):
    caught: list[type[BaseException]] = []

    def stubborn():
        while len(caught) < 3:
            try:
                loop_forever()
            except BaseException as error:
                caught.append(type(error))

    with pytest.raises(CallTimeout):
        lanes.lane().submit(stubborn, timeout_s=0.05).result(PROMPTLY_S)
    eventually(lambda: lanes.stats()["written_off"] == 0)
    assert caught == [CallAborted] * 3


def test_the_callback_of_a_call_over_its_limit_interrupts_sqlite(lanes):
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    called = []

    def interrupt():
        called.append(threading.current_thread().name)
        connection.interrupt()

    with pytest.raises(CallTimeout):
        lanes.lane().submit(connection.execute, endless, timeout_s=0.1, on_overrun=interrupt).result(PROMPTLY_S)
    eventually(lambda: lanes.stats()["written_off"] == 0)
    assert called == ["seahaven-watchdog"]
    connection.close()


def test_a_callback_that_fails_is_logged_and_ends_no_time_limit(lanes, caplog):
    with caplog.at_level(logging.ERROR):
        for _ in range(2):
            call = lanes.lane().submit(loop_forever, timeout_s=0.05, on_overrun=lambda: fail(ZeroDivisionError()))
            with pytest.raises(CallTimeout):
                call.result(PROMPTLY_S)
        eventually(lambda: len(caplog.records) == 2)
    assert "ZeroDivisionError" in caplog.text


def test_a_limit_holds_for_a_call_that_begins_when_nothing_seemed_left_to_watch(lanes, gate):
    lane = lanes.lane()
    lane.submit(gate.wait).add_done_callback(lambda _: eventually(lambda: lanes._watchdog._is_asleep))
    endless = lane.submit(loop_forever, timeout_s=0.05)
    gate.set()
    with pytest.raises(CallTimeout):
        endless.result(PROMPTLY_S)


async def test_endless_loops_leave_the_others_alive_while_they_run_and_no_trace_after(lanes):
    endless = [asyncio.ensure_future(lanes.lane().run(loop_forever, timeout_s=1.5)) for _ in range(8)]
    lane, answers = lanes.lane(), 0
    while not any(call.done() for call in endless):
        assert await lane.run(int) == 0
        answers += 1
    assert answers >= 3
    ended = await asyncio.gather(*endless, return_exceptions=True)
    assert {type(error) for error in ended} == {CallTimeout}
    while lanes.stats()["written_off"]:
        await asyncio.sleep(0.01)
    assert await lane.run(int) == 0


def test_no_exception_ever_hits_a_call_that_keeps_its_limit(new_lanes):
    """Calls that end at about their limit, so that the watchdog and the worker race for them all the time."""
    lanes, chance = new_lanes(patience_s=0.0005), random.Random(7)
    outcomes: Counter[object] = Counter()

    def innocent():
        try:
            compute(0.0005)
        except BaseException as error:
            outcomes[f"innocent hit by {type(error).__name__}"] += 1
            raise

    futures, until = [], time.monotonic() + 2.5
    while time.monotonic() < until:
        limit_s = chance.uniform(0.001, 0.004)
        futures.append(lanes.lane().submit(compute, limit_s * chance.uniform(0.8, 1.2), timeout_s=limit_s))
        futures.append(lanes.lane().submit(innocent))
        if len(futures) % 20 == 0:
            futures[-15].exception(PROMPTLY_S)
    for future in futures:
        outcomes[type(future.exception(PROMPTLY_S))] += 1
    assert outcomes.keys() == {CallTimeout, type(None)}, outcomes
    assert lanes.lane().submit(int).result(PROMPTLY_S) == 0


@pytest.mark.parametrize(
    "end", ["signal.pause()", "asyncio.run(asyncio.Event().wait())"], ids=["by default", "through a handler"]
)
def test_endless_calls_do_not_keep_the_process_from_ending(end):
    script = f"""
import asyncio, signal, sys, threading, time
from worlds.engine.lanes import Lanes
def loop():
    while True:
        pass
if {"asyncio" in end}:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(3))
lanes = Lanes()
for timeout_s in (0.1, None):
    for call in (loop, lambda: time.sleep(1e6), threading.Event().wait):
        for _ in range(2):
            lanes.lane().submit(call, timeout_s=timeout_s)
while lanes.stats()["written_off"] < 4 or lanes.stats()["busy"] < 6:
    time.sleep(0.01)
print("ready", flush=True)
{end}
"""
    root = Path(__file__).parents[2]
    with subprocess.Popen([sys.executable, "-c", script], cwd=root, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            process.send_signal(signal.SIGTERM)
            assert process.wait(PROMPTLY_S) == (3 if "asyncio" in end else -signal.SIGTERM)
        finally:
            process.kill()


TRACED = """
import sys, time
from worlds.engine.errors import CallTimeout
from worlds.engine.lanes import Lanes
def loop():
    while True:
        pass
lanes = Lanes()
try:
    lanes.lane().submit(loop, timeout_s=0.05).result()
except CallTimeout:
    while lanes.stats()["written_off"]:
        time.sleep(0.01)
lanes.shutdown()
sys.settrace(lambda *_: None)
(lambda: print("went on"))()
"""


def test_the_interpreter_is_left_as_it_was_once_a_worker_has_left():
    """While CPython 3.11 believes that an exception is to arrive somewhere, no function that is traced ever begins."""
    done = subprocess.run(
        [sys.executable, "-c", TRACED],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=PROMPTLY_S,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("went on\n", "")
