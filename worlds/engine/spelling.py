"""How is a Python value written down that JSON cannot carry?

For a reader, as text he recognises; for a replay, exactly: {"$": "bytes", "of": "AP8="} where JSON has no such value,
and as JSON wherever it has.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from math import isfinite
from typing import Any
from uuid import UUID

import orjson

#: Marks an object that stands for another value.
_MARK = "$"
#: The kind of what no text can hold, an object of some class: what it was shown as is all that is kept.
_SHOWN = "shown"
#: The integers that orjson writes.
_INT_MIN, _INT_MAX = -(2**63), 2**64 - 1
#: Structures deeper than this are only shown: spelled, they have twice as many levels.
_DEPTH = 60


# For a reader.


def lossy(values: dict[Any, Any]) -> bytes:
    """An object of which a value or a name cannot be JSON: each that can as it is, the others as text."""
    shown: dict[str, Any] = {}
    for name, value in values.items():
        try:
            text = orjson.dumps(value, default=readable, option=orjson.OPT_NON_STR_KEYS)
        except TypeError:
            text = orjson.dumps(_text(value))
        shown[_text(name)] = orjson.Fragment(text)
    return orjson.dumps(shown)


def readable(value: Any) -> Any:
    """What is no JSON, as text a reader recognises; for `orjson.dumps(default=…)`."""
    if isinstance(value, set | frozenset):
        return sorted(value, key=repr)
    dump = getattr(value, "model_dump", None)
    return dump(mode="json") if callable(dump) else str(value)


def _text(value: Any) -> str:
    try:
        return str(value).encode(errors="backslashreplace").decode()
    except RecursionError:
        return f"a {type(value).__name__} of too many levels"
    except ValueError:  # Python prints no integer of more than some thousand digits
        return hex(value) if isinstance(value, int) else f"a {type(value).__name__} with a number of too many digits"


# For a replay.


def spell(value: Any) -> Any:
    """A value as `unspell` reads it back, for orjson to write; an object of some class is only shown."""
    return _spell(value, 0)


def _spell(value: Any, depth: int) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _spell_text(value)
    if isinstance(value, int):
        return int(value) if _INT_MIN <= value <= _INT_MAX else _marked("int", hex(value))
    if isinstance(value, float):
        return float(value) if isfinite(value) else _marked("float", repr(float(value)))
    if depth >= _DEPTH:
        return _shown(value)
    if isinstance(value, dict):
        return _spell_dict(value, depth + 1)
    if isinstance(value, list):
        return [_spell(item, depth + 1) for item in value]
    for kind, types, write in _WRITERS:
        if isinstance(value, types):
            written = write(value)
            return _marked(kind, [_spell(i, depth + 1) for i in written] if isinstance(written, list) else written)
    return _shown(value)


def _spell_text(value: str) -> Any:
    try:
        value.encode()
    except UnicodeEncodeError:
        return _marked("text", json.dumps(value)[1:-1])
    return str(value)


def _spell_dict(value: dict[Any, Any], depth: int) -> Any:
    items = [(_spell(key, depth), _spell(item, depth)) for key, item in value.items()]
    if _MARK not in value and all(isinstance(key, str) for key, _ in items):
        return dict(items)
    return _marked("dict", [list(item) for item in items])


def _marked(kind: str, of: Any) -> dict[str, Any]:
    return {_MARK: kind, "of": of}


def _shown(value: Any) -> dict[str, Any]:
    try:
        text = orjson.dumps(value, default=readable, option=orjson.OPT_NON_STR_KEYS)
    except TypeError:
        text = orjson.dumps(_text(value))
    kind = type(value)
    return _marked(_SHOWN, orjson.Fragment(text)) | {"type": f"{kind.__module__}.{kind.__qualname__}"}


def unspell(value: Any) -> Any:
    """The value that was spelled; what was only shown is what it was shown as.

    Raises: ValueError for what `spell` does not write.
    """
    if isinstance(value, list):
        return [unspell(item) for item in value]
    if not isinstance(value, dict):
        return value
    if _MARK not in value:
        return {key: unspell(item) for key, item in value.items()}
    kind, of = value[_MARK], value.get("of")
    if kind == _SHOWN:
        return of
    try:
        return _READERS[kind](of)
    except (ArithmeticError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{value!r:.80} is nothing that was spelled ({type(error).__name__}: {error})") from None


def only_shown(value: Any) -> list[str]:
    """The classes of the objects that a spelled value only shows."""
    if isinstance(value, list):
        return [name for item in value for name in only_shown(item)]
    if not isinstance(value, dict):
        return []
    if value.get(_MARK) == _SHOWN:
        return [str(value.get("type"))]
    return [name for item in value.values() for name in only_shown(item)]


def _items(of: Any) -> list[Any]:
    if not isinstance(of, list):
        raise TypeError("it must be a list")
    return [unspell(item) for item in of]


def _sorted(value: Any) -> list[Any]:
    return sorted(value, key=repr)


#: The kind, what it stands for, how it is written. A datetime is a date too, so it comes first.
_WRITERS: tuple[tuple[str, type | tuple[type, ...], Callable[[Any], Any]], ...] = (
    ("bytes", (bytes, bytearray, memoryview), lambda value: base64.b64encode(bytes(value)).decode()),
    ("tuple", tuple, list),
    ("set", set, _sorted),
    ("frozenset", frozenset, _sorted),
    ("datetime", datetime, datetime.isoformat),
    ("date", date, date.isoformat),
    ("time", time, time.isoformat),
    ("timedelta", timedelta, lambda value: [value.days, value.seconds, value.microseconds]),
    ("decimal", Decimal, str),
    ("uuid", UUID, str),
)
_READERS: dict[str, Callable[[Any], Any]] = {
    "bytes": lambda of: base64.b64decode(of, validate=True),
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
    "decimal": Decimal,
    "dict": lambda of: {unspell(key): unspell(item) for key, item in of},
    "float": float,
    "frozenset": lambda of: frozenset(_items(of)),
    "int": lambda of: int(of, 16),
    "set": lambda of: set(_items(of)),
    "text": lambda of: json.loads(f'"{of}"'),
    "time": time.fromisoformat,
    "timedelta": lambda of: timedelta(*of),
    "tuple": lambda of: tuple(_items(of)),
    "uuid": UUID,
}
