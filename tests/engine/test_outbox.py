"""Can a world say what it wants sent, and does it learn what came of it?"""

import copy

import pytest

from tests.worlds.lab.models import Box
from worlds.engine import Ctx, Outgoing, WorldBug, installed


@pytest.fixture
def lab():
    """The lab, in a version that wants the name of each open box sent."""
    world = copy.copy(installed.get("lab"))

    def told(ctx: Ctx, key: str, outcome):
        box = Box.objects.get(pk=key)
        if outcome["status"] != 200:
            raise ValueError("it was not taken")
        box.is_open = False
        box.save()

    @world.outbox(told=told)
    def open_boxes(ctx: Ctx):
        for box in Box.objects.filter(is_open=True).order_by("name"):
            yield Outgoing(box.id, "http://localhost/boxes", ctx.clock.now(), body=box.name.encode())

    return world


@pytest.fixture
def inst(lab):
    with lab.instance(seed=1, now="2026-06-01T09:00:00Z") as made:
        made.call("make_box", name="alpha")
        made.call("make_box", name="beta")
        yield made


def test_an_instance_lists_what_its_worlds_want_sent(inst):
    assert [(node, each.body) for node, each in inst.outgoing()] == [("main", b"alpha"), ("main", b"beta")]


def test_a_report_is_a_move_of_its_own_at_which_the_clock_stands(inst):
    before, key = inst.clock.iso(), inst.outgoing()[0][1].key

    inst.report("main", key, {"status": 200})

    assert [each.body for _, each in inst.outgoing()] == [b"beta"]
    move = inst.export()["moves"][-1]
    assert (move["kind"], move["key"], move["outcome"], move["now"]) == ("report", key, {"status": 200}, before)
    assert [record["by"] for record in move["records"]] == ["outbox"]
    assert inst.call_count == 2


def test_a_report_that_fails_leaves_nothing(inst):
    key = inst.outgoing()[0][1].key

    with pytest.raises(ValueError, match="it was not taken"):
        inst.report("main", key, {"status": 500})

    assert len(inst.outgoing()) == 2
    assert inst.export()["moves"][-1]["error"]["code"] == "internal_error"


def test_going_back_past_the_checkpoints_tells_it_again(inst, settings):
    inst.report("main", inst.outgoing()[0][1].key, {"status": 200})
    inst.call("draw")
    before = inst.change_log()
    for _ in range(settings.SEAHAVEN_CHECKPOINTS_KEPT + 5):
        inst.call("draw")

    inst.rewind(call=2)

    assert inst.change_log() == before
    assert [each.body for _, each in inst.outgoing()] == [b"beta"]


def test_a_world_that_sends_nothing_is_told_nothing():
    with installed.get("lab").instance() as inst:
        assert inst.outgoing() == []
        with pytest.raises(WorldBug, match="world lab sends nothing; decorate"):
            inst.report("main", "key", {})
