"""Whose turn is it?"""

from __future__ import annotations

import threading
from collections import deque
from threading import get_ident


class _Turn:
    """A thread that waits, and the lock that is released when its turn comes."""

    __slots__ = ("bell", "thread")

    def __init__(self, thread: int) -> None:
        self.thread = thread
        self.bell = threading.Lock()
        self.bell.acquire()


class FairLock:
    """A re-entrant lock that is handed from thread to thread in the order they came.

    A thread that releases it and at once wants it again goes behind everyone who waits; the standard library's locks
    mostly give it back before the others have woken up.

    A thread may be interrupted by an exception that another thread sends (`PyThreadState_SetAsyncExc`), and it must not
    be handed the lock when it waits no more. Such an exception arrives after a call of a function, so steps that belong
    together have no call between them, or are undone by `except`. One gap cannot be closed in Python: an exception that
    arrives when a block has ended and `release` has not begun leaves the lock held for good.
    """

    __slots__ = ("_depth", "_guard", "_owner", "_waiting")

    def __init__(self) -> None:
        self._guard = threading.Lock()  # held for a few steps, never while waiting
        self._owner: int | None = None
        self._depth = 0
        self._waiting: deque[_Turn] = deque()

    def acquire(self, timeout: float | None = None) -> bool:
        """Wait for the lock, for `timeout` seconds at most; false when it did not come."""
        me = get_ident()
        if self._owner == me:
            self._depth += 1
            return True
        try:
            with self._guard:
                if self._owner is None:
                    self._owner, self._depth = me, 1
                    return True
                turn = _Turn(me)
                self._waiting.append(turn)
            return turn.bell.acquire(timeout=-1 if timeout is None else timeout) or not self._withdraw(me)
        except BaseException:
            if not self._withdraw(me):
                self.release()
            raise

    __enter__ = acquire

    def release(self) -> None:
        """Hand the lock to the thread that has waited longest.

        Raises: RuntimeError when this thread does not hold it.
        """
        if self._owner != get_ident():
            raise RuntimeError("the lock is not held by this thread")
        if self._depth > 1:
            self._depth -= 1
            return
        with self._guard:
            if self._waiting:
                turn = self._waiting[0]
                del self._waiting[0]
                self._owner = turn.thread
                turn.bell.release()
            else:
                self._owner = None

    def __exit__(self, *exc_info: object) -> None:
        self.release()

    def locked_by_me(self) -> bool:
        return self._owner == get_ident()

    def _withdraw(self, thread: int) -> bool:
        """Wait no more; false when the lock has been handed over meanwhile."""
        with self._guard:
            for turn in self._waiting:
                if turn.thread == thread:
                    self._waiting.remove(turn)
                    break
            return self._owner != thread
