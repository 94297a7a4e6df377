"""Does an object have the shape that is published for it?"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Any

from worlds.stripe import facts

_DEEPEST = 30


def problems(name: str, value: Any) -> list[str]:
    """What is wrong with an object of that name, each with the way to it; none when it conforms."""
    return list(_object(name, value, name, 0))


def problems_of_answer(operation: facts.Operation, body: Any) -> list[str]:
    """What is wrong with the answer of an operation."""
    answer = operation.answer
    if answer is None or (isinstance(answer, str) and answer.startswith("binary:")):
        return []
    if isinstance(answer, dict):
        (kind, names), *_ = answer.items()
        return list(_page(kind, names, body, is_v2=operation.is_v2))
    return list(_one_of(answer if isinstance(answer, list) else [answer], body, "", 0))


def _page(kind: str, names: Any, body: Any, *, is_v2: bool) -> Iterator[str]:
    needed = {"data", "next_page_url"} if is_v2 else {"object", "data", "has_more", "url"}
    if not isinstance(body, dict) or not needed <= body.keys():
        yield f"the envelope lacks {sorted(needed - set(body))}"
        return
    if not is_v2 and body["object"] != kind:
        yield f"object is {body['object']!r}, not {kind!r}"
    for index, item in enumerate(body["data"]):
        yield from _one_of(names if isinstance(names, list) else [names], item, f"data[{index}]", 0)


def _one_of(names: list[Any], value: Any, path: str, depth: int) -> Iterator[str]:
    """The problems of the choice that fits best."""
    found = sorted((list(_object(name, value, path or name, depth)) for name in names), key=len)
    yield from found[0] if found else ()


def _object(name: str, value: Any, path: str, depth: int) -> Iterator[str]:
    shape = facts.objects()[name]
    if shape.one_of:
        yield from _one_of(list(shape.one_of), value, path, depth)
        return
    if not isinstance(value, dict):
        yield f"{path}: {value!r:.60} is no {name}"
        return
    for field, kind in shape.fields.items():
        if field in value:
            yield from _value(kind, value[field], f"{path}.{field}", depth)
        elif field not in shape.optional and not (field == "livemode" or is_nullable(kind)):
            yield f"{path}.{field} is missing"
    for field in value.keys() - shape.fields.keys():
        yield f"{path}.{field} is not published"


def is_nullable(kind: Any) -> bool:
    """May the value be null?"""
    kind = facts.resolved(kind)
    return isinstance(kind, list) and kind[0] == "null"


def _value(kind: Any, value: Any, path: str, depth: int) -> Iterator[str]:
    kind = facts.resolved(kind)
    if depth > _DEEPEST:
        return
    if isinstance(kind, str):
        if kind.startswith("@"):
            yield from _object(kind[1:], value, path, depth + 1)
        elif not _is_leaf(kind, value):
            yield f"{path}: {value!r:.60} is no {kind}"
        return
    yield from _COMPOSITE[kind[0]](kind, value, path, depth + 1)


def _is_leaf(kind: str, value: Any) -> bool:
    if kind in ("i", "ts"):
        return isinstance(value, int) and not isinstance(value, bool)
    if kind == "b":
        return isinstance(value, bool)
    if kind == "n":
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind == "dec":
        return isinstance(value, str) and _is_decimal(value)
    if kind == "any":
        return True
    return isinstance(value, str) and (not kind[1:].isdigit() or len(value) <= int(kind[1:]))


def _is_decimal(text: str) -> bool:
    try:
        return Decimal(text).is_finite()
    except InvalidOperation:
        return False


def _null(kind: list[Any], value: Any, path: str, depth: int) -> Iterator[str]:
    if value is not None:
        yield from _value(kind[1], value, path, depth)


def _enum(kind: list[Any], value: Any, path: str, depth: int) -> Iterator[str]:
    if value not in kind[1]:
        yield f"{path}: {value!r:.60} is none of {kind[1]!r:.200}"


def _array(kind: list[Any], value: Any, path: str, depth: int) -> Iterator[str]:
    if not isinstance(value, list):
        yield f"{path}: {value!r:.60} is no list"
        return
    for index, item in enumerate(value):
        yield from _value(kind[1], item, f"{path}[{index}]", depth)


def _map(kind: list[Any], value: Any, path: str, depth: int) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{path}: {value!r:.60} is no map"
        return
    for key, item in value.items():
        yield from _value(kind[1], item, f"{path}.{key}", depth)


def _fields(kind: list[Any], value: Any, path: str, depth: int) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{path}: {value!r:.60} is no object"
        return
    for field, item in value.items():
        if field in kind[1]:
            yield from _value(kind[1][field], item, f"{path}.{field}", depth)
        else:
            yield f"{path}.{field} is not published"
    for field in kind[2] if kind[2:] else ():
        if field not in value:
            yield f"{path}.{field} is missing"


def _any_of(kind: list[Any], value: Any, path: str, depth: int) -> Iterator[str]:
    yield from sorted((list(_value(choice, value, path, depth)) for choice in kind[1]), key=len)[0]


def _ref(kind: list[Any], value: Any, path: str, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        return
    if not isinstance(value, dict):
        yield f"{path}: {value!r:.60} is neither an id nor an object"
        return
    yield from _one_of([name for name in kind[1] if name in facts.objects()], value, path, depth)


def _list(kind: list[Any], value: Any, path: str, depth: int) -> Iterator[str]:
    if not isinstance(value, dict) or not {"object", "data", "has_more", "url"} <= value.keys():
        yield f"{path}: {value!r:.60} is no page"
        return
    yield from _array(["array", kind[1]], value["data"], f"{path}.data", depth)


_COMPOSITE = {
    "null": _null,
    "enum": _enum,
    "array": _array,
    "map": _map,
    "object": _fields,
    "any_of": _any_of,
    "ref": _ref,
    "list": _list,
    "clearable": _null,
}
