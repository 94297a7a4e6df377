"""Do SQL's time and chance obey the instance, and agree with SQLite in everything else?"""

import datetime
import re
import threading
import time
from contextlib import suppress

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.workbench import NOW, changes_of, lab, open_store, perform
from worlds.engine.chance import Stream
from worlds.engine.db import dbapi
from worlds.engine.db.functions import canonical

BEFORE_NOON = "2026-06-01T09:00:00.123Z"


@pytest.fixture
def store():
    with open_store("CREATE TABLE t (id INTEGER PRIMARY KEY, at TEXT, n INTEGER) STRICT", now=BEFORE_NOON) as store:
        yield store


def ask(store, sql, *params):
    ((answer,),) = store.connection.run(f"SELECT {sql}", params)
    return answer


# Now.

EVERY_NOW = [
    ("CURRENT_TIMESTAMP", BEFORE_NOON),
    ("CURRENT_DATE", "2026-06-01"),
    ("CURRENT_TIME", "09:00:00"),
    ("date()", "2026-06-01"),
    ("date('now')", "2026-06-01"),
    ("date('NOW', '+1 month', 'start of month', '-1 day')", "2026-06-30"),
    ("time()", "09:00:00"),
    ("time('now')", "09:00:00"),
    ("time('now', 'subsec')", "09:00:00.123"),
    ("time('subsec')", "09:00:00.123"),
    ("datetime()", BEFORE_NOON),
    ("datetime('now')", BEFORE_NOON),
    ("datetime('subsecond')", BEFORE_NOON),
    ("datetime('now', '+1 day')", "2026-06-02T09:00:00.123Z"),
    ("datetime('subsec', '-30 days')", "2026-05-02T09:00:00.123Z"),
    ("datetime('now', 'localtime')", BEFORE_NOON),
    ("julianday()", 2461192.8750014235),
    ("julianday('now')", 2461192.8750014235),
    ("unixepoch()", 1780304400),
    ("unixepoch('now')", 1780304400),
    ("unixepoch('now', 'subsec')", 1780304400.123),
    ("unixepoch('subsec')", 1780304400.123),
    ("strftime('%s')", "1780304400"),
    ("strftime('%Y week %W', 'now')", "2026 week 22"),
    ("strftime('%Y-%m-%d %H:%M:%f', 'NOW')", BEFORE_NOON),
    ("strftime('%f', 'subsec')", "00.123"),
    ("timediff('now', '2026-06-01')", "+0000-00-00 09:00:00.123"),
    ("timediff('2026-06-01', 'now')", "-0000-00-00 09:00:00.123"),
    ("timediff('subsec', 'now')", "+0000-00-00 00:00:00.000"),
    # Ways around a comparison with the text 'now'.
    ("date(x'6e6f77')", "2026-06-01"),
    ("date('now' || char(0) || 'x')", "2026-06-01"),
    ("unixepoch(CAST('Now' AS BLOB))", 1780304400),
    ("time(x'737562736563')", "09:00:00.123"),
    ("strftime('%Y-%m-%d', 'n' || 'ow')", "2026-06-01"),
]


@pytest.mark.parametrize(("sql", "answer"), EVERY_NOW, ids=str)
def test_every_way_to_ask_sql_for_the_time_reads_the_instance_s_clock(store, sql, answer):
    store.take_reading()
    assert ask(store, sql) == answer
    store.clock.advance(40 * 86_400_000 + 5_400_005)
    assert ask(store, sql) != answer or sql == "timediff('subsec', 'now')"


@pytest.mark.parametrize("sql", ["date(' now')", "date('now ')", "date(NULL)", "datetime(NULL)", "strftime(NULL)",
                                 "strftime()", "julianday('tomorrow')", "date('now', 'nonsense')", "time('now', NULL)",
                                 "strftime('%Q', 'now')", "datetime('2026-02-30 25:00')", "unixepoch('')"])  # fmt: skip
def test_what_sqlite_takes_for_no_time_is_null(store, sql):
    assert ask(store, sql) is None


@pytest.mark.parametrize("sql", ["timediff('now')", "timediff()", "timediff('now', 'now', 'now')"])
def test_a_wrong_number_of_arguments_is_refused(store, sql):
    with pytest.raises(dbapi.OperationalError, match=r"wrong number of arguments to function timediff\(\)"):
        ask(store, sql)


