import copy
import json

import orjson
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from tests.engine.episodes import calls, play
from tests.worlds.lab.models import Box
from worlds.engine import WorldBug, installed, state
from worlds.engine.registrations import BUILT_IN_FORMATS, CALLS, LAST_STEP, STATE

bank, lab = installed.get("bank"), installed.get("lab")
NOW = "2026-06-01T09:00:00.000Z"
ENVELOPE = [
    "format", "seahaven_version", "world", "composition", "fixture", "episode_id", "seed", "now", "clock_mode",
    "startup", "setup_sql", "call_count", "task", "state",
]  # fmt: skip


@pytest.fixture
def world():
    """The lab, to register formats with."""
    return copy.copy(lab)


def log(document):
    return document["state"]["db"]["log"]


# The envelope


def test_a_document_of_a_short_episode_is_this_one():
    with bank.instance(seed=7, now=NOW, episode_id="e1", task={"id": "save"}) as inst:
        inst.call("deposit", amount=5)
        with pytest.raises(Exception, match="boom"):
            inst.call("boom", why="no")
        inst.call("deposit", amount=2)
        document = inst.state("seahaven.state+calls/1", results=True)
        schema_hash = document["composition"]["main"].pop("schema_hash")
    assert len(schema_hash) == 64
    assert document == {
        "format": "seahaven.state+calls/1",
        "seahaven_version": state.package_version(),
        "world": {"name": "bank", "version": "1.0.0"},
        "composition": {
            "main": {
                "world": "bank",
                "world_version": "1.0.0",
                "scope": None,
                "aliases": [],
                "frozen_world_version": None,
            }
        },
        "fixture": None,
        "episode_id": "e1",
        "seed": 7,
        "now": "2026-06-01T09:00:03.000Z",
        "clock_mode": "tick",
        "startup": {},
        "setup_sql": None,
        "call_count": 3,
        "task": {"id": "save"},
        "state": {
            "db": {
                "log": [
                    {
                        "i": 0,
                        "world": "main",
                        "table": "accounts",
                        "op": "insert",
                        "key": {"id": "main"},
                        "before": None,
                        "after": {"id": "main", "balance": 5},
                        "seq": 0,
                    },
                    {
                        "i": 2,
                        "world": "main",
                        "table": "accounts",
                        "op": "update",
                        "key": {"id": "main"},
                        "before": {"balance": 5},
                        "after": {"balance": 7},
                        "seq": 1,
                    },
                ]
            },
            "calls": [
                {"tool": "deposit", "arguments": {"amount": 5}, "error": None, "result": 5},
                {"tool": "boom", "arguments": {"why": "no"}, "error": "boom: no", "result": None},
                {"tool": "deposit", "arguments": {"amount": 2}, "error": None, "result": 7},
            ],
        },
    }


@pytest.mark.parametrize("name", BUILT_IN_FORMATS)
def test_every_format_has_the_same_envelope_in_the_same_order(name):
    with bank.instance() as inst:
        assert list(inst.state(name)) == ENVELOPE
        assert list(orjson.loads(inst.state_json(name, step_count=4))) == [*ENVELOPE[:-1], "step_count", "state"]
    assert list(state.without_instance(bank, name)) == ENVELOPE


def test_before_the_first_reset_a_document_has_the_same_fields_with_nothing_in_them():
    document = state.without_instance(bank)
    assert document["world"] == {"name": "bank", "version": "1.0.0"}
    assert document["state"] == {"db": {"log": []}}
    assert [name for name in ENVELOPE if document[name] is None] == [
        "composition", "fixture", "episode_id", "seed", "now", "clock_mode", "setup_sql", "task",
    ]  # fmt: skip
    assert (document["call_count"], document["startup"]) == (0, {})
    assert state.without_instance(bank, CALLS)["state"] == {"db": {"log": []}, "calls": []}
    with pytest.raises(WorldBug, match="state format 'mine/1' is unknown to world bank"):
        state.without_instance(bank, "mine/1")


def test_reading_a_document_reads_the_clock_and_never_moves_it():
    with bank.instance(now=NOW) as inst:
        inst.call("deposit", amount=1)
        assert [inst.state()["now"] for _ in range(3)] == ["2026-06-01T09:00:01.000Z"] * 3
        assert inst.call_count == 1


def test_a_document_is_json_to_every_reader():
    with lab.instance() as inst:
        inst.call("make_box", name="é\u2028\x00")
        assert json.loads(inst.state_json()) == inst.state() == json.loads(json.dumps(inst.state()))


