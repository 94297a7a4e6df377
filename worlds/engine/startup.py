"""How does a new instance get from its image to its first call: setup SQL, then startup hooks?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from worlds.engine import results, sandbox
from worlds.engine.chance import Stream
from worlds.engine.ctx import Ctx
from worlds.engine.errors import WorldBug
from worlds.engine.node import Node


def prepare(nodes: Sequence[Node], startup: Mapping[str, Any], setup_sql: str | None, seed: bytes) -> None:
    """Apply the setup SQL, then run the hooks; the caller has bound the root node. What they write is starting state.

    Raises: WorldBug for a statement that is refused and for keywords a hook lacks; the instance is then not made.
    """
    root = nodes[0]
    if setup_sql is not None:
        _apply(root, setup_sql, seed)
    for hook in root.world.startup_hooks:
        given = {key: value for key, value in startup.items() if hook.takes_any or key in hook.keywords}
        with root.store.transaction():
            try:
                hook.fn(Ctx(root, None), **given)
            except TypeError as error:
                if "missing" in str(error) and "keyword-only" in str(error):
                    raise WorldBug(f"startup hook {hook.fn.__name__}: {error}; pass it in startup={{…}}") from error
                raise


def check_json(startup: Mapping[str, Any]) -> None:
    """Startup keywords are rendered in the state document, so they must be JSON.

    Raises: WorldBug naming the keyword.
    """
    if not isinstance(startup, Mapping):
        raise WorldBug(f"startup must be a mapping of keywords, not {type(startup).__name__}")
    for key, value in startup.items():
        results.encode(value, f"startup keyword {key}")


def _apply(root: Node, setup_sql: str, seed: bytes) -> None:
    # A stream of its own, so that an edit to the setup moves no id the episode draws.
    store = root.store
    drawn_by_episode, store.chance = store.chance, Stream(seed, "setup")
    try:
        with store.transaction():
            store.take_reading()
            sandbox.run_script(store.raw, setup_sql, policy=sandbox.setup_policy(store.schema.tables))
    finally:
        store.chance = drawn_by_episode
