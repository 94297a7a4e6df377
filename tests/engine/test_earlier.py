"""Can it be seen how things were after an earlier call, without the instance noticing?"""

from collections.abc import Sequence

import pytest

from tests.engine.town import opened
from worlds.engine import WorldBug, earlier
from worlds.engine.earlier import START, Earlier, Way


def reached(inst, call: int, kept: Sequence[Earlier] = ()) -> Earlier:
    found = earlier.find(inst, call, kept)
    return earlier.go(found)[-1] if isinstance(found, Way) else found


def balance(inst):
    return inst.inspect().one("SELECT balance FROM bank.accounts")


def test_every_call_is_reached_and_the_instance_stays_where_it_is():
    with opened() as inst:
        for amount in range(1, 41):
            inst.call("bank_deposit", amount=amount)
        before = inst.state_json()
        kept: list[Earlier] = []
        for call in (39, 20, 22, 0, 5, 38, START):
            found = reached(inst, call, kept)
            kept.append(found)
            assert found.instance.call_count == call + 1
            assert found.instance.state()["state"]["db"]["log"] == inst.state()["state"]["db"]["log"][: call + 1]
            if call != START:
                assert balance(found.instance) == {"balance": sum(range(1, call + 2))}
        assert inst.state_json() == before
        for each in kept:
            each.instance.destroy()


def test_what_is_kept_is_used_as_long_as_it_is_of_the_same_run():
    with opened() as inst:
        for amount in range(1, 6):
            inst.call("bank_deposit", amount=amount)
        kept = reached(inst, 3)
        assert earlier.find(inst, 3, [kept]) is kept
        inst.rewind(call=1)
        inst.call("bank_deposit", amount=70)
        inst.call("bank_deposit", amount=80)
        found = reached(inst, 3, [kept])
        assert found is not kept
        assert balance(found.instance) == {"balance": 1 + 2 + 70 + 80}
        kept.instance.destroy()
        found.instance.destroy()


def test_moves_between_calls_are_on_the_way_from_one_that_is_kept():
    with opened(clock_mode="tick") as inst:
        for amount in range(1, 21):
            inst.call("bank_deposit", amount=amount)
            inst.advance(hours=1)
        near = reached(inst, 0)
        found = earlier.find(inst, 2, [near])
        assert isinstance(found, Way)
        assert found.near is near is not None
        (there,) = earlier.go(found)
        assert isinstance(there, Earlier)
        assert len(there.instance.export()["moves"]) == 5
        assert there.instance.export()["moves"] == inst.export()["moves"][:5]
        near.instance.destroy()
        there.instance.destroy()


def test_a_long_way_leaves_points_that_make_the_next_one_short(monkeypatch):
    monkeypatch.setattr(earlier, "STRIDE", 10)
    with opened() as inst:
        for amount in range(1, 71):
            inst.call("bank_deposit", amount=amount)
        way = earlier.find(inst, 45, [])
        assert isinstance(way, Way)
        made = earlier.go(way)
        assert [each.call for each in made] == [10, 20, 30, 40, 45]
        for each in made:
            assert balance(each.instance) == {"balance": sum(range(1, each.call + 2))}
        back = earlier.find(inst, 43, made)
        assert isinstance(back, Way)
        assert back.twin.call_count == 46  # a fork of the one after 45, from where it is a small step
        (there,) = earlier.go(back)
        assert balance(there.instance) == {"balance": sum(range(1, 45))}
        for each in [*made, there]:
            each.instance.destroy()


def test_rows_written_in_bulk_are_no_hindrance_after_them_and_one_before(settings):
    settings.SEAHAVEN_CHECKPOINTS_KEPT = 2
    with opened() as inst:
        for amount in range(1, 6):
            inst.call("bank_deposit", amount=amount)
        with inst.bulk():
            pass
        for amount in range(6, 20):
            inst.call("bank_deposit", amount=amount)
        there = reached(inst, 8)
        assert balance(there.instance) == {"balance": sum(range(1, 10))}
        there.instance.destroy()


def test_a_call_that_was_not_made_is_refused_and_leaves_no_fork():
    with opened() as inst:
        inst.call("bank_deposit", amount=1)
        with pytest.raises(WorldBug, match="no call 1: 1 calls were made"):
            earlier.find(inst, 1, [])
