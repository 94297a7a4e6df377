"""How is an agent told which of its arguments do not fit, and why?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

_MAX_VIOLATIONS = 100


def violations_of(error: ValidationError, arguments: Any) -> list[dict[str, str]]:
    """What the agent reads: pydantic's errors without what they echo of the arguments, cut to a bearable size."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    violations = [
        {
            "path": f"{'.'.join(_place(each['loc'], arguments, each['type'])):.200}",
            "message": f"{each['msg'].removeprefix('Value error, ').removeprefix('Assertion failed, '):.500}",
            "type": each["type"],
        }
        for each in found[:_MAX_VIOLATIONS]
    ]
    if len(found) > _MAX_VIOLATIONS:
        more = len(found) - _MAX_VIOLATIONS
        violations.append({"path": "", "message": f"and {more} more", "type": "too_many_violations"})
    return violations


def _place(steps: tuple[str | int, ...], value: Any, kind: str) -> Iterator[str]:
    """The steps that lead through the arguments; pydantic adds labels of its own, such as a union's members."""
    for step in steps:
        try:
            value = value[step]
        except (IndexError, KeyError, TypeError):
            if not (step is steps[-1] and kind.startswith("missing")):
                continue
        yield str(step)
