"""How does a test get a store with tables of its own, or have something done inside a call?"""

import itertools
from contextlib import contextmanager

import pytest

from worlds.engine import installed
from worlds.engine.chance import Stream
from worlds.engine.clock import Clock, parse_instant
from worlds.engine.db.pages import Pages, connect
from worlds.engine.schema import Schema
from worlds.engine.store import Store

NOW = "2026-06-01T09:00:00.000Z"
_names = (f"act {n}" for n in itertools.count())


@contextmanager
def open_store(ddl="", *, now=NOW, mode="fixed", seed=b"seed", untracked=frozenset()):
    """A store of its own, on tables made by `ddl`."""
    pages = Pages()
    with connect(pages) as raw:
        raw.execute(ddl).fetchall()
    schema = Schema(raw)
    raw.close()
    clock = Clock(parse_instant(now, "now"), mode)
    store = Store("main", pages, schema=schema, clock=clock, chance=Stream(seed, "sql"), untracked=frozenset(untracked))
    try:
        yield store
    finally:
        store.close()


def changes_of(store, *statements):
    """The net changes of some statements, run as one transaction."""
    store.begin_capture()
    try:
        with store.transaction():
            for statement in statements:
                sql, *params = (statement,) if isinstance(statement, str) else statement
                store.connection.run(sql, params)
    finally:
        changes, _ = store.end_capture()
    return changes


def fails(error, block, *steps, match=None):
    """Take steps inside a block, and see the error of one of them come out of it."""

    def run():
        with block:
            for step in steps:
                step()

    with pytest.raises(error, match=match):
        run()


def raising(error):
    """A step that raises `error`."""

    def step():
        raise error

    return step


def lab(**options):
    """A blank instance of the lab at nine o'clock."""
    return installed.get("lab").instance(**{"seed": 1, "now": NOW, **options})


def perform(inst, act, *, freely=False):
    """Have `act(ctx)` done inside a call; answers what it returned, JSON or not."""
    from tests.worlds.lab.tools import ACTS

    name, answers = next(_names), []
    ACTS[name] = lambda ctx: answers.append(act(ctx))
    try:
        inst.call("perform_freely" if freely else "perform", act=name)
    finally:
        del ACTS[name]
    return answers[0]
