import pytest

from worlds.engine import installed, schedule
from worlds.engine.clock import parse_instant
from worlds.engine.models import ScheduledEvent

lab = installed.get("lab")
NOW = parse_instant("2026-06-01T09:00:00Z", "now")


@pytest.fixture
def db():
    with lab.instance() as inst, inst.bulk() as ctx:
        yield ctx.db


def test_the_event_due_next_is_the_earliest_and_of_one_instant_the_one_scheduled_first(db):
    for at, key in ((NOW + 2, 1), (NOW + 1, 3), (NOW + 1, 2)):
        schedule.add(db, schedule.Event(at, key, "h", None))
    seen = []
    while (event := schedule.first(db)) is not None:
        seen.append((event.at - NOW, event.id))
        assert schedule.remove(db, event.id)
    assert seen == [(1, 2), (1, 3), (2, 1)]


def test_an_event_comes_back_as_it_was_scheduled(db):
    event = schedule.Event(NOW, 7, "close_box", {"name": "é", "n": [1, None]})
    schedule.add(db, event)
    assert schedule.first(db) == event


def test_crossing_off_what_is_not_there_says_so(db):
    assert schedule.first(db) is None
    assert not schedule.remove(db, 1)


def test_the_schedule_is_no_part_of_the_change_log():
    with lab.instance() as inst:
        inst.call("close_later", name="x", after_s=3600)
        assert inst.change_log() == []
        assert inst.inspect().one("SELECT count(*) AS n FROM seahaven_events") == {"n": 1}


def test_the_table_is_the_one_the_model_stands_for():
    with lab.instance() as inst:
        with inst.bulk() as ctx:
            ctx.schedule("2026-06-01T10:00:00Z", "close_box", {"name": "x"})
        with inst.inspecting():
            event = ScheduledEvent.objects.get()
            assert str(event) == "close_box at 2026-06-01 10:00:00+00:00"
            assert event.payload == {"name": "x"}
    assert ScheduledEvent._meta.db_table == schedule.TABLE
