"""Is every move of a run listed, with what it changed?"""

from contextlib import suppress

from tests.engine.town import opened
from tests.worlds.lab.models import Box
from worlds.engine import ToolError, excerpts, timeline
from worlds.engine.timeline import Wanted

ALL = Wanted()


def busy(inst):
    """Two deposits, an hour, rows written in bulk, a box, a refusal."""
    inst.call("bank_deposit", amount=1)
    inst.call("bank_deposit", amount=2)
    inst.advance(hours=1)
    with inst.bulk("setup"):
        for number in range(3):
            Box.objects.create(id=f"b{number}", name=f"Bulk {number}", price=0)
    inst.call("make_box", name="Ærø")
    with suppress(ToolError):
        inst.call("make_box", name="Ærø")


def test_moves_stand_in_their_order_with_their_own_change_records():
    with opened() as inst:
        busy(inst)
        found = timeline.piece(inst, ALL, 0, 100)
        assert [(line.kind, line.number) for line in found.lines] == [
            ("call", 0), ("call", 1), ("advance", 0), ("bulk", 1), ("call", 2), ("call", 3),
        ]  # fmt: skip
        assert (found.fitting, found.total, found.calls) == (6, 6, 4)
        records = [record for line in found.lines for record in excerpts.changes(inst, line.first, line.last)[0]]
        assert records == excerpts.changes(inst)[0]
        assert [line.last - line.first for line in found.lines] == [1, 1, 0, 3, 1, 0]
        line = timeline.of_call(inst, 2)
        assert line is not None
        assert line[1:] == found.lines[4][1:]
        assert timeline.between(inst, 1) == found.lines[3]
        assert timeline.place_of(inst, 2) == 4


def test_every_piece_is_cut_from_the_whole():
    with opened() as inst:
        for _ in range(3):
            inst.advance(hours=1)
            inst.advance(hours=1)
            busy_again(inst)
        found = timeline.piece(inst, ALL, 0, 100).lines
        assert sum(not line.is_call for line in found) == 9
        for start in range(len(found) + 2):
            assert timeline.piece(inst, ALL, start, 3).lines == found[start : start + 3]
        for line in found:
            alone = timeline.of_call(inst, line.number) if line.is_call else timeline.between(inst, line.number)
            assert alone is not None
            assert alone.made is line.made
            assert excerpts.changes(inst, *alone[2:]) == excerpts.changes(inst, *line[2:])


def busy_again(inst):
    """A call that changes nothing, one that makes a box, a bulk, two calls."""
    inst.call("list_boxes")
    inst.call("make_box", name=f"Box {inst.call_count}")
    with inst.bulk():
        Box.objects.create(id=f"b{inst.call_count}", name=f"Bulk {inst.call_count}", price=0)
    inst.call("bank_deposit", amount=1)
    inst.call("list_boxes")


def test_moves_are_chosen_by_tool_end_rows_and_words():
    with opened() as inst:
        busy(inst)

        def chosen(**wanted):
            return [(line.kind, line.number) for line in timeline.piece(inst, Wanted(**wanted), 0, 100).lines]

        assert chosen(tool="make_box") == [("call", 2), ("call", 3)]
        assert chosen(only="failed") == [("call", 3)]
        assert chosen(only="changing") == [("call", 0), ("call", 1), ("bulk", 1), ("call", 2)]
        assert chosen(words=("ærø", "box_")) == [("call", 2)]
        assert chosen(words=("setup",)) == [("bulk", 1)]
        assert timeline.piece(inst, ALL, 0, 100).tools == ["bank_deposit", "make_box"]


def test_the_latest_begin_at_a_place_that_moves_only_now_and_then():
    with opened() as inst:
        starts = []
        for amount in range(1, 13):
            inst.call("bank_deposit", amount=amount)
            starts.append(timeline.piece(inst, ALL, None, 4).lines[0].number)
        assert starts == [0, 0, 0, 2, 2, 4, 4, 6, 6, 8, 8, 10]


def test_a_move_that_was_not_made_has_no_line():
    with opened() as inst:
        assert timeline.of_call(inst, 0) is None
        assert timeline.between(inst, 0) is None
        assert timeline.piece(inst, ALL, None, 100).lines == []
