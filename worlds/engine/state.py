"""What does a grader read? The state document: where a run came from, and what it changed.

The shape is the published `seahaven.state/1`; fields are only ever added.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import orjson

from worlds.engine.composing import Tree
from worlds.engine.errors import WorldBug
from worlds.engine.registrations import BUILT_IN_FORMATS, CALLS, LAST_STEP, STATE, Registrations
from worlds.engine.results import encode


@cache
def package_version() -> str:
    """The installed version, `0.0.0+unknown` from a bare checkout."""
    try:
        return version("seahaven-django")
    except PackageNotFoundError:
        return "0.0.0+unknown"


def composition(tree: Tree, base: Any) -> dict[str, Any]:
    """Every node of a tree by its path, the root's is `main`."""
    frozen = base.fixture.sidecar.nodes if base.fixture else {}
    return {
        path: {
            "world": branch.world.name,
            "world_version": branch.world.version,
            "scope": branch.scope,
            "aliases": list(branch.aliases),
            "schema_hash": base.schemas[path].fingerprint,
            "frozen_world_version": frozen[path].world_version if path in frozen else None,
        }
        for path, branch in tree.branches.items()
    }


def envelope(inst: Any, format: str) -> dict[str, Any]:
    """Everything of the document but `state`, in order; producing it reads the clock and never moves it."""
    start = inst.start
    return {
        "format": format,
        "seahaven_version": package_version(),
        "world": {"name": inst.world.name, "version": inst.world.version},
        "composition": inst.composition(),
        "fixture": inst.base.fixture.reference() if inst.base.fixture else None,
        "episode_id": inst.episode_id,
        "seed": start.seed,
        "now": inst.clock.iso(),
        "clock_mode": inst.clock.mode,
        "startup": inst.given["startup"],
        "setup_sql": inst.given["setup_sql"],
        "call_count": inst.call_count,
        "task": inst.given["task"],
    }


def render(inst: Any, at: Any, format: str, *, results: bool = False, extra: dict[str, Any] | None = None) -> bytes:
    """The document as JSON; `extra` goes between the envelope and `state`.

    The log is kept rendered, so this joins it: a document of 60,000 records costs milliseconds.
    """
    head = envelope(inst, format) | (extra or {})
    if format not in BUILT_IN_FORMATS:
        return orjson.dumps(head)[:-1] + b',"state":' + _custom(inst.world, format, inst, at) + b"}"
    records = at.log.records if format != LAST_STEP else at.log.of_call(len(at.calls) - 1)
    body = b'{"db":{"log":[' + b",".join(records) + b"]}"
    if format == CALLS:
        body += b',"calls":' + orjson.dumps([record.as_dict(with_result=results) for record in at.calls])
    return orjson.dumps(head)[:-1] + b',"state":' + body + b"}}"


def _custom(world: Registrations, format: str, inst: Any = None, at: Any = None) -> bytes:
    """What a world's own formatter makes, as JSON.

    Raises: WorldBug for what is no JSON object, and for a formatter that changed the instance it was to read.
    """
    before = _progress(at)
    made = world.state_formats[format](world, inst)
    if _progress(at) != before:
        raise WorldBug(f"state format {format} of world {world.name} changed the instance; a formatter only reads")
    if not isinstance(made, dict):
        raise WorldBug(f"state format {format} of world {world.name} answered {type(made).__name__}; it must be a dict")
    return encode(made, f"state format {format} of world {world.name}")


def _progress(at: Any) -> Any:
    return at and (len(at.calls), len(at.log.records), len(at.between), [node.store.version for node in at.nodes])


def without_instance(world: Registrations, format: str = STATE) -> dict[str, Any]:
    """The document before the first reset: the same fields, with nothing in them."""
    if world.check_state_format(format) in BUILT_IN_FORMATS:
        state: dict[str, Any] = {"db": {"log": []}} | ({"calls": []} if format == CALLS else {})
    else:
        state = orjson.loads(_custom(world, format))
    return {
        "format": format,
        "seahaven_version": package_version(),
        "world": {"name": world.name, "version": world.version},
        "composition": None,
        "fixture": None,
        "episode_id": None,
        "seed": None,
        "now": None,
        "clock_mode": None,
        "startup": {},
        "setup_sql": None,
        "call_count": 0,
        "task": None,
        "state": state,
    }
