"""What is different in the second form of the API: parts that are shown only when they are asked for?"""

from __future__ import annotations

import copy
from typing import Any

from worlds.stripe import facts
from worlds.stripe.api.call import Call


def included(call: Call, found: dict[str, Any]) -> dict[str, Any]:
    """The answer without those parts that `include` could have asked for, and did not: they are null."""
    asked = call.params.get("include") or ()
    hidden = [path for path in _can_be_asked_for(call.operation) if path not in asked]
    if not hidden:
        return found
    shown = copy.deepcopy(found)
    for path in hidden:
        *steps, last = path.split(".")
        here: Any = shown
        for step in steps:
            here = here.get(step) if isinstance(here, dict) else None
        if isinstance(here, dict) and last in here:
            here[last] = None
    for name in {path.partition(".")[0] for path in hidden if "." in path}:
        if isinstance(shown.get(name), dict) and not any(shown[name].values()):
            shown[name] = None
    return shown


def _can_be_asked_for(operation: facts.Operation) -> list[str]:
    shape = facts.resolved({**operation.query, **operation.body}.get("include", "s"))
    return list(facts.resolved(shape[1])[1]) if isinstance(shape, list) else []
