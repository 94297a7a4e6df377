"""What time is it inside an instance?

Every reader of time in a world - `ctx.clock`, `django.utils.timezone.now`, SQL, the world's HTTP API - asks one
`Clock`. Host time is read in this module and nowhere else.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, get_args

from worlds.engine import active
from worlds.engine.errors import WorldBug

ClockMode = Literal["fixed", "tick", "running", "wall"]
MODES: tuple[str, ...] = get_args(ClockMode)
#: The modes in which the same calls read the same times again.
REPLAYING = ("fixed", "tick")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_CANONICAL = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
#: One second a call in `tick` mode.
TICK_MS = 1000


def to_ms(moment: datetime) -> int:
    """Whole milliseconds since 1970-01-01T00:00:00Z, truncated; `moment` is aware."""
    return (moment - _EPOCH) // _MILLISECOND


def from_ms(ms: int) -> datetime:
    """The aware UTC datetime `ms` milliseconds after 1970-01-01T00:00:00Z."""
    return _EPOCH + timedelta(milliseconds=ms)


_LATEST_MS = to_ms(datetime.max.replace(tzinfo=UTC))


def iso(moment: datetime | int) -> str:
    """The one text form of an instant, `2026-06-01T09:00:00.000Z`: text order is time order."""
    moment = from_ms(moment) if isinstance(moment, int) else moment.astimezone(UTC)
    return f"{moment.replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"


def instant(moment: datetime | None) -> str | None:
    """An instant read from a row, in UTC as all of them are, in the one text form; None stays None."""
    return None if moment is None else f"{moment.isoformat(timespec='milliseconds')[:23]}Z"


def is_canonical(text: str) -> bool:
    """Is this exactly what `iso` would print?"""
    try:
        return bool(_CANONICAL.fullmatch(text)) and iso(parse_instant(text, "text")) == text
    except WorldBug:
        return False


def parse_instant(value: str | datetime, what: str) -> int:
    """Milliseconds since 1970 of an ISO 8601 text or an aware datetime.

    Raises: WorldBug naming `what` for text that is no instant and for one without an offset.
    """
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            raise WorldBug(f"{what} is {value!r:.60}, which is no instant; write 2026-06-01T09:00:00.000Z") from None
    if not isinstance(value, datetime):
        raise WorldBug(f"{what} must be text or a datetime, not {type(value).__name__}")
    if value.tzinfo is None:
        raise WorldBug(f"{what} is {value.isoformat()}, which has no time zone; add Z (or tzinfo=UTC)")
    return to_ms(value)


def milliseconds(by: Mapping[str, float]) -> int:
    """A length of time given as `seconds=`, `minutes=` and the like, in whole milliseconds.

    Raises: WorldBug for what `timedelta` does not take.
    """
    try:
        return timedelta(**by) // _MILLISECOND
    except (TypeError, ValueError, OverflowError) as error:
        raise WorldBug(f"advance takes seconds=, minutes=, hours=, days=, weeks= as numbers ({error})") from None


def host_ms() -> int:
    """The host's own time, in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class Clock:
    """The time of one instance: reading it never moves it.

    Modes: `fixed` stays at its start; `tick` stands one second further with each call dispatched, so every reading
    in call i is start + i + 1 s; `running` adds the monotonic time since creation; `wall` is the host's time.
    Units: milliseconds since 1970 inside, aware UTC datetimes outside, truncated to the millisecond.
    """

    __slots__ = ("_began_ns", "_calls", "_offset_ms", "_pinned_ms", "_start_ms", "mode")

    def __init__(self, start_ms: int, mode: ClockMode = "fixed") -> None:
        if mode not in MODES:
            raise WorldBug(f"clock_mode is {mode!r}; choose one of {', '.join(MODES)}")
        self.mode: ClockMode = mode
        self._start_ms = start_ms
        self._offset_ms = 0
        self._calls = 0
        self._began_ns = time.monotonic_ns()
        self._pinned_ms: int | None = None

    def ms(self) -> int:
        """The reading, in milliseconds since 1970."""
        if self._pinned_ms is not None:
            return self._pinned_ms
        if self.mode == "tick":
            return self._start_ms + self._offset_ms + self._calls * TICK_MS
        if self.mode == "fixed":
            return self._start_ms + self._offset_ms
        if self.mode == "running":
            return self._start_ms + self._offset_ms + (time.monotonic_ns() - self._began_ns) // 1_000_000
        return host_ms()

    def now(self) -> datetime:
        """The reading as an aware UTC datetime."""
        return from_ms(self.ms())

    def iso(self) -> str:
        """The reading as text, `2026-06-01T09:00:00.000Z`."""
        return iso(self.ms())

    def replays(self) -> bool:
        """Do the same calls read the same times again?"""
        return self.mode in REPLAYING

    # What follows is the instance's to call; `ctx.clock` hands out a `ClockView`.

    def count_call(self) -> None:
        """A call was dispatched: `tick` moves on."""
        self._calls += 1

    def pin(self, ms: int | None) -> None:
        """Hold every reading at `ms` while a scheduled event runs at its own time; None lets go."""
        self._pinned_ms = ms

    def advance(self, ms: int) -> None:
        """Move the clock forward by `ms`, at least 0.

        Raises: WorldBug for a step back or past the year 9999, and in `wall` mode, which follows the host.
        """
        if self.mode == "wall":
            raise WorldBug(
                "a wall clock follows the host and cannot be advanced; use clock_mode tick, fixed or running"
            )
        if ms < 0:
            raise WorldBug(f"time moves forward only: cannot advance by {ms / 1000:g} s; rewind() goes back")
        if self.ms() + ms > _LATEST_MS:
            raise WorldBug(f"time ends with the year 9999: cannot advance by {ms / 1000:g} s from {self.iso()}")
        self._offset_ms += ms

    def position(self) -> tuple[int, int, int, int]:
        """Everything that decides later readings, for a fork or a checkpoint."""
        return self._start_ms, self._offset_ms, self._calls, time.monotonic_ns() - self._began_ns

    def restore(self, position: tuple[int, int, int, int]) -> None:
        """Go on from a `position`; a running clock goes on from the reading it had there."""
        self._start_ms, self._offset_ms, self._calls, elapsed_ns = position
        self._began_ns = time.monotonic_ns() - elapsed_ns


