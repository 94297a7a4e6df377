import os
import subprocess
import sys
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from tests.engine.episodes import dump, moves, play, position
from worlds.engine import ToolError, installed

lab = installed.get("lab")
NOW = "2026-06-01T09:00:00.000Z"


def test_two_runs_of_one_seed_give_equal_documents_across_processes():
    documents = []
    for hash_seed in ("1", "2"):
        run = subprocess.run(
            [sys.executable, "-m", "tests.engine.episodes", "4"],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            cwd=Path(__file__).resolve().parents[2],
            capture_output=True,
            check=True,
        )
        documents.append(orjson.loads(run.stdout))
    for document in documents:
        assert document.pop("episode_id")
    assert documents[0] == documents[1]
    assert len(documents[0]["state"]["db"]["log"]) > 10


@given(st.lists(moves, max_size=12), st.sampled_from(["tick", "fixed"]), st.integers(0, 3))
@hypothesis_settings(max_examples=30)
def test_the_same_moves_on_two_instances_of_one_seed_lead_to_the_same_position(script, mode, seed):
    ends = []
    for _ in range(2):
        with lab.instance(now=NOW, seed=seed, clock_mode=mode, episode_id="e") as inst:
            for move in script:
                play(inst, move)
            ends.append(position(inst))
    assert ends[0] == ends[1]


@given(st.lists(moves, max_size=12))
@hypothesis_settings(max_examples=30)
def test_whatever_was_played_the_next_instance_begins_as_the_first_one_did(script):
    with lab.instance(now=NOW, seed=1) as first:
        before = dump(first), first._at.moment()._replace(clock=())
        for move in script:
            play(first, move)
        with lab.instance(now=NOW, seed=1) as second:
            assert (dump(second), second._at.moment()._replace(clock=())) == before
    with lab.instance(now=NOW, seed=1) as third:
        assert (dump(third), third.change_log()) == (before[0], [])


def test_other_seeds_give_other_ids():
    drawn = set()
    for seed in (None, 0, 1):
        with lab.instance(seed=seed, now=NOW) as inst:
            drawn.add(inst.call("draw")["uuid"])
    assert len(drawn) == 3


def test_a_call_that_reads_costs_no_page_and_a_checkpoint_of_it_none():
    with lab.instance(now=NOW) as inst:
        inst.call("make_box", name="a")
        pages = dict(inst._at.root.store.pages.changed)
        inst.call("list_boxes")
        with pytest.raises(ToolError):
            inst.call("fail_after_writing", how="refusal")
        assert inst._at.root.store.pages.changed == pages
        kept = list(inst._at.steps._steps)
        assert [bool(step.undos) for step in kept] == [True, False, bool(kept[2].undos)]
        inst.rewind(call=1)
        assert inst._at.root.store.pages.changed == pages


def test_numbers_of_records_go_on_over_calls_events_and_bulks():
    with lab.instance(now=NOW) as inst:
        inst.call("make_box", name="a")
        inst.call("close_later", name="a", after_s=1)
        with inst.bulk() as ctx:
            ctx.db.execute("INSERT INTO tags (code) VALUES ('x')")
        inst.call("draw")
        assert [record["seq"] for record in inst.change_log()] == [0, 1, 2]


def test_the_alias_is_free_again_after_every_way_out():
    from django.db import connections

    with lab.instance() as inst:
        with pytest.raises(ToolError):
            inst.call("fail_after_writing", how="refusal")
        with pytest.raises(ZeroDivisionError), inst.bulk():
            raise ZeroDivisionError
        with pytest.raises(ZeroDivisionError), inst.inspecting():
            raise ZeroDivisionError
        assert connections["default"].vendor == "sqlite"
        assert connections["default"].settings_dict["NAME"] != ":seahaven:"
