"""How do ids become objects where the request asks for it with `expand[]`?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from worlds.stripe import facts
from worlds.stripe.api import errors
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError

_DEEPEST = 4
#: Answers the object of an id, or None: by object name.
LOADERS: dict[str, Callable[[Call, str], dict[str, Any] | None]] = {}
#: Makes a part that is shown only when asked for, from its object as shown: by (object, field).
PARTS: dict[tuple[str, str], Callable[[Call, dict[str, Any]], Any]] = {}


def check(operation: facts.Operation, paths: list[str]) -> None:
    """Refuse what cannot be expanded, before anything is done."""
    is_list = isinstance(operation.answer, dict)
    names = _names(operation.answer)
    for path in paths:
        steps = path.split(".")
        if len(steps) > _DEEPEST:
            raise StripeError(
                f"You cannot expand more than {_DEEPEST} levels of a property. Property: {path}", param="expand"
            )
        if path == "total_count" and "search_result" in (operation.answer or ()):
            continue
        if is_list and steps[0] != "data":
            raise errors.cannot_expand(steps[0], f"data.{steps[0]}")
        _check(names, steps[1:] if is_list else steps, "data." if is_list else "")


def _names(answer: Any) -> list[str]:
    """The objects an answer holds, {"list": name} or {"search_result": name} too."""
    if isinstance(answer, dict):
        (answer,) = answer.values()
    if isinstance(answer, list):
        return [name for name in answer if isinstance(name, str)]
    return [answer] if isinstance(answer, str) else []


def _check(names: list[str], steps: list[str], done: str) -> None:
    if not steps:
        return
    step, rest = steps[0], steps[1:]
    shapes = [shape for name in names for shape in _choices(name) if step in shape.expandable]
    if not shapes:
        raise errors.cannot_expand(done + step)
    below = [name for shape in shapes for name in _inside(shape.fields.get(step, "any"))]
    if rest and rest[0] == "data":
        rest = rest[1:]
    _check(below, rest, f"{done}{step}.")


def _choices(name: str) -> list[facts.ObjectShape]:
    shape = facts.objects().get(name)
    if shape is None:
        return []
    return [each for inner in shape.one_of for each in _choices(inner)] if shape.one_of else [shape]


def _inside(kind: Any) -> list[str]:
    """The objects a field may hold."""
    kind = facts.resolved(kind)
    if isinstance(kind, str):
        return [kind[1:]] if kind.startswith("@") else []
    if kind[0] == "ref":
        return list(kind[1])
    if kind[0] == "any_of":
        return [name for choice in kind[1] for name in _inside(choice)]
    return _inside(kind[1]) if kind[0] in ("null", "array", "list", "map") else []


def expand(call: Call, answer: dict[str, Any], paths: list[str]) -> None:
    """Put objects in the place of ids, in the answer itself."""
    names = _names(call.operation.answer)
    for path in paths:
        steps = path.split(".")
        if isinstance(answer.get("data"), list) and steps[0] == "data":
            for item in answer["data"]:
                _expand(call, item, names, steps[1:])
        else:
            _expand(call, answer, names, steps)


def _expand(call: Call, here: Any, names: list[str], steps: list[str]) -> None:
    if not steps or not isinstance(here, dict):
        return
    step, rest = steps[0], steps[1:]
    if step == "data" and isinstance(here.get("data"), list):
        for item in here["data"]:
            _expand(call, item, names, rest)
        return
    own = here.get("object")
    if isinstance(own, str) and own in facts.objects():
        names = [own]
    shape = next((s for name in names for s in _choices(name) if step in s.fields), None)
    if shape is None:
        return
    below = _inside(shape.fields[step])
    if here.get(step) is None and (shape.name, step) in PARTS:
        here[step] = PARTS[shape.name, step](call, here)
    value = here.get(step)
    if isinstance(value, str):
        here[step] = value = _loaded(call, below, value)
    elif isinstance(value, list):
        here[step] = value = [_loaded(call, below, item) if isinstance(item, str) else item for item in value]
    for item in value if isinstance(value, list) else [value]:
        _expand(call, item, below, rest)


def _loaded(call: Call, names: list[str], id: str) -> Any:
    for name in names:
        if name in LOADERS and (found := LOADERS[name](call, id)) is not None:
            return found
    return id
