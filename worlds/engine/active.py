"""Which world's code is running on this thread?

One thread-local, read by the clock, the router and the guard against instances inside tools. It sits at the
bottom of the engine so that each of them can ask without importing the instance.
"""

from __future__ import annotations

import threading
from typing import Any


class _Active(threading.local):
    #: The running node (`worlds.engine.node.Node`), or None outside every call.
    node: Any = None


_active = _Active()


def current() -> Any:
    """The node whose code runs on this thread, or None."""
    return _active.node


def enter(node: Any) -> Any:
    """Make `node` the current one; answers the one to give back to `leave`."""
    previous = _active.node
    _active.node = node
    return previous


def leave(previous: Any) -> None:
    """Put back what `enter` answered."""
    _active.node = previous
