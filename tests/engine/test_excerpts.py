"""Are pieces of the logs the same as the logs?"""

import json

from tests.engine.town import opened
from worlds.engine import excerpts


def test_pieces_put_together_are_the_whole():
    with opened() as inst:
        for name in "abcd":
            inst.call("make_box", name=name)
        log = inst.change_log()
        pieces = [excerpts.changes(inst, at, at + 3) for at in range(0, 6, 3)]
        assert [json.loads(record) for found, _ in pieces for record in found] == log
        assert {total for _, total in pieces} == {4}
        assert excerpts.change_count(inst) == 4
        assert [json.loads(record) for record in excerpts.changes_of_call(inst, 2)] == log[2:3]
        assert excerpts.changes_of_call(inst, 9) == []
        assert excerpts.changes(inst, 9, 12) == ([], 4)


def test_a_piece_stays_what_it_was_when_the_run_is_taken_back():
    with opened() as inst:
        inst.call("make_box", name="a")
        inst.call("make_box", name="b")
        found, _ = excerpts.changes(inst)
        inst.rewind(call=-1)
        assert len(found) == 2
        assert excerpts.changes(inst) == ([], 0)


def test_calls_have_their_ordinals_and_results_when_asked_for():
    with opened() as inst:
        for amount in (1, 2, 3):
            inst.call("bank_deposit", amount=amount)
        found, total = excerpts.calls(inst, 1, 3)
        assert ([call["ordinal"] for call in found], total) == ([1, 2], 3)
        assert "result" not in found[0]
        found, _ = excerpts.calls(inst, 0, 9, results=True)
        assert [call["result"] for call in found] == [1, 3, 6]