def test_a_reading_holds_for_a_statement_and_its_triggers_and_moves_with_the_next():
    ddl = """
    CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT DEFAULT CURRENT_TIMESTAMP, b TEXT DEFAULT (datetime('now')), c TEXT);
    CREATE TABLE u (at TEXT);
    CREATE TRIGGER tr AFTER INSERT ON t BEGIN INSERT INTO u VALUES (datetime()); END;
    """
    with open_store(ddl, mode="running") as store:
        store.connection.create_function("wait", 0, lambda: time.sleep(0.005))
        run = store.connection.run
        for _ in range(2):
            run("INSERT INTO t (c) SELECT datetime('now') || coalesce(wait(), '') FROM json_each('[1,2,3]')")
        readings = [set(row) for row in run("SELECT a, b, c FROM t")]
        seen = [at for (at,) in run("SELECT at FROM u")]
    assert all(len(row) == 1 for row in readings)
    assert [row.pop() for row in readings] == seen
    assert len(set(seen[:3])) == len(set(seen[3:])) == 1
    assert seen[0] < seen[3]


def test_a_scan_sees_one_time_however_long_it_takes():
    with open_store(mode="running") as store:
        store.connection.create_function("wait", 0, lambda: time.sleep(0.002))
        rows = store.connection.run(
            "SELECT CURRENT_TIMESTAMP, datetime('now'), julianday('now'), wait() FROM json_each('[1,2,3,4,5]')"
        )
        assert len({row[:3] for row in rows}) == 1


def test_the_time_in_sql_is_that_of_python_and_of_the_change_log():
    with lab() as inst:
        drawn = inst.call("draw")
        assert drawn["ctx_clock"] == "2026-06-01T09:00:01.000Z"
        assert drawn["django_clock"] == "2026-06-01T09:00:01+00:00"
        assert drawn["sql"][2:] == [
            "2026-06-01T09:00:01.000Z",
            "2026-06-01T09:00:01.000Z",
            1780304401,
            2461192.8750115740,
        ]
        box = inst.call("make_box", name="b")
        row = inst.inspect().one("SELECT * FROM boxes")
        assert row["made_at"] == row["changed_at"] == row["db_made_at"] == "2026-06-01T09:00:02.000Z"
        assert box["id"] == row["id"]


def test_time_and_chance_may_stand_in_defaults_views_triggers_and_checks():
    ddl = """
    CREATE TABLE t (id INTEGER PRIMARY KEY, at TEXT DEFAULT CURRENT_TIMESTAMP, day TEXT DEFAULT (date('now')),
        token TEXT DEFAULT (hex(randomblob(8))), n INTEGER DEFAULT (random()), seen TEXT,
        CHECK (at <= datetime('now'))) STRICT;
    CREATE VIEW ages AS SELECT id, julianday('now') - julianday(at) AS days FROM t;
    CREATE TRIGGER tr AFTER INSERT ON t BEGIN UPDATE t SET seen = strftime('%H:%M', 'now') WHERE id = new.id; END;
    """

    def episode():
        with open_store(ddl, now=BEFORE_NOON) as store:
            run = store.connection.run
            run("INSERT INTO t DEFAULT VALUES")
            store.clock.advance(6 * 3600 * 1000)
            run("INSERT INTO t DEFAULT VALUES")
            with pytest.raises(dbapi.IntegrityError, match="CHECK constraint failed"):
                run("INSERT INTO t (at) VALUES ('2026-06-02T00:00:00.000Z')")
            return run("SELECT * FROM t"), run("SELECT days FROM ages")

    rows, ages = episode()
    assert (rows, ages) == episode()
    assert rows[0][1:3] + rows[0][5:] == (BEFORE_NOON, "2026-06-01", "09:00")
    assert rows[1][1] == "2026-06-01T15:00:00.123Z"
    assert ages == [(0.25,), (0.0,)]
    assert len({rows[0][3], rows[1][3]}) == len({rows[0][4], rows[1][4]}) == 2


