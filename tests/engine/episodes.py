"""How is an episode at random played in the lab, and how are two positions of one compared?

`python -m tests.engine.episodes <seed>` plays one and prints its document, for a comparison across processes.
"""

import random
import sys
from contextlib import suppress
from typing import Any

from django.db.utils import DatabaseError
from hypothesis import strategies as st

BOXES = ("alpha", "beta", "gamma")
#: What a move may end in: a refusal, a bug of the world's, SQLite's own refusal.
ENDINGS = (ValueError, DatabaseError)

_box = st.sampled_from(BOXES)
_seconds = st.integers(0, 5)


def _call(tool, /, **arguments):
    return st.fixed_dictionaries(arguments).map(lambda given: ("call", tool, given))


calls = st.one_of(
    _call("make_box", name=_box, price=st.sampled_from(["0.10", "2.50"]), facts=st.just({"a": [1, None, "é"]})),
    _call("change_box", name=_box, price=st.sampled_from(["0.10", "9.99"]), is_open=st.booleans()),
    _call("drop_box", name=_box),
    _call("put_item", box=_box, label=st.sampled_from(["pen", "cup"]), weight=st.none() | st.integers(1, 3)),
    _call("tag_box", box=_box, code=st.sampled_from(["red", "blue"])),
    _call("draw"),
    _call("remember", what=_box),
    _call("fail_after_writing", how=st.sampled_from(["refusal", "bug", "set", "queryset", "dangling"])),
    _call("write_twice_and_fail"),
    _call("close_later", name=_box, after_s=_seconds, again_after_s=_seconds, fail=st.booleans()),
    _call("break_later", after_s=_seconds),
    _call("forget_event", event=st.integers(1, 6)),
    _call("make_box", name=st.integers()),
    _call("no_such_tool"),
)
requests = st.tuples(
    st.just("request"),
    st.one_of(
        st.tuples(st.just("POST"), st.just("/boxes"), _box.map('{{"name": "{}"}}'.format)),
        st.tuples(st.sampled_from(["GET", "PUT"]), st.sampled_from(["/boxes", "/bug"]), st.just("")),
        st.tuples(st.just("POST"), st.just("/echo"), st.sampled_from([b"\xff\x00", "é", "x" * 40_000])),
    ),
)
#: What a replay can do again.
repeatable = st.one_of(calls, calls, calls, st.tuples(st.just("advance"), st.integers(0, 7)), requests)
moves = st.one_of(repeatable, repeatable, repeatable, st.tuples(st.just("bulk"), _box))


def play(inst, move):
    """Make one move; how it ends is part of the episode."""
    from tests.worlds.lab.models import Box
    from worlds.engine import HttpRequest, SeahavenError

    kind, *details = move
    with suppress(SeahavenError, *ENDINGS):
        if kind == "call":
            inst.call(details[0], **details[1])
        elif kind == "advance":
            inst.advance(seconds=details[0])
        elif kind == "request":
            (method, path, body), *node = details
            inst.http(HttpRequest.of(method, path, body=body), *node)
        else:
            with inst.bulk() as ctx:
                Box.objects.create(id=ctx.ids.token(8), name=details[0])


def position(inst):
    """Everything that decides what an instance answers from here on, and everything it has answered."""
    at = inst._at
    moment = at.moment()
    return {
        "document": inst.state("seahaven.state+calls/1", results=True) | {"now": "", "fixture": None},
        "log": inst.change_log(),
        "now": inst.clock.ms() if inst.clock.mode in ("fixed", "tick") else None,
        "streams": moment.streams,
        "states": moment.states,
        "seq": moment.seq,
        "dump": dump(inst),
    }


def dump(inst):
    """Every row of every table but SQLite's own, as SQLite prints it."""
    raw = inst._at.root.store.raw
    names = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
    return {
        name: sorted(map(repr, raw.execute(f'SELECT rowid, * FROM "{name}"')))
        for (name,) in raw.execute(names).fetchall()
    }


def scripted(seed, length=30):
    """A list of moves that a seed decides, for those who cannot ask hypothesis."""
    rng = random.Random(seed)
    box = lambda: rng.choice(BOXES)  # noqa: E731
    makers: tuple[Any, ...] = (
        lambda: ("call", "make_box", {"name": box()}),
        lambda: ("call", "put_item", {"box": box(), "label": "pen", "weight": rng.randrange(5)}),
        lambda: ("call", "tag_box", {"box": box(), "code": rng.choice(["red", "blue"])}),
        lambda: ("call", "draw", {}),
        lambda: ("call", "change_box", {"name": box(), "price": "7.25"}),
        lambda: ("call", "close_later", {"name": box(), "after_s": rng.randrange(4), "again_after_s": 2}),
        lambda: ("call", "fail_after_writing", {"how": rng.choice(["refusal", "bug", "set"])}),
        lambda: ("call", "drop_box", {"name": box()}),
        lambda: ("advance", rng.randrange(5)),
        lambda: ("bulk", box()),
    )
    return [rng.choice(makers)() for _ in range(length)]


if __name__ == "__main__":
    import logging

    import django

    django.setup()
    logging.disable(logging.CRITICAL)
    from worlds.engine import installed

    with installed.get("lab").instance(seed=7, now="2026-06-01T09:00:00.000Z", startup={"owner": "Zoë"}) as inst:
        for move in scripted(int(sys.argv[1])):
            play(inst, move)
        sys.stdout.buffer.write(inst.state_json("seahaven.state+calls/1", results=True))
