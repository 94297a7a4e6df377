"""How do SQL's own time and chance obey the instance?

SQLite's date functions and `random()` are replaced on each connection: the random numbers come from the store's own
stream, and the date functions are SQLite's own, asked of a private helper connection whose VFS tells it the store's
reading of the clock. So SQLite decides what means 'now', and cannot see the host's.
"""

from __future__ import annotations

import functools
import re
import threading
from collections.abc import Callable
from typing import Any, Protocol

import apsw
from django.db.backends.sqlite3 import _functions as django_functions  # type: ignore[attr-defined]

from worlds.engine.chance import Stream
from worlds.engine.clock import iso
from worlds.engine.db.dbapi import Connection


class Reading(Protocol):
    """What the functions ask of a store."""

    @property
    def reading_ms(self) -> int:
        """The clock, read once for the statement that runs."""
        ...

    @property
    def chance(self) -> Stream: ...


_HELPER_VFS = "seahaven-reading"
#: 1970-01-01T00:00:00Z on the scale of SQLite's clock: milliseconds of Julian days.
_EPOCH_MS = 210_866_760_000_000


class _Helper(threading.local):
    """A connection with SQLite's own functions, one a thread since a connection serves one at a time."""

    def __init__(self) -> None:
        self.reading_ms = 0
        self.connection = apsw.Connection(":memory:", vfs=_HELPER_VFS)

    def integer(self, value: Any) -> int:
        """What SQLite makes of a value where it wants an integer."""
        return self.connection.execute("SELECT ifnull(CAST(? AS INTEGER), 0)", (value,)).get


class _ReadingVFS(apsw.VFS):
    """The host's own, but for the time."""

    def __init__(self) -> None:
        super().__init__(_HELPER_VFS, "")

    def xCurrentTimeInt64(self) -> int:  # noqa: N802
        return _helper.reading_ms + _EPOCH_MS


_vfs = _ReadingVFS()
_helper = _Helper()


@functools.lru_cache(maxsize=64, typed=True)
def _builtin(reading_ms: int, name: str, *args: Any) -> Any:
    """What SQLite's own function answers at that time; remembered, since a scan asks the same for every row."""
    _helper.reading_ms = reading_ms
    marks = ",".join("?" * len(args))
    return _helper.connection.execute(f"SELECT {name}({marks})", args).get


#: What Django compiles `Now()` and `Cast(…, DateTimeField())` to; answered in the canonical text form, like every
#: other instant, so that it compares with stored ones.
_DJANGO_INSTANT = "%Y-%m-%d %H:%M:%f"
_SQL_INSTANT = re.compile(r"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d+)?")


def canonical(text: Any) -> Any:
    """An instant in one of SQLite's or Django's forms as `2026-06-01T09:00:00.000Z`; other values as they are."""
    match = _SQL_INSTANT.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        return text
    fraction = (match[3] or ".")[1:4].ljust(3, "0")
    return f"{match[1]}T{match[2]}.{fraction}Z"


def _plain(text: Any) -> Any:
    """The canonical form as Django's own functions expect it, without `T` and `Z`."""
    if isinstance(text, str) and len(text) == 24 and text[10] == "T" and text[23] == "Z":
        return f"{text[:10]} {text[11:23]}"
    return text


def _time_functions(store: Reading) -> dict[str, Callable[..., Any]]:
    def sqlite(name: str) -> Callable[..., Any]:
        return lambda *args: _builtin(store.reading_ms, name, *args)

    def moment() -> str:
        return iso(store.reading_ms)

    def datetime_(*args: Any) -> Any:
        # Milliseconds are asked for, since the canonical form has them.
        return canonical(_builtin(store.reading_ms, "strftime", _DJANGO_INSTANT, *args))

    def strftime(*args: Any) -> Any:
        text = _builtin(store.reading_ms, "strftime", *args)
        return canonical(text) if args and args[0] == _DJANGO_INSTANT else text

    return {
        "current_timestamp": moment,
        "current_date": lambda: moment()[:10],
        "current_time": lambda: moment()[11:19],
        "datetime": datetime_,
        "strftime": strftime,
        **{name: sqlite(name) for name in ("date", "time", "julianday", "unixepoch", "timediff")},
    }


def _chance_functions(store: Reading, raw: apsw.Connection) -> dict[str, Callable[..., Any]]:
    def random() -> int:
        # abs(random()) must not overflow, so the least 64-bit integer never comes up.
        value = store.chance.integer(64) - 2**63
        return value if value != -(2**63) else 0

    def randomblob(n: Any) -> bytes:
        size = max(1, n if type(n) is int else _helper.integer(n))
        limit = raw.limit(apsw.SQLITE_LIMIT_LENGTH)
        if size > limit:
            raise apsw.TooBigError(f"randomblob({size}) is over the limit of {limit} bytes")
        return store.chance.take(size)

    return {
        "random": random,
        "randomblob": randomblob,
        "rand": lambda: store.chance.integer(53) * 2.0**-53,
    }


class _DjangoRegistrar:
    """Takes Django's registrations and lets its date functions read and write the canonical text form."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.create_aggregate = connection.create_aggregate
        self.execute = connection.execute

    def create_function(self, name: str, narg: int, func: Callable[..., Any], *, deterministic: bool = False) -> None:
        if name.startswith("django_"):
            func = _canonical_django(func)
        self._connection.create_function(name, narg, func, deterministic=deterministic)


def _canonical_django(func: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args: canonical(func(*map(_plain, args)))


_NARGS = {"random": 0, "randomblob": 1, "rand": 0, "current_timestamp": 0, "current_date": 0, "current_time": 0}


def register(connection: Connection, store: Reading) -> None:
    """Put Django's functions on a connection, then the store's time and chance over them.

    They are not flagged deterministic: the clock moves between statements.
    """
    django_functions.register(_DjangoRegistrar(connection))
    for name, func in {**_time_functions(store), **_chance_functions(store, connection.handle)}.items():
        connection.create_function(name, _NARGS.get(name, -1), func)
