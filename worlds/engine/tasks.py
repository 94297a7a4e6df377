"""What is an agent asked to do in a world, from which fixture, and how is that graded?"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from worlds.engine.errors import WorldBug
from worlds.engine.names import check_name

#: Turns a state document into a reward.
Grade = Callable[..., float]


@dataclass(frozen=True, slots=True)
class Task:
    """An instruction, where it is given, and its grader: made by `@task`, found in `World.tasks`."""

    id: str
    #: What the agent reads.
    instruction: str
    fixture: str | None
    fn: Grade = field(repr=False)
    seed: int | None = None
    startup: Mapping[str, Any] = field(default_factory=dict)

    def grade(self, document: Mapping[str, Any]) -> float:
        """The reward of a run, of its state document: 1 for done, 0 for not, or a part of it.

        Raises: WorldBug for a grader that answers what is no number.
        """
        reward = self.fn(document)
        if isinstance(reward, bool) or not isinstance(reward, int | float) or not math.isfinite(reward):
            raise WorldBug(f"the grader of task {self.id} answered {reward!r:.80}; let it return a number")
        return float(reward)

    def as_dict(self) -> dict[str, Any]:
        """What `task=` is given, so that the state document says which task a run is of: {"id", "instruction"}."""
        return {"id": self.id, "instruction": self.instruction}


def as_task(
    fn: Any,
    world: str,
    *,
    fixture: str | None,
    id: str | None = None,
    instruction: str | None = None,
    seed: int | None = None,
    startup: Mapping[str, Any] | None = None,
) -> Task:
    """The task that a grader is registered as; its docstring is the instruction unless one is given.

    Raises: WorldBug for a bad id, a task that asks nothing, and a grader that does not take one document.
    """
    key = check_name(id or getattr(fn, "__name__", ""), "a task id")
    said = inspect.cleandoc(instruction or getattr(fn, "__doc__", None) or "")
    if not said:
        raise WorldBug(f"world {world}: task {key} asks nothing; write the instruction as the docstring of {key}")
    if not callable(fn) or inspect.iscoroutinefunction(fn):
        raise WorldBug(f"world {world}: the grader of task {key} must be a plain function (document) -> float")
    try:
        inspect.signature(fn).bind({})
    except TypeError:
        raise WorldBug(f"world {world}: the grader of task {key} must take one state document") from None
    return Task(key, said, fixture, fn, seed, dict(startup or {}))
