"""Where do two answers differ, path by path, when ids and instants are whose they are?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from seahaven.fidelity.bodies import Body
from seahaven.fidelity.cassette import Response
from seahaven.fidelity.learning import Learned, collection_of, noun_of, parsed_instant

#: What a difference can be, in the words of reports and of files of differences.
KINDS = {
    "status": "another status",
    "missing": "recorded, and not in the world's answer",
    "extra": "in the world's answer, and not recorded",
    "type": "another type of JSON value",
    "value": "another value",
    "identity": "another thing's id",
    "time": "another instant, measured from when it was asked",
    "order": "the same items in another order",
    "body": "a body of another kind",
    "failed": "the world raised an error that is no answer",
}
#: Stands for the side of a difference that has no value.
NOTHING = "\0nothing"

_PLAIN_KEY = re.compile(r"[A-Za-z_][\w-]*")
_OF_TIME = re.compile(
    r"creat|updat|modif|expir|date|time|deadline|due|arriv|(?:^|_)(?:start|end|until|since|exp|iat|nbf)|_(?:at|on|start|end)$|[a-z]At$"
)
_DIGIT = re.compile(r"\d")
_DAY_S = 24 * 3600
#: Numbers that may be seconds since 1970: from 2000 to 2100.
_EPOCH_S = range(946_684_800, 4_102_444_800)


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference; `note` says what the values alone do not."""

    path: str
    kind: str
    recorded: Any
    world: Any
    note: str = ""


