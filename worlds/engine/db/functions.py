"""How do SQL's own time and chance obey the instance?

SQLite's date functions and `random()` are replaced on each connection: 'now' is the store's reading of the clock, the
random numbers come from the store's own stream. Everything else about them is SQLite's, asked of a private helper
connection.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from typing import Any, Protocol

import apsw
from django.db.backends.sqlite3 import _functions as django_functions

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


class _Helper(threading.local):
    """A connection with SQLite's own functions, one a thread since a connection serves one at a time."""

    def __init__(self) -> None:
        self.connection = apsw.Connection(":memory:")

    def __call__(self, name: str, *args: Any) -> Any:
        marks = ",".join("?" * len(args))
        return self.connection.execute(f"SELECT {name}({marks})", args).get


_builtin = _Helper()
_SUBSECOND = ("subsec", "subsecond")
#: What Django's `Now()` compiles to on SQLite; answered in the canonical text form, like every other instant.
_DJANGO_NOW = "%Y-%m-%d %H:%M:%f"
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


def _is_now(value: Any) -> bool:
    return isinstance(value, str) and value.lower() == "now"


def _time_functions(store: Reading) -> dict[str, Callable[..., Any]]:
    def moment() -> str:
        return iso(store.reading_ms)

    def with_now(args: tuple[Any, ...], first: int = 0) -> list[Any]:
        """The arguments with 'now' (and the instant that SQLite would imply) replaced by the reading."""
        filled = list(args)
        if len(filled) <= first:
            filled.append(moment())
        elif isinstance(filled[first], str) and filled[first].lower() in _SUBSECOND:
            filled.insert(first, moment())
        elif _is_now(filled[first]):
            filled[first] = moment()
        return filled

    def current_timestamp() -> str:
        return moment()

    def plain(name: str) -> Callable[..., Any]:
        return lambda *args: _builtin(name, *with_now(args))

    def datetime_(*args: Any) -> Any:
        if not args or (len(args) == 1 and _is_now(args[0])):
            return moment()
        # Milliseconds are asked for, since the canonical form has them.
        return canonical(_builtin("strftime", _DJANGO_NOW, *with_now(args)))

    def strftime(*args: Any) -> Any:
        if len(args) == 2 and args[0] == _DJANGO_NOW and _is_now(args[1]):
            return moment()
        return _builtin("strftime", *with_now(args, 1)) if args else None

    def timediff(*args: Any) -> Any:
        return _builtin("timediff", *(moment() if _is_now(value) else value for value in args))

    return {
        "current_timestamp": current_timestamp,
        "current_date": lambda: moment()[:10],
        "current_time": lambda: moment()[11:19],
        "date": plain("date"),
        "time": plain("time"),
        "julianday": plain("julianday"),
        "unixepoch": plain("unixepoch"),
        "datetime": datetime_,
        "strftime": strftime,
        "timediff": timediff,
    }


def _chance_functions(store: Reading, raw: apsw.Connection) -> dict[str, Callable[..., Any]]:
    def random() -> int:
        # abs(random()) must not overflow, so the least 64-bit integer never comes up.
        value = store.chance.integer(64) - 2**63
        return value if value != -(2**63) else 0

    def randomblob(n: Any) -> bytes:
        size = max(1, int(n or 0))
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
    for name, func in {**_time_functions(store), **_chance_functions(store, connection.raw)}.items():
        connection.create_function(name, _NARGS.get(name, -1), func)
