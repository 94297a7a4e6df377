"""How does a new instance begin: with which start, and then setup SQL and startup hooks?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import orjson

from worlds.engine import policy, results, sandbox
from worlds.engine.chance import Stream
from worlds.engine.clock import ClockMode, host_ms, iso, parse_instant
from worlds.engine.ctx import Ctx
from worlds.engine.errors import WorldBug
from worlds.engine.images import StartingState
from worlds.engine.names import schema_name
from worlds.engine.node import Node
from worlds.engine.position import Position
from worlds.engine.store import Store


@dataclass(frozen=True, slots=True)
class Start:
    """How an instance begins: what `reset` takes over every door."""

    fixture: str | None = None
    seed: int | None = None
    now: str | datetime | None = None
    clock_mode: ClockMode | None = None
    state_format: str | None = None
    task: Any = None
    startup: Mapping[str, Any] = field(default_factory=dict)
    setup_sql: str | None = None
    episode_id: str | None = None
    #: For a replay in another world: the name of the one whose ids and chance are drawn.
    drawing_as: str | None = None


def begins_ms(base: StartingState, start: Start) -> int:
    """The reading a clock starts at, in milliseconds since 1970.

    Raises: WorldBug for one before the fixture was frozen.
    """
    if start.now is None:
        return base.now_ms if base.now_ms is not None else host_ms()
    begin = parse_instant(start.now, "now")
    if base.now_ms is not None and begin < base.now_ms:
        raise WorldBug(f"now is {iso(begin)}, before fixture {start.fixture!r} was frozen at {iso(base.now_ms)}")
    return begin


def prepare(at: Position, start_keywords: Mapping[str, Any], setup_sql: str | None, seed: bytes) -> None:
    """Apply the setup SQL, then run the hooks, hosts before the worlds they embed. What they write is starting state.

    Raises: WorldBug for a statement that is refused, and whatever a hook raises; the instance is then not made.
    """
    if setup_sql is not None:
        _apply(at.nodes, setup_sql, seed)
        at.schedule_changed()
    if not any(node.world.startup_hooks for node in at.nodes):
        return
    with at.transaction.frame(at.root):
        for node in at.nodes:
            branch = at.tree.branches[node.path]
            has = at.tree.startup_of(branch, start_keywords)
            for hook in node.world.startup_hooks:
                given = {key: value for key, value in has.items() if hook.takes_any or key in hook.keywords}
                with at.entered(node):
                    hook.fn(Ctx(node, None), **given)


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


def _apply(nodes: Sequence[Node], setup_sql: str, seed: bytes) -> None:
    """Run the script over all stores at once: those of embedded worlds stand beside the root's under their paths."""
    root, *others = nodes
    for node in nodes:
        node.store.close()  # a connection does not notice what another writes
    # A stream of its own, so that an edit to the setup moves no id the episode draws.
    workbench = Store(
        root.path,
        root.store.pages,
        schema=root.store.schema,
        clock=root.store.clock,
        chance=Stream(seed, "setup"),
        attached={schema_name(node.path): node.store.pages for node in others},
    )
    beside = {(schema_name(node.path), table) for node in others for table in node.store.schema.tables}
    try:
        with workbench.transaction():
            workbench.take_reading()
            allowed = policy.setup_policy(root.store.schema.tables, beside)
            sandbox.run_script(workbench.raw, setup_sql, policy=allowed)
    finally:
        workbench.close()