@pytest.mark.parametrize("function", ["random()", "date('now')", "date(at)", "CURRENT_TIMESTAMP", "datetime(at)"])
@pytest.mark.parametrize(
    "ddl", ["CREATE TABLE g (at TEXT, v TEXT AS ({}) STORED)", "CREATE TABLE g (at TEXT, v TEXT AS ({}))",
            "CREATE INDEX i ON t (({}))", "CREATE INDEX i ON t (n) WHERE {} > n"],
)  # fmt: skip
def test_what_moves_may_not_be_stored_in_generated_columns_or_indexes(store, ddl, function):
    with pytest.raises(dbapi.OperationalError, match="prohibited"):
        store.connection.run(ddl.format(function))


def test_the_host_s_clock_cannot_be_read(store):
    """Whatever the functions are given, no answer is near the host's time."""
    host = datetime.datetime.now(tz=datetime.UTC)
    words = [
        "now",
        "NOW",
        "subsec",
        "subsecond",
        "'",
        "",
        " now",
        "auto",
        "localtime",
        "utc",
        "unixepoch",
        "12:00",
        "%s",
    ]
    shapes = ["'{}'", "CAST('{}' AS BLOB)", "'{}' || char(0)", "lower('{}')", "CAST(CAST('{}' AS BLOB) AS TEXT)"]
    answers = []
    for word in words:
        for shape in shapes:
            argument = shape.format(word.replace("'", "''"))
            for name in ("date", "time", "datetime", "julianday", "unixepoch"):
                answers.append(str(ask(store, f"{name}({argument})")))
            answers.append(str(ask(store, f"strftime('%Y-%m-%d %s', {argument})")))
            answers.append(str(ask(store, f"timediff({argument}, '2000-01-01')")))
    text = "\n".join(answers)
    assert host.date().isoformat() not in text
    assert str(int(host.timestamp()))[:7] not in text


# Everything that is not now.

_moments = st.datetimes(datetime.datetime(1, 1, 1), datetime.datetime(9999, 12, 31))
_texts = (
    _moments.map(lambda moment: moment.isoformat(sep=" ", timespec="seconds"))
    | _moments.map(lambda moment: moment.isoformat(timespec="milliseconds") + "Z")
    | _moments.map(lambda moment: moment.isoformat(timespec="minutes") + "+05:30")
    | _moments.map(lambda moment: moment.date().isoformat())
    | _moments.map(lambda moment: moment.time().isoformat())
    | st.sampled_from(
        ["", "2026-02-29", "2026-13-01", "24:00", "-4713-11-24", "2026-06-01T09:00:00.999999Z", "0", "1e6"]
    )
)
_values = _texts | st.none() | st.integers(-(2**40), 2**45) | st.floats(-1e7, 1e7) | st.binary(max_size=5)
_modifiers = st.lists(
    st.sampled_from(
        [
            "+1 day",
            "-3 months",
            "+1.5 hours",
            "start of month",
            "start of year",
            "weekday 0",
            "-12:30",
            "+0001-02-03 04:05",
        ]
        + ["unixepoch", "julianday", "auto", "utc", "ceiling", "floor", "subsec", "subsecond", "nonsense"]
    )
    | st.none()
    | st.just(5),
    max_size=3,
)
_plain = apsw.Connection(":memory:")


def sqlite(name, *args):
    return _plain.execute(f"SELECT {name}({', '.join('?' * len(args))})", args).get


@pytest.fixture(scope="module")
def run():
    with open_store() as store:
        yield lambda name, *args: ask(store, f"{name}({', '.join('?' * len(args))})", *args)


@settings(max_examples=400)
@given(st.sampled_from(["date", "time", "julianday", "unixepoch"]), _values, _modifiers)
def test_a_time_that_is_given_is_read_as_sqlite_reads_it(run, name, value, modifiers):
    assert repr(run(name, value, *modifiers)) == repr(sqlite(name, value, *modifiers))


@settings(max_examples=200)
@given(st.text("%dfFgGHIjJklmMpPrRsSTuUVwWY -:", max_size=12) | st.none(), _values, _modifiers)
def test_a_time_is_formatted_as_sqlite_formats_it(run, format, value, modifiers):
    assert run("strftime", format, value, *modifiers) == sqlite("strftime", format, value, *modifiers)


