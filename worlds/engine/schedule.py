"""What is due, and when?

Scheduled events are rows of the store they were scheduled in, so that they are rolled back, forked, rewound and frozen
with it. The table is the engine's own and no part of the change log.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import apsw

from worlds.engine.clock import iso, parse_instant
from worlds.engine.database import Db

TABLE = "seahaven_events"
#: Events one call or one `advance` may run before the schedule is taken for a loop.
MOST_AT_ONCE = 100_000


class Event(NamedTuple):
    """One scheduled event: `at` in milliseconds since 1970; `id` orders events of one instant."""

    at: int
    id: int
    handler: str
    payload: Any


def add(db: Db, event: Event) -> None:
    """Write an event down, as the ORM would: a fixture's rows come back the same."""
    db.execute(
        f"INSERT INTO {TABLE} (id, at, handler, payload) VALUES (?, ?, ?, ?)",
        event.id, iso(event.at), event.handler, json.dumps(event.payload),
    )  # fmt: skip


def remove(db: Db, event_id: int) -> bool:
    """Cross an event off; False when it is not there any more."""
    return db.execute(f"DELETE FROM {TABLE} WHERE id = ?", event_id)[0] == 1


def first_due_ms(raw: apsw.Connection) -> int | None:
    """When the first event of a store is due, in milliseconds since 1970; None when none waits."""
    ((at,),) = raw.execute(f"SELECT min(at) FROM {TABLE}").fetchall()
    return None if at is None else parse_instant(str(at), "at")


def first(db: Db) -> Event | None:
    """The event due next, or None."""
    row = db.one(f"SELECT id, at, handler, payload FROM {TABLE} ORDER BY at, id LIMIT 1")
    if row is None:
        return None
    return Event(parse_instant(row["at"], "at"), row["id"], row["handler"], json.loads(row["payload"]))