@dataclass(frozen=True, slots=True)
class Comparing:
    """How answers to one request are compared.

    Units: `recorded_at` and `world_at` are when it was asked, there and here; instants may be `tolerance_s` apart.
    """

    learned: Learned
    recorded_at: datetime
    world_at: datetime
    tolerance_s: float = 5
    #: The path that was asked, for what the numbers in its answer are of.
    asked: str = ""

    def responses(self, recorded: Response, got: Response) -> Iterator[Difference]:
        """Every difference between two answers."""
        if recorded.status != got.status:
            yield Difference("status", "status", recorded.status, got.status)
        yield from self._headers(recorded, got)
        yield from self.bodies(recorded.body, got.body)

    def bodies(self, recorded: Body | None, got: Body | None) -> Iterator[Difference]:
        if recorded is not None and recorded.kind == "left_out":
            return
        if recorded is None or got is None:
            if recorded is not None:
                yield Difference("$", "missing", recorded.value, NOTHING, "no body at all")
            elif got is not None:
                yield Difference("$", "extra", NOTHING, got.value, "a body where there was none")
        elif recorded.kind != got.kind:
            yield Difference("$", "body", f"{recorded.kind}: {recorded.value}", f"{got.kind}: {got.value}")
        elif recorded.kind == "base64":
            if recorded.value != got.value:
                yield Difference("$", "value", f"{len(recorded.value)} bytes", f"{len(got.value)} bytes", "other bytes")
        else:
            yield from self.values(recorded.value, got.value)

    def values(self, recorded: Any, got: Any, path: str = "$", key: str = "", parent: str = "") -> Iterator[Difference]:
        """Every difference between two JSON values; `key` is the nearest name above, `parent` the one above that."""
        kinds = type_of(recorded), type_of(got)
        if isinstance(recorded, dict) and isinstance(got, dict):
            yield from self._objects(recorded, got, path, key)
        elif isinstance(recorded, list) and isinstance(got, list):
            yield from self._lists(recorded, got, path, key, parent)
        elif isinstance(recorded, str) and isinstance(got, str):
            yield from self._texts(recorded, got, path, key)
        elif kinds[0] != kinds[1]:
            if not (isinstance(recorded, str) and kinds[1] in ("number", "text") and self._stands_for(recorded, got)):
                yield Difference(path, "type", recorded, got, f"{kinds[0]} there, {kinds[1]} here")
        elif recorded != got or kinds[0] == "number":
            yield from self._numbers(recorded, got, path, key, parent)

    def _stands_for(self, recorded: str, got: Any) -> bool:
        """Is it a number that was redacted?"""
        return recorded.startswith("REDACTED_") and self.learned.same_text(recorded, str(got), "secret") is None

    def _objects(self, recorded: dict[str, Any], got: dict[str, Any], path: str, key: str) -> Iterator[Difference]:
        # Ids first: what else is in there may mention them.
        for name in sorted(recorded, key=lambda name: name != "id"):
            where = _below(path, name)
            if name in got:
                yield from self.values(recorded[name], got[name], where, name, key)
            elif (ours := self.learned.text(name)) in got:  # keyed by an id
                yield from self.values(recorded[name], got[ours], where, name, key)
            else:
                yield Difference(where, "missing", recorded[name], NOTHING)
        known = {self.learned.text(name) for name in recorded} | recorded.keys()
        for name in got:
            if name not in known:
                yield Difference(_below(path, name), "extra", NOTHING, got[name])

    def _lists(self, recorded: list[Any], got: list[Any], path: str, key: str, parent: str) -> Iterator[Difference]:
        pairs, is_moved = self._paired(recorded, got, key)
        if is_moved:
            yield Difference(path, "order", [_head(item) for item in recorded], [_head(item) for item in got])
        for at, index in pairs:
            yield from self.values(recorded[at], got[index], f"{path}[{at}]", key, parent)
        for at in sorted(set(range(len(recorded))) - {at for at, _ in pairs}):
            yield Difference(f"{path}[{at}]", "missing", recorded[at], NOTHING)
        for index in sorted(set(range(len(got))) - {index for _, index in pairs}):
            yield Difference(f"{path}[{index}]", "extra", NOTHING, got[index])

    def _paired(self, recorded: list[Any], got: list[Any], key: str) -> tuple[list[tuple[int, int]], bool]:
        """Which items of two lists belong together, and whether the world has those that do in another order."""
        noun = noun_of("id", key) if key not in ("", "data", "items", "results") else collection_of(self.asked)
        names = {_name(item): index for index, item in reversed(list(enumerate(got))) if _name(item) is not None}
        pairs = []
        for at, item in enumerate(recorded):
            name = _name(item)
            ours = self.learned.ours(name, noun) if isinstance(item, dict) else self.learned.value(name, key)
            index = names.pop(ours if ours is not None else name, None) if name is not None else None
            if index is not None:
                pairs.append((at, index))
        is_moved = any(a > b for (_, a), (_, b) in zip(pairs, pairs[1:], strict=False))
        rest_there = [at for at in range(len(recorded)) if at not in {at for at, _ in pairs}]
        rest_here = [index for index in range(len(got)) if index not in {index for _, index in pairs}]
        return sorted([*pairs, *zip(rest_there, rest_here, strict=False)]), is_moved

    def _texts(self, recorded: str, got: str, path: str, key: str) -> Iterator[Difference]:
        there, here = parsed_instant(recorded), parsed_instant(got)
        if there is not None and here is not None and _DIGIT.sub("0", recorded) == _DIGIT.sub("0", got):
            yield from self._instants(recorded, got, _seconds(there), _seconds(here), path, len(recorded) == 10)
            return
        note = self.learned.same_text(recorded, got, key)
        if note is not None:
            yield Difference(path, "identity" if note else "value", recorded, got, note)

    def _numbers(self, recorded: Any, got: Any, path: str, key: str, parent: str) -> Iterator[Difference]:
        if not (isinstance(recorded, int | float) and not isinstance(recorded, bool)):
            yield Difference(path, "value", recorded, got)
            return
        if isinstance(recorded, int) and isinstance(got, int):
            noun = noun_of(key, parent if parent not in ("", "data", "items", "results") else collection_of(self.asked))
            if noun:
                note = self.learned.same_number(recorded, got, noun)
                if note is not None:
                    yield Difference(path, "identity", recorded, got, note)
                return
            for unit in (1, 1000):
                if self._may_be_time(recorded / unit, got / unit, key):
                    yield from self._instants(recorded, got, recorded / unit, got / unit, path)
                    return
        if recorded != got:
            yield Difference(path, "value", recorded, got)

    def _may_be_time(self, recorded_s: float, got_s: float, key: str) -> bool:
        if int(recorded_s) not in _EPOCH_S or int(got_s) not in _EPOCH_S:
            return False
        return bool(_OF_TIME.search(key)) or abs(recorded_s - self.recorded_at.timestamp()) < 400 * _DAY_S

    def _instants(
        self, recorded: Any, got: Any, recorded_s: float, got_s: float, path: str, is_day: bool = False
    ) -> Iterator[Difference]:
        since_there, since_here = recorded_s - self.recorded_at.timestamp(), got_s - self.world_at.timestamp()
        apart = since_here - since_there
        if abs(apart) > max(self.tolerance_s, _DAY_S if is_day else 0):
            note = f"{_span(since_there)} there, {_span(since_here)} here"
            yield Difference(path, "time", recorded, got, note)
        elif recorded != got:
            self.learned.same_time(recorded, got)

    def _headers(self, recorded: Response, got: Response) -> Iterator[Difference]:
        for name in dict.fromkeys(name for name, _ in recorded.headers):
            there = [_plain(name, value) for key, value in recorded.headers if key == name]
            here = [_plain(name, value) for key, value in got.headers if key.lower() == name]
            path = f"header {name}"
            if not here:
                yield Difference(path, "missing", ", ".join(there), NOTHING)
            elif len(there) != len(here):
                yield Difference(path, "value", ", ".join(there), ", ".join(here))
            else:
                for one, other in zip(there, here, strict=True):
                    yield from self._texts(one, other, path, name)


def type_of(value: Any) -> str:
    """What JSON calls a value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return "text" if isinstance(value, str) else "list" if isinstance(value, list) else "object"


def _below(path: str, name: str) -> str:
    if _PLAIN_KEY.fullmatch(name):
        return f"{path}.{name}"
    quoted = name.replace("\\", "\\\\").replace("'", "\\'")
    return f"{path}['{quoted}']"


def _name(item: Any) -> Any:
    """By what an item of a list is told from the others."""
    if isinstance(item, dict):
        id_ = item.get("id")
        return id_ if isinstance(id_, str | int) else None
    return item if isinstance(item, str | int) else None


def _head(item: Any) -> Any:
    name = _name(item)
    return name if name is not None else "…"


def _plain(name: str, value: str) -> str:
    return value.partition(";")[0].strip().lower() if name == "content-type" else value


def _seconds(moment: datetime | date) -> float:
    at = moment if isinstance(moment, datetime) else datetime.combine(moment, datetime.min.time())
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()


def _span(seconds: float) -> str:
    """How long before or after it was asked."""
    size, side = abs(seconds), "after" if seconds >= 0 else "before"
    for unit, length in (("days", _DAY_S), ("hours", 3600), ("minutes", 60)):
        if size >= 2 * length:
            return f"{size / length:.4g} {unit} {side} it was asked"
    return f"{size:.4g} s {side} it was asked"