@settings(max_examples=100)
@given(_values, _values)
def test_the_difference_of_two_given_times_is_sqlite_s(run, one, other):
    assert run("timediff", one, other) == sqlite("timediff", one, other)


@settings(max_examples=300)
@given(_values, _modifiers)
def test_datetime_is_sqlite_s_in_the_canonical_form(run, value, modifiers):
    theirs = sqlite("strftime", "%Y-%m-%d %H:%M:%f", value, *modifiers)
    ours = run("datetime", value, *modifiers)
    if theirs is not None and not theirs.startswith("-"):
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", ours)
        assert ours.replace("T", " ").rstrip("Z") == theirs
        # What it says is read again as the same moment; SQLite lets February 30 pass, and reads it as March.
        with suppress(ValueError):
            datetime.datetime.fromisoformat(ours)
            assert run("datetime", ours) == ours
    else:
        assert ours == theirs


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("2026-06-01 09:00:00", "2026-06-01T09:00:00.000Z"),
        ("2026-06-01 09:00:00.123456", "2026-06-01T09:00:00.123Z"),
        ("2026-06-01 09:00:00.1", "2026-06-01T09:00:00.100Z"),
        ("2026-06-01", "2026-06-01"),
        ("2026-06-01T09:00:00.000Z", "2026-06-01T09:00:00.000Z"),
        (None, None),
        (5, 5),
    ],
)
def test_instants_in_django_s_form_become_canonical_and_nothing_else_does(text, form):
    assert canonical(text) == form


# Chance.


def test_sql_chance_replays_with_the_seed_and_differs_without():
    def episode(seed):
        with open_store(seed=seed) as store:
            return [
                store.connection.run("SELECT random(), hex(randomblob(5)), rand(), random()"),
                store.connection.run("SELECT value FROM json_each('[1,2,3,4,5,6,7,8,9]') ORDER BY random()"),
                store.connection.run("SELECT value, random() % 6 FROM json_each('[1,2,3,4,5,6,7,8,9]')"),
            ]

    assert episode(b"1") == episode(b"1")
    assert all(one != other for one, other in zip(episode(b"1"), episode(b"2"), strict=True))


def test_every_row_draws_anew_and_no_two_draws_are_alike(store):
    rows = store.connection.run(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) "
        "SELECT random(), rand(), randomblob(9) FROM n"
    )
    assert all(len(set(column)) == 2000 for column in zip(*rows, strict=True))


def test_draws_are_spread_evenly(store):
    rows = store.connection.run(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) "
        "SELECT random(), rand() FROM n"
    )
    integers, floats = zip(*rows, strict=True)
    assert all(-(2**63) < n < 2**63 for n in integers)
    assert all(0 <= x < 1 for x in floats)
    for share in (
        sum(n > 0 for n in integers) / 20000,
        sum(n & 1 for n in integers) / 20000,
        sum(n > 2**62 or n < -(2**62) for n in integers) / 20000,
        sum(x > 0.5 for x in floats) / 20000,
    ):
        assert 0.48 < share < 0.52
    assert 0.09 < sum(0.3 < x < 0.4 for x in floats) / 20000 < 0.11


def test_the_least_integer_never_comes_up():
    class AllZero(Stream):
        def take(self, n):
            return bytes(n)

    with open_store() as store:
        store.chance = AllZero(b"", "")
        assert ask(store, "random()") == 0
        assert ask(store, "abs(random())") == 0


@pytest.mark.parametrize(
    ("n", "length"),
    [
        (8, 8),
        (0, 1),
        (-5, 1),
        (None, 1),
        (100_000, 100_000),
        (2.9, 2),
        ("3", 3),
        ("abc", 1),
        ("4x", 4),
        (b"5", 5),
        ("", 1),
    ],
    ids=repr,
)
def test_randomblob_takes_what_sqlite_takes_for_a_length(store, n, length):
    assert len(ask(store, "randomblob(?)", n)) == length == len(sqlite("randomblob", n))


