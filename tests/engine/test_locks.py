import ctypes
import threading
import time
from contextlib import suppress

import pytest

from worlds.engine.locks import FairLock


class Killed(BaseException):
    """Sent into a thread from outside."""


def kill(thread: threading.Thread) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(Killed))


def start(fn, *args) -> threading.Thread:
    thread = threading.Thread(target=fn, args=args, daemon=True)
    thread.start()
    return thread


def wait_for_waiters(lock: FairLock, count: int) -> None:
    until = time.monotonic() + 10
    while len(lock._waiting) != count:
        assert time.monotonic() < until, f"{len(lock._waiting)} threads wait, not {count}"
        time.sleep(0.001)


def test_the_thread_that_holds_it_may_take_it_again_and_frees_it_with_the_last_release():
    lock = FairLock()
    with lock:
        with lock:
            assert lock.locked_by_me()
        assert lock.locked_by_me()
        others = []
        start(lambda: others.append((lock.locked_by_me(), lock.acquire(timeout=0)))).join()
        assert others == [(False, False)]
    assert not lock.locked_by_me()
    taken = []
    start(lambda: taken.append(lock.acquire(timeout=0))).join()
    assert taken == [True]


def test_threads_that_wait_get_it_in_the_order_they_came():
    lock, order = FairLock(), []

    def take(number):
        with lock:
            order.append(number)

    with lock:
        threads = []
        for number in range(20):
            threads.append(start(take, number))
            wait_for_waiters(lock, number + 1)
    for thread in threads:
        thread.join(10)
    assert order == list(range(20))


def test_a_thread_that_wants_it_again_at_once_goes_behind_those_who_wait():
    lock, counts = FairLock(), [0] * 4

    def take_again_and_again(number):
        while not is_over.is_set():
            with lock:
                counts[number] += 1

    is_over = threading.Event()
    with lock:
        threads = [start(take_again_and_again, number) for number in range(4)]
        wait_for_waiters(lock, 4)
    time.sleep(0.2)
    is_over.set()
    for thread in threads:
        thread.join(10)
    assert min(counts) > 0
    assert max(counts) - min(counts) <= 2, counts


def test_a_thread_that_waits_too_long_gives_up_and_the_next_one_gets_it():
    lock = FairLock()
    answers: list[bool | str] = []

    def take():
        with lock:
            answers.append("patient")

    with lock:
        impatient = start(lambda: answers.append(lock.acquire(timeout=0.05)))
        wait_for_waiters(lock, 1)
        patient = start(take)
        impatient.join(10)
        assert answers == [False]
        wait_for_waiters(lock, 1)
    patient.join(10)
    assert answers == [False, "patient"]


def test_releasing_what_another_thread_holds_is_refused():
    lock = FairLock()
    with pytest.raises(RuntimeError, match="the lock is not held by this thread"):
        lock.release()
    start(lock.acquire).join()
    with pytest.raises(RuntimeError, match="the lock is not held by this thread"):
        lock.release()


def test_an_error_in_the_block_frees_it():
    lock = FairLock()
    with suppress(ZeroDivisionError), lock:
        raise ZeroDivisionError
    assert not lock.locked_by_me()


def test_no_turn_is_lost_when_threads_give_up_at_the_moment_they_are_called():
    lock, inside, until = FairLock(), [], time.monotonic() + 0.5

    def take(timeout):
        while time.monotonic() < until:
            if lock.acquire(timeout=timeout):
                inside.append(1)
                assert len(inside) == 1
                inside.pop()
                lock.release()

    threads = [start(take, timeout) for timeout in (0, 1e-5, 1e-5, 3e-5, 1e-4, None)]
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()
    assert lock.acquire(timeout=0)


def test_a_thread_killed_while_it_waits_is_not_handed_the_lock():
    lock = FairLock()
    took: list[str] = []

    def take(name):
        with suppress(Killed):
            lock.acquire()
            took.append(name)
            lock.release()

    with lock:
        victim = start(take, "victim")
        wait_for_waiters(lock, 1)
        kill(victim)
        heir = start(take, "heir")
        wait_for_waiters(lock, 2)
    heir.join(10)
    victim.join(10)
    assert took == ["heir"]


def test_a_thread_killed_at_the_moment_it_is_handed_the_lock_hands_it_on():
    lock, kept = FairLock(), []

    def take():
        has_it = False
        with suppress(Killed):
            lock.acquire()
            has_it = True
            while True:
                time.sleep(0.001)
        if lock.locked_by_me():
            if not has_it:
                kept.append("acquire raised, and kept the lock")
            lock.release()

    for round_ in range(150):
        with lock:
            victim = start(take)
            wait_for_waiters(lock, 1)
            killer = threading.Timer(0.0001 * (round_ % 10), kill, [victim])
            killer.start()
            time.sleep(0.0001 * (round_ % 7))
        killer.join(10)
        victim.join(10)
        assert not victim.is_alive()
        assert lock.acquire(timeout=10)
        lock.release()
    assert not kept