class ClockView:
    """What `ctx.clock` is: the readings, and nothing that moves them."""

    __slots__ = ("_clock",)

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    @property
    def mode(self) -> ClockMode:
        return self._clock.mode

    def now(self) -> datetime:
        """The reading as an aware UTC datetime, truncated to the millisecond."""
        return self._clock.now()

    def iso(self) -> str:
        """The reading as text, `2026-06-01T09:00:00.000Z`."""
        return self._clock.iso()

    def ms(self) -> int:
        """The reading, in milliseconds since 1970."""
        return self._clock.ms()


def _now() -> datetime:
    node = _seahaven_active.current()  # type: ignore[name-defined]  # noqa: F821
    if node is not None:
        return node.clock.now()
    return datetime.now(tz=timezone.utc if settings.USE_TZ else None)  # type: ignore[name-defined]  # noqa: F821, UP017


def teach_django() -> None:
    """Let `django.utils.timezone.now`, and `auto_now` of every field, read the instance's clock inside a call.

    The function's code is exchanged rather than the function: `default=timezone.now` and `from django.utils.timezone
    import now` hold the function itself, and migrations write its name.
    """
    from django.db import models
    from django.utils import timezone

    timezone._seahaven_active = active  # type: ignore[attr-defined]
    timezone.now.__code__ = _now.__code__
    models.DateField.pre_save = _with_the_clock(models.DateField.pre_save, datetime.date)  # type: ignore[method-assign]
    models.TimeField.pre_save = _with_the_clock(models.TimeField.pre_save, datetime.time)  # type: ignore[method-assign]


def _with_the_clock(pre_save: Callable[..., Any], part: Callable[[datetime], Any]) -> Callable[..., Any]:
    """A field's `pre_save` for dates or times, for which Django asks the host and not `timezone.now`."""

    def reading(self: Any, model_instance: Any, add: bool) -> Any:
        node = active.current()
        if node is None or not (self.auto_now or (self.auto_now_add and add)):
            return pre_save(self, model_instance, add)
        value = part(node.clock.now())
        setattr(model_instance, self.attname, value)
        return value

    return reading
