"""What does code inside a world get to hold?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Generic, NoReturn, TypeVar

from worlds.engine.chance import Ids, SeededRandom
from worlds.engine.clock import ClockView

W = TypeVar("W")


@dataclass(frozen=True, slots=True)
class Call:
    """One call on its way to a tool.

    Shape: `arguments` are as the caller sent them, not validated yet; `tool` is a `Tool`; `node` is the path of the
    node that owns it, "main" for the world at the root.
    """

    name: str
    arguments: dict[str, Any]
    tool: Any
    node: str = "main"

    def with_arguments(self, **changes: Any) -> Call:
        """A copy with some arguments changed, for middleware to pass on."""
        return replace(self, arguments={**self.arguments, **changes})


@dataclass(frozen=True, slots=True)
class InstanceInfo:
    """What a world may know of the instance it runs in; `seed` is derived, not the caller's."""

    id: str
    fixture: str | None
    seed: bytes = field(repr=False)


class Ctx(Generic[W]):
    """A world's view of its instance: of one running node, on behalf of one call.

    The first argument of every tool, hook, event handler and layer of middleware.
    `Ctx[MyWorlds]` tells a type checker which worlds are embedded; at run time it is the same as `Ctx`.
    """

    __slots__ = ("_call", "_node")

    _call: Call | None
    _node: Any

    def __init__(self, node: Any, call: Call | None = None) -> None:
        object.__setattr__(self, "_node", node)
        object.__setattr__(self, "_call", call)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"ctx is read-only, so ctx.{name} cannot be set; keep it in ctx.state[{name!r}]")

    @property
    def clock(self) -> ClockView:
        """The instance's time; reading it never moves it."""
        return self._node.clock

    @property
    def ids(self) -> Ids:
        """Ids from the instance's own stream."""
        return self._node.ids

    @property
    def random(self) -> SeededRandom:
        """A `random.Random` on a stream of the instance's own."""
        return self._node.random

    @property
    def state(self) -> dict[str, Any]:
        """A dict of this world's own that lives as long as the instance; not part of the state document."""
        return self._node.state

    @property
    def call(self) -> Call | None:
        """The call being served; None in start-up hooks, events and the world's HTTP API."""
        return self._call

    @property
    def instance(self) -> InstanceInfo:
        """The instance's id, fixture and derived seed."""
        return self._node.info

    @property
    def worlds(self) -> W:
        """The worlds embedded in this one, by name."""
        return self._node.worlds

    @property
    def db(self) -> Any:
        """This world's store, for SQL of its own."""
        return self._node.db

    def schedule(self, at: datetime | timedelta | str, handler: str | Callable[..., Any], payload: Any = None) -> int:
        """Have an event handler run when the clock reaches `at`, an instant or a time from now; answers its id."""
        return self._node.schedule(at, handler, payload)

    def unschedule(self, event_id: int) -> bool:
        """Take a scheduled event back; False when it has run already or never was."""
        return self._node.unschedule(event_id)

    def seq(self) -> int:
        """The next number of this world's own counter: larger than every one before it in this instance."""
        return self._node.next_seq()
