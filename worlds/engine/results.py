"""Is this something JSON can carry?"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Awaitable, Iterable, Iterator, Mapping
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from math import isfinite
from typing import Any
from uuid import UUID

import orjson
from pydantic import BaseModel

from worlds.engine.errors import WorldBug

_OPTIONS = orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_DATACLASS
#: What orjson writes: a signed or an unsigned integer of 64 bits, and structures this deep.
_INT_MIN, _INT_MAX = -(2**63), 2**64 - 1
_DEPTH = 250
#: What every JSON parser reads.
_PLAIN_DEPTH = 100
_PATH_LIMIT = 200

#: Types that JSON lacks, the first that fits, with the edit to make.
_EDITS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    ((bytes, bytearray, memoryview), "decode it to text, or send it as base64"),
    ((set, frozenset), "return sorted(...) of it, a list with one order"),
    ((date, time), "return its .isoformat(), or ctx.clock.iso() for the present"),
    (timedelta, "return its .total_seconds()"),
    (UUID, "return str(...) of it"),
    (Decimal, "return str(...) of it, or money in integer cents"),
    (Enum, "return its .value"),
    (tuple, "return its ._asdict(), or a plain tuple"),
    (Mapping, "return dict(...) of it"),
    (Awaitable, "call something that is not async"),
    (Iterator, "return list(...) of it"),
    (type, "return an instance of it, or its name"),
    (Iterable, "return list(...) of it"),
)


def encode(value: Any, what: str) -> bytes:
    """A tool's result as JSON text.

    Carried: dict with text keys, list, tuple, str, int of 64 bits, finite float, bool, None, pydantic models and
    dataclasses. A subclass counts as its base, so members of Django's TextChoices and IntegerChoices are carried.
    Raises: WorldBug that begins with `what`, names the culprit's place as in `$.items[3].owner` and the edit to make.
    """
    try:
        text = orjson.dumps(value, option=_OPTIONS)
    except TypeError:
        pass
    else:
        # orjson also writes UUIDs and every enum, and NaN as null: what it wrote of those reads back as another value.
        if orjson.loads(text) == value:
            return text
    return orjson.dumps(_Reader(what).read(value))


def plain_json(value: Any) -> bytes | None:
    """The JSON text of a value made of nothing but JSON's own types; None for every other."""
    if not _is_plain(value, 0):
        return None
    try:
        return orjson.dumps(value)
    except TypeError:  # an integer of more than 64 bits, or half a surrogate pair
        try:
            return json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            return None


def _is_plain(value: Any, depth: int) -> bool:
    kind = type(value)
    if kind is str or kind is int or kind is bool or value is None:
        return True
    if kind is float:
        return isfinite(value)
    if depth > _PLAIN_DEPTH:
        return False
    if kind is dict:
        return all(type(key) is str and _is_plain(item, depth + 1) for key, item in value.items())
    return kind is list and all(_is_plain(item, depth + 1) for item in value)


class _Reader:
    """Rebuilds a result from JSON's own types, and knows the place of what cannot be."""

    __slots__ = ("_open", "_path", "_what")

    def __init__(self, what: str) -> None:
        self._what = what
        self._path: list[str | int] = []
        self._open: set[int] = set()

    def read(self, value: Any) -> Any:
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, int):
            if not _INT_MIN <= value <= _INT_MAX:
                raise self._bug("an int of more than 64 bits", "return str(...) of it")
            return int.__int__(value)
        if isinstance(value, float):
            if not isfinite(value):
                raise self._bug(f"the float {float(value)}", "JSON has no such number, return None for it")
            return float.__float__(value)
        if isinstance(value, dict):
            return self._mapping(value, value)
        if isinstance(value, list) or type(value) is tuple:
            return self._list(value)
        if isinstance(value, BaseModel):
            return self._mapping(value, self._dump(value))
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return self._mapping(value, {f.name: getattr(value, f.name) for f in dataclasses.fields(value)})
        raise self._refusal(type(value))

    def _text(self, value: str) -> str:
        text = str.__str__(value)
        if not text.isascii():
            try:
                text.encode()
            except UnicodeEncodeError:
                raise self._bug("text with half a surrogate pair", "return text that is Unicode") from None
        return text

    def _mapping(self, owner: Any, items: Any) -> Any:
        if not isinstance(items, dict):  # a pydantic RootModel
            return self.read(items)
        self._enter(owner)
        out = {}
        for key, item in items.items():
            if not isinstance(key, str):
                raise self._bug(f"a dict with the {type(key).__name__} key {key!r:.60}", "write str(...) of its keys")
            self._path.append(key)
            out[self._text(key)] = self.read(item)
            self._path.pop()
        self._open.discard(id(owner))
        return out

    def _list(self, items: list[Any] | tuple[Any, ...]) -> list[Any]:
        self._enter(items)
        out = []
        for index, item in enumerate(items):
            self._path.append(index)
            out.append(self.read(item))
            self._path.pop()
        self._open.discard(id(items))
        return out

    def _enter(self, container: Any) -> None:
        if id(container) in self._open:
            raise self._bug(f"{_named(type(container))} that contains itself", "return a copy without the loop")
        if len(self._open) >= _DEPTH:
            raise self._bug(f"a structure of more than {_DEPTH} levels", "return a flat list instead")
        self._open.add(id(container))

    def _dump(self, model: BaseModel) -> Any:
        try:
            return model.model_dump(mode="json")
        except ValueError as error:  # pydantic: no serializer for a value, or a loop
            first_line = str(error).partition("\n")[0]
            raise self._bug(
                f"{_named(type(model))} that pydantic cannot dump", f"change its fields: {first_line:.200}"
            ) from error

    def _refusal(self, kind: type) -> WorldBug:
        bases = {base.__name__ for base in kind.__mro__}
        if "QuerySet" in bases or "BaseManager" in bases:
            return self._bug(_named(kind), "return [row.as_dict() for row in ...], rows must not leave the call unread")
        if hasattr(kind, "_meta") and not issubclass(kind, type):
            return self._bug(f"{_named(kind)} (a model instance)", "return its as_dict()")
        for kinds, edit in _EDITS:
            if issubclass(kind, kinds):
                return self._bug(_named(kind), edit)
        return self._bug(_named(kind), "return a dict, list, str, int, float, bool, None, pydantic model or dataclass")

    def _bug(self, found: str, edit: str) -> WorldBug:
        path = "$" + "".join(map(step, self._path))
        if len(path) > _PATH_LIMIT:
            path = f"{path[: _PATH_LIMIT // 2]}...{path[-_PATH_LIMIT // 2 :]}"
        return WorldBug(f"{self._what} returned {found} at {path}; {edit}")


def step(name: str | int) -> str:
    """One step of a path into JSON: `.owner`, `[3]`."""
    if isinstance(name, str) and name.isidentifier():
        return f".{name}"
    return f"[{name!r:.60}]"


def _named(kind: type) -> str:
    # By letter, not by sound: "a UUID" and "a User" are right, and so is nearly every class name.
    return f"{'an' if kind.__name__[0] in 'AEIOaeio' else 'a'} {kind.__name__}"
