"""Is there one time inside an instance, and does it move only as its mode says?"""

import datetime
import threading
import time

import pytest
from django.db import models
from django.utils import timezone
from django.utils.timezone import now as imported_now
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.workbench import NOW, lab, perform
from worlds.engine.clock import MODES, Clock, ClockView, from_ms, host_ms, is_canonical, iso, parse_instant, to_ms
from worlds.engine.errors import WorldBug

UTC = datetime.UTC
START = parse_instant(NOW, "now")
SECOND = 1000

moments = st.datetimes(
    datetime.datetime(1, 1, 2), datetime.datetime(9999, 12, 30), timezones=st.timezones() | st.just(UTC)
)


# Text and numbers.


@given(moments)
def test_an_instant_survives_its_text_to_the_millisecond(moment):
    text = iso(moment)
    assert is_canonical(text)
    assert parse_instant(text, "text") == to_ms(moment) == parse_instant(moment, "moment")
    assert iso(to_ms(moment)) == text
    assert datetime.timedelta(0) <= moment - from_ms(to_ms(moment)) < datetime.timedelta(milliseconds=1)


@given(moments, moments)
def test_the_order_of_texts_is_the_order_of_instants(one, other):
    assert (iso(one) < iso(other)) == (to_ms(one) < to_ms(other))
    assert (iso(one) == iso(other)) == (to_ms(one) == to_ms(other))


@given(moments)
def test_an_instant_in_any_offset_is_one_instant(moment):
    assert parse_instant(moment.isoformat(), "text") == parse_instant(moment.astimezone(UTC).isoformat(), "text")


def test_microseconds_are_cut_and_not_rounded():
    assert iso(datetime.datetime(2026, 1, 1, 0, 0, 0, 123999, tzinfo=UTC)) == "2026-01-01T00:00:00.123Z"
    assert iso(datetime.datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)) == "1969-12-31T23:59:59.999Z"


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("2026-06-01T09:00:00.000Z", True),
        ("0001-01-01T00:00:00.000Z", True),
        ("2026-06-01T09:00:00Z", False),
        ("2026-06-01T09:00:00.000+00:00", False),
        ("2026-06-01 09:00:00.000Z", False),
        ("2026-06-01T09:00:00.0000Z", False),
        ("2026-02-29T09:00:00.000Z", False),
        ("2026-13-01T09:00:00.000Z", False),
        ("0000-01-01T09:00:00.000Z", False),
        ("2026-06-01T09:00:00.000Z\n", False),
        ("", False),
    ],
)
def test_only_the_one_form_is_canonical(text, verdict):
    assert is_canonical(text) is verdict


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("yesterday", "start is 'yesterday', which is no instant; write 2026-06-01T09:00:00.000Z"),
        ("2026-06-01T09:00:00", "start is 2026-06-01T09:00:00, which has no time zone; add Z"),
        ("2026-06-01", "which has no time zone"),
        (datetime.datetime(2026, 6, 1), "which has no time zone"),
        (datetime.date(2026, 6, 1), "start must be text or a datetime, not date"),
        (1780304400, "start must be text or a datetime, not int"),
        ("x" * 500, "which is no instant"),
    ],
)
def test_what_is_no_instant_is_refused_by_name(value, said):
    with pytest.raises(WorldBug, match=said) as caught:
        parse_instant(value, "start")
    assert len(str(caught.value)) < 200


# The modes.


def test_a_fixed_clock_stands():
    clock = Clock(START, "fixed")
    for _ in range(3):
        clock.count_call()
    assert (clock.iso(), clock.ms(), clock.now()) == (NOW, START, datetime.datetime(2026, 6, 1, 9, tzinfo=UTC))


def test_a_ticking_clock_moves_a_second_with_each_call_and_not_with_reading():
    clock = Clock(START, "tick")
    assert clock.iso() == NOW
    clock.count_call()
    assert clock.iso() == clock.iso() == "2026-06-01T09:00:01.000Z"
    clock.count_call()
    assert clock.iso() == "2026-06-01T09:00:02.000Z"


def test_a_running_clock_runs_and_the_host_s_clock_does_not_move_it(monkeypatch):
    clock = Clock(START, "running")
    first = clock.ms()
    monkeypatch.setattr(time, "time_ns", lambda: 0)
    time.sleep(0.005)
    assert START <= first < clock.ms() < START + 60 * SECOND


def test_a_wall_clock_is_the_host_s():
    clock = Clock(START, "wall")
    assert abs(clock.ms() - host_ms()) < 5 * SECOND
    assert abs(clock.ms() / 1000 - time.time()) < 5


def test_an_unknown_mode_is_refused_with_the_known_ones():
    with pytest.raises(WorldBug, match="clock_mode is 'sundial'; choose one of fixed, tick, running, wall"):
        Clock(START, "sundial")  # type: ignore[arg-type]


def test_only_fixed_and_ticking_clocks_replay():
    assert {mode: Clock(START, mode).replays() for mode in MODES} == {  # type: ignore[arg-type]
        "fixed": True,
        "tick": True,
        "running": False,
        "wall": False,
    }


def test_a_view_reads_and_cannot_move_the_clock():
    clock = Clock(START, "tick")
    view = ClockView(clock)
    assert (view.mode, view.iso(), view.ms(), view.now()) == ("tick", clock.iso(), clock.ms(), clock.now())
    assert not {"advance", "pin", "count_call", "restore"} & set(dir(view))
    with pytest.raises(AttributeError):
        view.mode = "fixed"  # type: ignore[misc]


# Moving it.


@pytest.mark.parametrize("mode", ["fixed", "tick", "running"])
def test_advancing_adds_up(mode):
    clock = Clock(START, mode)
    clock.advance(90 * SECOND)
    clock.advance(0)
    clock.advance(10 * SECOND)
    assert 0 <= clock.ms() - (START + 100 * SECOND) < (10 * SECOND if mode == "running" else 1)


