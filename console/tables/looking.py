"""How are rows read without a call having to wait for it?

An inspector has pages of its own. So only the moment in which it is taken belongs to the instance's lane, and what is
asked of it runs on another.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from console.keeping import Shelf
from worlds.engine import Instance, InstanceClosed, tables
from worlds.engine.hosting import LANES, Hosted
from worlds.engine.inspector import Inspector
from worlds.engine.tables import Condition, Table

P = ParamSpec("P")
T = TypeVar("T")

#: What was counted of rows that cannot change: it is forgotten with the inspector.
_COUNTS: WeakKeyDictionary[Inspector, dict[Any, int]] = WeakKeyDictionary()
_LOCK = threading.Lock()
_SCHEMAS: Shelf[dict[str, list[Table]]] = Shelf(64)


async def look(
    hosted: Hosted, instance: Instance, fn: Callable[Concatenate[Inspector, P], T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """What `fn` finds in an inspector of the instance as it is now.

    Raises: InstanceClosed; whatever `fn` raises.
    """
    with looking(hosted):
        inspector = await hosted.run(instance.inspect)
        try:
            return await LANES.lane().run(lambda: fn(inspector, *args, **kwargs))
        except InstanceClosed:  # it was put to rest just before, or is over: then this says so
            inspector = await hosted.run(instance.inspect)
            return await LANES.lane().run(lambda: fn(inspector, *args, **kwargs))


async def look_apart(
    hosted: Hosted, instance: Instance, fn: Callable[Concatenate[Inspector, P], T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """`look` for what may take long: in an inspector of its own, for which nobody else waits.

    Raises: InstanceClosed; whatever `fn` raises.
    """

    def ask() -> T:
        try:
            return fn(inspector, *args, **kwargs)
        finally:
            inspector.close()

    inspector = await hosted.run(_own_inspector, instance)
    return await LANES.lane().run(ask)


def _own_inspector(instance: Instance) -> Inspector:
    with instance.reading() as at:
        return Inspector(at.root, instance.seed, at.nodes[1:])


@contextmanager
def looking(hosted: Hosted) -> Iterator[None]:
    """A block in which the instance is neither put to rest nor ended for being idle."""
    hosted.busy += 1
    try:
        yield
    finally:
        hosted.busy -= 1


def schema(inspector: Inspector, instance_id: str, nodes: Sequence[str]) -> dict[str, list[Table]]:
    """The tables of every node, read once for each instance: no call changes them."""
    found = _SCHEMAS.get(instance_id)
    if found is None:
        found = {node: tables.all_described(inspector, node) for node in nodes}
        _SCHEMAS.put(found, id=instance_id)
    return found


def count(inspector: Inspector, table: Table, conditions: Sequence[Condition]) -> int:
    """How many rows fit, counted once for each state of the instance."""
    asked = (table.node, table.name, tuple(conditions))
    with _LOCK:
        counts = _COUNTS.setdefault(inspector, {})
    if asked not in counts:
        counts[asked] = tables.counted(inspector, table, conditions)
    return counts[asked]
