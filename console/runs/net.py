"""What did a run change in the end, for a page that asks again and again while it goes on?

What was folded is kept, and only what came since is added to it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import orjson

from console.keeping import Shelf
from console.pages import patience_s
from worlds.engine import Instance
from worlds.engine.changes import Change
from worlds.engine.diff import fold
from worlds.engine.hosting import LANES, Hosted


class Net(NamedTuple):
    """The net changes of so many records; `last` is the record that was the last of them."""

    size: int
    last: bytes | None
    changes: list[Change]


_NOTHING = Net(0, None, [])
_KEPT: Shelf[Net] = Shelf(24)


async def net(hosted: Hosted, instance: Instance) -> list[Change]:
    """The net difference since the start, a change for each row."""
    known = _KEPT.get(hosted.id) or _NOTHING
    known, records = await hosted.run(_since, instance, known)
    if not records:
        return known.changes
    found = await LANES.lane().run(_added, known, records, timeout_s=patience_s())
    _KEPT.put(found, id=hosted.id)
    return found.changes


def _since(inst: Instance, known: Net) -> tuple[Net, list[bytes]]:
    """What is known, unless the run was taken back behind it, and the records since."""
    with inst.reading() as at:
        records = at.log.records
        if known.size > len(records) or (known.size and records[known.size - 1] is not known.last):
            known = _NOTHING
        return known, records[known.size :]


def _added(known: Net, records: list[bytes]) -> Net:
    before: list[dict[str, Any]] = [change._asdict() for change in known.changes]
    changes = fold([*before, *map(orjson.loads, records)])
    return Net(known.size + len(records), records[-1], changes)