def test_time_never_goes_back_nor_past_its_end():
    clock = Clock(START, "fixed")
    with pytest.raises(WorldBug, match=r"time moves forward only: cannot advance by -1.5 s; rewind\(\) goes back"):
        clock.advance(-1500)
    with pytest.raises(WorldBug, match="time ends with the year 9999: cannot advance by"):
        clock.advance(10**15)
    assert clock.iso() == NOW
    clock.advance(to_ms(datetime.datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)) - clock.ms())
    assert clock.iso() == "9999-12-31T23:59:59.000Z"


def test_a_wall_clock_cannot_be_advanced():
    with pytest.raises(WorldBug, match="a wall clock follows the host and cannot be advanced"):
        Clock(START, "wall").advance(1)


@pytest.mark.parametrize("mode", MODES)
def test_a_pinned_clock_stands_until_it_is_let_go(mode):
    clock = Clock(START, mode)
    clock.pin(START + 5 * SECOND)
    clock.count_call()
    time.sleep(0.002)
    assert clock.iso() == "2026-06-01T09:00:05.000Z"
    clock.pin(None)
    assert clock.ms() != START + 5 * SECOND


@pytest.mark.parametrize("mode", ["fixed", "tick", "running"])
def test_a_clock_goes_on_from_a_position(mode):
    clock = Clock(START, mode)
    clock.advance(7 * SECOND)
    clock.count_call()
    position, reading = clock.position(), clock.ms()
    clock.advance(1000 * SECOND)
    clock.count_call()
    other = Clock(0, mode)
    for restored in (clock, other):
        restored.restore(position)
        assert 0 <= restored.ms() - reading < (10 * SECOND if mode == "running" else 1)


# One clock for every reader.


def readings(ctx):
    from tests.worlds.lab.models import Box

    box = Box.objects.create(id="b", name="b")
    box.refresh_from_db()
    return {
        "ctx": ctx.clock.now(),
        "text": parse_instant(ctx.clock.iso(), "text"),
        "django": timezone.now(),
        "imported": imported_now(),
        "local": timezone.localtime(),
        "default": box.made_at,
        "auto_now": box.changed_at,
        "db_default": box.db_made_at,
        "sql": parse_instant(ctx.db.one("SELECT CURRENT_TIMESTAMP AS now")["now"], "sql"),
    }


@pytest.mark.parametrize("mode", ["fixed", "tick"])
def test_every_reader_in_a_call_sees_the_same_instant(mode):
    with lab(clock_mode=mode) as inst:
        found = perform(inst, readings)
    expected = datetime.datetime(2026, 6, 1, 9, 0, 1 if mode == "tick" else 0, tzinfo=UTC)
    assert {
        reader: to_ms(v) if isinstance(v, datetime.datetime) else v for reader, v in found.items()
    } == dict.fromkeys(found, to_ms(expected))


@pytest.mark.parametrize("mode", ["running", "wall"])
def test_every_reader_in_a_call_is_near_the_clock_of_a_mode_that_runs(mode):
    start = START if mode == "running" else host_ms()
    with lab(clock_mode=mode) as inst:
        found = perform(inst, readings)
    for value in found.values():
        ms = to_ms(value) if isinstance(value, datetime.datetime) else value
        assert 0 <= ms - start < 30 * SECOND


def test_dates_and_times_that_django_fills_in_obey_too():
    from tests.worlds.lab.models import Sample

    def act(ctx):
        sample = Sample.objects.create(id="00000000-0000-0000-0000-000000000001")
        return sample.added_on, sample.touched_at, timezone.localdate()

    def again(ctx):
        sample = Sample.objects.get()
        sample.save()
        sample.refresh_from_db()
        return sample.added_on, sample.touched_at

    with lab(now="2001-02-03T23:59:58.500Z") as inst:
        day = datetime.date(2001, 2, 3)
        assert perform(inst, act) == (day, datetime.time(23, 59, 59, 500_000), day)
        assert perform(inst, again) == (day, datetime.time(0, 0, 0, 500_000))
        inst.advance(days=1)
        assert perform(inst, again) == (day, datetime.time(0, 0, 1, 500_000))


def test_outside_calls_django_s_clock_is_the_host_s():
    with lab(now="2001-01-01T00:00:00Z") as inst:
        inst.call("draw")
        assert abs(timezone.now() - datetime.datetime.now(tz=UTC)) < datetime.timedelta(seconds=5)
        assert abs(imported_now() - timezone.now()) < datetime.timedelta(seconds=5)
        with inst.inspecting():
            assert timezone.now() == inst.clock.now()

    class Stamped(models.Model):
        on = models.DateField(auto_now=True)
        at = models.TimeField(auto_now_add=True)

        class Meta:
            app_label = "stamped"
            managed = False

        def __str__(self):
            return "stamped"

    stamped = Stamped()
    assert Stamped._meta.get_field("on").pre_save(stamped, add=True) == datetime.date.today() == stamped.on
    assert isinstance(Stamped._meta.get_field("at").pre_save(stamped, add=True), datetime.time)
    assert Stamped._meta.get_field("at").pre_save(Stamped(), add=False) is None


def test_a_call_on_one_thread_leaves_the_clock_of_another_alone():
    seen = []

    def act(ctx):
        thread = threading.Thread(target=lambda: seen.append(timezone.now()))
        thread.start()
        thread.join()
        return timezone.now()

    with lab(now="2001-01-01T00:00:00Z") as inst:
        assert perform(inst, act).year == 2001
    assert abs(seen[0] - datetime.datetime.now(tz=UTC)) < datetime.timedelta(seconds=30)
