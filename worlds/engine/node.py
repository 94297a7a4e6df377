"""What is one world of an instance, while it runs?

A node is a world's declarations beside the store, ids and memory they run on. `ctx` is a thin view of it.
"""

from __future__ import annotations

import copy
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from typing import Any, Protocol

import orjson

from worlds.engine import installed, results, schedule
from worlds.engine.chance import Ids, SeededRandom, Stream
from worlds.engine.clock import ClockView, parse_instant
from worlds.engine.ctx import InstanceInfo
from worlds.engine.database import Db
from worlds.engine.errors import WorldBug
from worlds.engine.registrations import Registrations
from worlds.engine.store import Store


class Shared(Protocol):
    """What the nodes of one instance share."""

    info: InstanceInfo

    def next_seq(self) -> int: ...

    def schedule_changed(self) -> None: ...

    def worlds_of(self, node: Node) -> Any: ...

    def block(self, node: Node) -> AbstractContextManager[None]: ...


class Node:
    """One world at one path of an instance."""

    __slots__ = (
        "_random",
        "_random_stream",
        "clock",
        "ids",
        "ids_stream",
        "path",
        "shared",
        "state",
        "store",
        "world",
    )

    def __init__(self, path: str, world: Registrations, store: Store, *, seed: bytes, shared: Shared) -> None:
        self.path = path
        self.world = world
        self.store = store
        self.shared = shared
        self.clock = ClockView(store.clock)
        self.ids_stream = Stream(seed, "ids")
        self.ids = Ids(self.ids_stream)
        self.state: dict[str, Any] = {}
        self._random_stream = Stream(seed, "python")
        self._random: SeededRandom | None = None

    @property
    def app_labels(self) -> tuple[str, ...]:
        """The apps whose models this node's store holds."""
        return (installed.ENGINE_LABEL, *self.world.app_labels)

    @property
    def info(self) -> InstanceInfo:
        return self.shared.info

    @property
    def db(self) -> Db:
        return Db(self.store.wrapper)

    @property
    def random(self) -> SeededRandom:
        if self._random is None:
            self._random = SeededRandom(self._random_stream)
        return self._random

    @property
    def worlds(self) -> Any:
        return self.shared.worlds_of(self)

    def next_seq(self) -> int:
        return self.shared.next_seq()

    def remember(self) -> dict[str, Any]:
        """What the world keeps in `ctx.state`, as it is now.

        Raises: WorldBug for what cannot be copied, since no fork and no rewind could keep it.
        """
        try:
            return copy.deepcopy(self.state) if self.state else {}
        except TypeError as error:
            raise WorldBug(
                f"ctx.state of world {self.world.name} holds what has no copy ({error}); keep data in it"
            ) from error

    def transaction(self) -> AbstractContextManager[None]:
        """A transaction around a block, a part of one inside one; undone with `ctx.state` when the block raises."""
        return self.shared.block(self)

    def schedule(self, at: datetime | timedelta | str, handler: Any, payload: Any = None) -> int:
        """Note an event for `at`: an aware datetime, canonical text, or a time from now. Answers its id."""
        key = handler if isinstance(handler, str) else getattr(handler, "__name__", "")
        if isinstance(handler, str):
            known = handler in self.world.event_handlers
        else:
            key = next((name for name, fn in self.world.event_handlers.items() if fn is handler), key)
            known = self.world.event_handlers.get(key) is handler
        if not known:
            raise WorldBug(
                f"{key or handler!r} is no event handler of world {self.world.name}; decorate it with @event_handler"
            )
        if isinstance(at, timedelta):
            at = self.clock.now() + at
        payload = orjson.loads(results.encode(payload, f"the payload of event {key}"))
        event = schedule.Event(parse_instant(at, f"the time of event {key}"), self.next_seq(), key, payload)
        schedule.add(self.db, event)
        self.shared.schedule_changed()
        return event.id

    def unschedule(self, event_id: int) -> bool:
        """Cross an event off; False when it ran already or never was."""
        self.shared.schedule_changed()
        return schedule.remove(self.db, event_id)

    # For forks and checkpoints.

    def streams(self) -> tuple[Stream, ...]:
        """Every stream this node draws from."""
        return self.ids_stream, self._random_stream, self.store.chance