@pytest.mark.parametrize("n", [2_000_000_000, float("inf"), "9999999999"])
def test_a_random_blob_past_the_limit_is_refused_before_it_is_made(store, n):
    with pytest.raises(dbapi.DataError, match="is over the limit of 1000000000 bytes"):
        ask(store, "randomblob(?)", n)
    store.raw.limit(apsw.SQLITE_LIMIT_LENGTH, 1000)
    with pytest.raises(dbapi.DataError, match="over the limit of 1000 bytes"):
        ask(store, "length(randomblob(1001))")


def test_a_draw_in_one_stream_shifts_no_other():
    def draws(*acts):
        with lab() as inst:
            for act in acts:
                perform(inst, act)
            drawn = inst.call("draw")
            return {"sql": drawn["sql"][:2], "uuid": drawn["uuid"], "python": drawn["python"]}

    acts = {
        "sql": lambda ctx: ctx.db.rows("SELECT random(), randomblob(100), rand()"),
        "uuid": lambda ctx: [ctx.ids.uuid(), ctx.ids.token(50)],
        "python": lambda ctx: ctx.random.sample(range(100), 50),
    }
    untouched = draws()
    for name, act in acts.items():
        moved = draws(act)
        assert moved.pop(name) != untouched[name]
        assert all(moved[other] == untouched[other] for other in moved)


def test_looking_at_an_instance_shifts_no_draw():
    def drawn(look):
        with lab() as inst:
            if look:
                inst.inspect().rows("SELECT random(), datetime('now')")
                inst.state()
            return inst.call("draw")

    assert drawn(look=True) == drawn(look=False)


def test_a_world_s_rows_drawn_by_the_database_replay_in_the_change_log():
    def log():
        with lab() as inst:
            for name in "abc":
                inst.call("make_box", name=name)
            return inst.change_log()

    assert log() == log()
    assert len({record["after"]["luck"] for record in log()}) == 3


def test_stores_on_many_threads_keep_their_own_time_and_chance():
    found = {}

    def work(n):
        with open_store(now=f"2026-06-{n:02}T00:00:00.000Z", seed=b"%d" % n) as store:
            found[n] = (
                {(ask(store, "date('now')"), ask(store, "datetime(CURRENT_TIMESTAMP, '+1 hour')")) for _ in range(200)},
                ask(store, "random()"),
            )

    threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 13)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {n: seen for n, (seen, _) in found.items()} == {
        n: {(f"2026-06-{n:02}", f"2026-06-{n:02}T01:00:00.000Z")} for n in range(1, 13)
    }
    assert len({draw for _, draw in found.values()}) == 12


# Django's own functions.


def test_django_s_functions_read_and_write_the_canonical_form(store):
    at = "2026-06-01T09:30:15.250Z"
    assert ask(store, "django_datetime_trunc('day', ?, 'UTC', 'UTC')", at) == "2026-06-01T00:00:00.000Z"
    assert ask(store, "django_datetime_extract('hour', ?, 'UTC', 'UTC')", at) == 9
    assert ask(store, "django_datetime_cast_date(?, 'UTC', 'UTC')", at) == "2026-06-01"
    assert ask(store, "django_format_dtdelta('+', ?, ?)", at, 1_000) == "2026-06-01T09:30:15.251Z"
    assert ask(store, "django_format_dtdelta('-', ?, ?)", at, 250_000) == "2026-06-01T09:30:15.000Z"
    assert ask(store, "django_timestamp_diff(?, '2026-06-01T09:30:15.000Z')", at) == 250_000
    assert ask(store, "django_datetime_trunc('day', NULL, 'UTC', 'UTC')") is None
    assert ask(store, "'Straße' REGEXP '^str'") == 0


def test_an_inserted_default_of_django_s_now_is_canonical(store):
    (change,) = changes_of(store, "INSERT INTO t (at) VALUES (strftime('%Y-%m-%d %H:%M:%f', 'NOW'))")
    assert change.after["at"] == BEFORE_NOON
    assert NOW < BEFORE_NOON


def test_equal_numbers_of_two_types_are_not_taken_for_one(run):
    assert run("strftime", 1, "2026-06-01") == sqlite("strftime", 1, "2026-06-01") == "1"
    assert run("strftime", 1.0, "2026-06-01") == sqlite("strftime", 1.0, "2026-06-01") == "1.0"
