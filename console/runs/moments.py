"""How was an instance just after one of its calls, for pages that ask again and again?

A few such points are kept, the latest used longest; those of an instance go when it ends.
"""

from __future__ import annotations

import threading
from collections import OrderedDict

from console.pages import Problem, patience_s
from worlds.engine import Instance
from worlds.engine.earlier import START, Earlier, find, go
from worlds.engine.hosting import HOSTS, LANES, Hosted

#: So many points are kept, of all instances and of one.
KEPT, KEPT_OF_ONE = 160, 48


class Point:
    """Just after a call, in an address: its ordinal, or `start` for before any."""

    regex = "[0-9]+|start"

    def to_python(self, text: str) -> int:
        return START if text == "start" else int(text)

    def to_url(self, call: int) -> str:
        return "start" if int(call) == START else str(call)


class Moments:
    """The points that are kept. Used on any thread."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, int], Earlier] = OrderedDict()
        self._lock = threading.Lock()
        self._watches = False

    def __len__(self) -> int:
        return len(self._kept)

    def of(self, hosted_id: str) -> list[Earlier]:
        with self._lock:
            return [earlier for (id, _), earlier in self._kept.items() if id == hosted_id]

    def keep(self, hosted_id: str, earlier: Earlier) -> None:
        """Keep a point, or keep it for longer."""
        with self._lock:
            if HOSTS.get(hosted_id) is None:
                return
            self._kept[hosted_id, earlier.call] = earlier
            self._kept.move_to_end((hosted_id, earlier.call))
            mine = [key for key in self._kept if key[0] == hosted_id]
            too_many = mine[: max(0, len(mine) - KEPT_OF_ONE)] or list(self._kept)[: max(0, len(self._kept) - KEPT)]
            for key in too_many:
                del self._kept[key]  # whoever reads it still holds it; it is freed when nobody does

    def forget(self, hosted: Hosted, what: str) -> None:
        """Let go what was kept of an instance that ended."""
        if what == "ended":
            with self._lock:
                for key in [key for key in self._kept if key[0] == hosted.id]:
                    del self._kept[key]

    def watch(self) -> None:
        """Be told of ends from now on."""
        if self.forget not in HOSTS.watchers:
            HOSTS.watchers = [*HOSTS.watchers, self.forget]


MOMENTS = Moments()


async def moment(hosted: Hosted, instance: Instance, call: int) -> Instance:
    """The instance as it was just after a call: not to be moved, only to be read and forked.

    Raises: Problem for a call that was not made; WorldBug for one that cannot be reached any more.
    """
    require_call(instance, call, or_start=True)
    MOMENTS.watch()
    found = await hosted.run(find, instance, call, MOMENTS.of(hosted.id))
    if not isinstance(found, Earlier):
        # On a lane of its own: going back may take many calls, and the instance is not to wait for that.
        *on_the_way, found = await LANES.lane().run(go, found, timeout_s=patience_s())
        for each in on_the_way:
            MOMENTS.keep(hosted.id, each)
    MOMENTS.keep(hosted.id, found)
    return found.instance


def require_call(instance: Instance, call: int, *, or_start: bool = False) -> None:
    """Refuse a call that was not made.

    Raises: Problem saying how many there are.
    """
    count = instance.call_count
    if not (START if or_start else 0) <= call < count:
        there = (
            f"{count:,} were made, counted from 0, so that the last is call {count - 1}"
            if count
            else "none was made yet"
        )
        raise Problem(f"There is no call {call}: {there}.", 404)