# The formats


@given(st.lists(calls, max_size=8))
@hypothesis_settings(max_examples=25)
def test_the_documents_of_all_last_steps_joined_are_the_whole_log(script):
    with lab.instance(now=NOW, seed=1) as inst:
        joined = log(inst.state(LAST_STEP))
        for move in script:
            before = inst.call_count
            play(inst, move)
            if inst.call_count > before:
                joined += log(inst.state(LAST_STEP))
        assert joined == log(inst.state()) == inst.change_log()
        assert [call["tool"] for call in inst.state(CALLS)["state"]["calls"]] == [c["tool"] for c in inst.call_log()]


def test_two_reads_of_the_last_step_are_equal_and_a_bulk_is_never_in_it():
    with lab.instance() as inst:
        inst.call("make_box", name="a")
        once = log(inst.state(LAST_STEP))
        with inst.bulk():
            Box.objects.create(id="b", name="b")
        assert log(inst.state(LAST_STEP)) == once
        assert [record["key"]["id"] for record in log(inst.state())] == [once[0]["key"]["id"], "b"]
        inst.call("list_boxes")
        assert log(inst.state(LAST_STEP)) == []


def test_records_say_their_call_in_order_failed_and_unknown_ones_counted_or_not():
    with lab.instance() as inst:
        inst.call("make_box", name="a")
        play(inst, ("call", "fail_after_writing", {"how": "bug"}))
        play(inst, ("call", "no_such_tool", {}))
        inst.call("tag_box", box="a", code="red")
        assert [record["i"] for record in inst.change_log()] == [0, 2, 2]
        assert [record["table"] for record in inst.change_log()] == ["boxes", "tags", "tags_boxes"]
        assert inst.call_count == 3


def test_results_are_there_only_when_asked_for():
    with bank.instance() as inst:
        inst.call("deposit", amount=1)
        assert "result" not in inst.state(CALLS)["state"]["calls"][0]
        assert inst.state(CALLS, results=True)["state"]["calls"][0]["result"] == 1
        assert inst.state(results=True) == inst.state()


def test_the_format_is_the_worlds_own_the_instances_or_the_readers(world):
    world.pinned_format = CALLS
    with world.instance() as inst:
        assert (inst.state()["format"], inst.state(STATE)["format"]) == (CALLS, STATE)
    with world.instance(state_format=LAST_STEP) as inst:
        assert inst.state()["format"] == LAST_STEP
        with pytest.raises(WorldBug, match="state format 'seahaven.state/2' is unknown to world lab; it has"):
            inst.state("seahaven.state/2")


def test_a_world_may_have_a_format_of_its_own(world):
    @world.state_format("boxes/1")
    def boxes(world, instance):
        if instance is None:
            return {"names": []}
        with instance.inspecting():
            return {"names": [box.name for box in Box.objects.order_by("name")], "changes": len(instance.diff())}

    with world.instance(state_format="boxes/1") as inst:
        inst.call("make_box", name="b")
        inst.call("make_box", name="a")
        document = inst.state()
        assert (list(document), document["state"]) == (ENVELOPE, {"names": ["a", "b"], "changes": 2})
    assert state.without_instance(world, "boxes/1")["state"] == {"names": []}


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda world, instance: [1], "state format own/1 of world lab answered list; it must be a dict"),
        (lambda world, instance: {"x": {1}}, "state format own/1 of world lab returned a set"),
        (lambda world, instance: {"x": instance and instance.call("make_box", name="c")}, "a formatter only reads"),
        (lambda world, instance: {"x": instance and instance.advance(seconds=1)}, "a formatter only reads"),
    ],
)
def test_a_format_that_is_no_json_object_or_changes_what_it_reads_is_a_bug(world, made, message):
    world.state_format("own/1")(made)
    with world.instance() as inst, pytest.raises(WorldBug, match=message):
        inst.state("own/1")


def test_a_document_cannot_be_read_inside_a_transaction():
    with lab.instance() as inst, inst.bulk(), pytest.raises(WorldBug, match="inside a tool call"):
        inst.state()


def test_thousands_of_calls_are_all_in_the_document():
    with bank.instance(now=NOW) as inst:
        for _ in range(2000):
            inst.call("deposit", amount=1)
        assert len(log(inst.state())) == 2000
        assert log(inst.state())[-1]["after"] == {"balance": 2000}
