"""How does a new instance get from its image to its first call: setup SQL, then startup hooks?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from worlds.engine import policy, results, sandbox
from worlds.engine.chance import Stream
from worlds.engine.ctx import Ctx
from worlds.engine.errors import WorldBug
from worlds.engine.node import Node


def prepare(nodes: Sequence[Node], startup: Mapping[str, Any], setup_sql: str | None, seed: bytes) -> None:
    """Apply the setup SQL, then run the hooks; the caller has bound the root node. What they write is starting state.

    Raises: WorldBug for a statement that is refused, and whatever a hook raises; the instance is then not made.
    """
    root = nodes[0]
    if setup_sql is not None:
        _apply(root, setup_sql, seed)
    for hook in root.world.startup_hooks:
        given = {key: value for key, value in startup.items() if hook.takes_any or key in hook.keywords}
        with root.transaction():
            hook.fn(Ctx(root, None), **given)


def as_json(startup: Any, setup_sql: Any, task: Any) -> dict[str, Any]:
    """What the state document repeats of a start, as JSON of its own: {"startup", "setup_sql", "task"}.

    Raises: WorldBug naming what JSON cannot carry.
    """
    if not isinstance(startup, Mapping):
        raise WorldBug(f"startup must be a mapping of keywords, not {type(startup).__name__}")
    if odd := [key for key in startup if not isinstance(key, str)]:
        raise WorldBug(f"startup has the key {odd[0]!r:.60}; its keys are keywords, so text")
    if setup_sql is not None and not isinstance(setup_sql, str):
        raise WorldBug(f"setup_sql must be one text of SQL statements, not {type(setup_sql).__name__}")
    keywords = {key: _copied(value, f"startup keyword {key}") for key, value in startup.items()}
    return {"startup": keywords, "setup_sql": setup_sql, "task": _copied(task, "the task")}


def _copied(value: Any, what: str) -> Any:
    return None if value is None else orjson.loads(results.encode(value, what))


def _apply(root: Node, setup_sql: str, seed: bytes) -> None:
    # A stream of its own, so that an edit to the setup moves no id the episode draws.
    store = root.store
    drawn_by_episode, store.chance = store.chance, Stream(seed, "setup")
    try:
        with store.transaction():
            store.take_reading()
            sandbox.run_script(store.raw, setup_sql, policy=policy.setup_policy(store.schema.tables))
    finally:
        store.chance = drawn_by_episode
