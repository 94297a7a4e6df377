"""How does what a request gave become an object of the published shape?

What does not fit is left out, what must be there and was not given gets a value of its kind: so whatever is formed
conforms, whoever asked for it with whatever.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from worlds.stripe import facts
from worlds.stripe.api.decoding import Upload

#: For a value that does not fit.
UNFIT: Any = object()
#: Refers to objects by their ids where they stand whole.
_STANDS_IN = "id"
_INSTANTS = ("created", "expires_at", "expires", "effective_at", "updated", "sent", "date", "timestamp")


@dataclass(frozen=True, slots=True)
class Forming:
    """What an object is formed with: the time, and where the objects that stand whole in it are found.

    Without `load` their ids are kept, for a later time; only in the object's own fields, not deeper.
    """

    now: datetime
    load: Callable[[tuple[str, ...], str], dict[str, Any] | None] | None = None
    keeps_ids: bool = True

    def _deeper(self) -> Forming:
        return replace(self, keeps_ids=False) if self.keeps_ids else self

    def object(self, name: str, values: dict[str, Any]) -> dict[str, Any]:
        """An object of that name, from the values that are known."""
        shape = facts.objects()[name]
        found: dict[str, Any] = {}
        for field in dict.fromkeys(("id", "object", *shape.fields)):
            if field not in shape.fields:
                continue
            kind = facts.resolved(shape.fields[field])
            value = self.fit(kind, values[field]) if values.get(field) is not None else UNFIT
            if value is UNFIT:
                value = self._absent(shape, field, kind)
            if value is not UNFIT:
                found[field] = value
        return found

    def part(self, name: str, values: dict[str, Any]) -> dict[str, Any]:
        """Some fields of an object, without the others."""
        fields = facts.objects()[name].fields
        fits = {field: self.fit(fields[field], value) for field, value in values.items() if field in fields}
        return {field: value for field, value in fits.items() if value is not UNFIT}

    def _absent(self, shape: facts.ObjectShape, field: str, kind: Any) -> Any:
        if field == "livemode":
            return False
        if field == "object" and isinstance(kind, list) and kind[0] == "enum":
            return kind[1][0]
        if isinstance(kind, list) and kind[0] == "null":
            return None
        if field in shape.optional:
            return UNFIT
        if kind in ("ts", "s") and (kind == "ts" or field in _INSTANTS):
            return self._instant(kind)
        return self.default(kind)

    def _instant(self, kind: str) -> Any:
        return int(self.now.timestamp()) if kind == "ts" else self.now.strftime("%Y-%m-%dT%H:%M:%S.000Z")

    def default(self, kind: Any) -> Any:
        """What stands where something must and nothing is known."""
        kind = facts.resolved(kind)
        if isinstance(kind, str):
            if kind.startswith("@"):
                return self.object(choices(kind[1:])[0], {})
            if kind == "ts":
                return self._instant(kind)
            return {"i": 0, "n": 0, "b": False, "any": None, "dec": "0", "cur": "usd"}.get(kind, "")
        match kind[0]:
            case "null":
                return None
            case "enum":
                return kind[1][0]
            case "array":
                return []
            case "map":
                return {}
            case "list":
                return _page([], kind)
            case "object":
                return {name: self.default(kind[1][name]) for name in (kind[2] if kind[2:] else ())}
            case "any_of":
                return self.default(kind[1][0])
        return ""

    def fit(self, kind: Any, value: Any) -> Any:
        """The value as its shape wants it, or UNFIT."""
        kind = facts.resolved(kind)
        if isinstance(value, Upload):
            return UNFIT
        if isinstance(kind, str):
            return self._embedded(kind[1:], value) if kind.startswith("@") else _leaf(kind, value)
        match kind[0]:
            case "null":
                return None if value is None or value == "" else self.fit(kind[1], value)
            case "clearable":
                return self.fit(kind[1], value)
            case "enum":
                return value if value in kind[1] else UNFIT
            case "array":
                return self._items(kind[1], value) if isinstance(value, list) else UNFIT
            case "map":
                return self._deeper()._map(kind[1], value)
            case "object":
                return self._deeper()._fields(kind, value)
            case "any_of":
                return self._deeper()._best(kind[1], value)
            case "ref":
                return _id(value)
            case "list":
                items = value.get("data") if isinstance(value, dict) else value
                return _page(self._deeper()._items(kind[1], items), kind) if isinstance(items, list) else UNFIT
        return UNFIT

    def _items(self, kind: Any, values: list[Any]) -> list[Any]:
        return [item for value in values if (item := self.fit(kind, value)) is not UNFIT]

    def _map(self, kind: Any, value: Any) -> Any:
        if not isinstance(value, dict):
            return UNFIT
        return {key: item for key, given in value.items() if (item := self.fit(kind, given)) is not UNFIT}

    def _fields(self, kind: list[Any], value: Any) -> Any:
        if not isinstance(value, dict):
            return UNFIT
        found = {name: item for name, given in value.items()
                 if name in kind[1] and (item := self.fit(kind[1][name], given)) is not UNFIT}  # fmt: skip
        for name in kind[2] if kind[2:] else ():
            if name not in found:
                found[name] = self.default(kind[1][name])
        return found

    def _best(self, kinds: list[Any], value: Any) -> Any:
        """The choice that keeps most of the value."""
        fits = [fit for kind in kinds if (fit := self.fit(kind, value)) is not UNFIT]
        return max(fits, key=lambda fit: len(fit) if isinstance(fit, dict) else 0) if fits else UNFIT

    def _embedded(self, name: str, value: Any) -> Any:
        names = choices(name)
        if isinstance(value, str):
            with_id = tuple(each for each in names if _STANDS_IN in facts.objects()[each].fields)
            if not with_id or not value:
                return UNFIT
            if self.load is None:
                return value if self.keeps_ids else UNFIT
            return self.load(with_id, value) or self.object(with_id[0], {"id": value})
        if not isinstance(value, dict):
            return UNFIT
        own = value.get("object")
        if own not in names:
            own = max(names, key=lambda each: len(facts.objects()[each].fields.keys() & value.keys()))
        return self._deeper().object(own, value)


def choices(name: str) -> tuple[str, ...]:
    """The objects a name may stand for."""
    shape = facts.objects()[name]
    return tuple(each for inner in shape.one_of for each in choices(inner)) if shape.one_of else (name,)


def _page(items: list[Any], kind: list[Any]) -> dict[str, Any]:
    return {"object": "list", "data": items, "has_more": False, "url": kind[2] if len(kind) > 2 else ""}


def _id(value: Any) -> Any:
    if isinstance(value, dict):
        value = value.get("id")
    return value if isinstance(value, str) and value else UNFIT


def _leaf(kind: str, value: Any) -> Any:
    if kind == "any":
        return value
    if isinstance(value, dict | list) or value is None or kind == "bin":
        return UNFIT
    if kind in ("i", "ts"):
        return _whole(value)
    if kind == "b":
        return value if isinstance(value, bool) else UNFIT
    if kind in ("n", "dec"):
        return _decimal(kind, value)
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if kind[1:].isdigit():
        text = text[: int(kind[1:])]
    return text.lower() if kind == "cur" else text


def _whole(value: Any) -> Any:
    try:
        return UNFIT if isinstance(value, bool) else int(value)
    except ValueError:
        return UNFIT


def _decimal(kind: str, value: Any) -> Any:
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return UNFIT
    if not number.is_finite():
        return UNFIT
    if kind == "dec":
        return str(value)
    return int(number) if number == number.to_integral_value() else float(number)
