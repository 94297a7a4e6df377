"""Does the driver under Django's backend keep the promises of the DB-API, and Django's?"""

import datetime
import decimal
import enum
import uuid

import apsw
import pytest
from django.utils.safestring import mark_safe
from hypothesis import given
from hypothesis import strategies as st

from worlds.engine.db import dbapi
from worlds.engine.db.pages import Pages, connect


@pytest.fixture
def connection():
    connection = dbapi.Connection(connect(Pages()))
    connection.run("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT UNIQUE, c REAL) STRICT")
    yield connection
    connection.close()


@pytest.fixture
def cursor(connection):
    return connection.cursor()


# Parameters.


def test_django_placeholders_become_sqlite_ones(cursor):
    assert cursor.execute("SELECT %s, %s", (1, "x")).fetchall() == [(1, "x")]
    assert cursor.execute("SELECT %s", ["list"]).fetchall() == [("list",)]


def test_a_doubled_percent_sign_is_one_and_never_a_placeholder(cursor):
    assert cursor.execute("SELECT 'a%%b', %s", (1,)).fetchall() == [("a%b", 1)]
    assert cursor.execute("SELECT '%%s', %s", (1,)).fetchall() == [("%s", 1)]
    assert cursor.execute("SELECT 7 %%%s", (4,)).fetchall() == [(3,)]


def test_without_parameters_a_statement_is_left_as_it_is(cursor):
    assert cursor.execute("SELECT '%s %%'").fetchall() == [("%s %%",)]


def test_named_parameters_come_from_a_dictionary(cursor):
    assert cursor.execute("SELECT %(b)s, %(a)s, %(b)s", {"a": 1, "b": 2}).fetchall() == [(2, 1, 2)]


class Colour(enum.Enum):
    RED = "red"


class Size(enum.StrEnum):
    BIG = "big"


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        (None, None),
        (True, 1),
        (2**63 - 1, 2**63 - 1),
        (1.5, 1.5),
        ("é", "é"),
        ("nul \0 inside", "nul \0 inside"),
        (mark_safe("<b>"), "<b>"),
        (b"\0\xff", b"\0\xff"),
        (bytearray(b"ab"), b"ab"),
        (memoryview(b"ab"), b"ab"),
        (Colour.RED, "red"),
        (Size.BIG, "big"),
        (decimal.Decimal("1.50"), "1.50"),
        (datetime.date(2026, 6, 1), "2026-06-01"),
        (datetime.time(9, 30), "09:30:00"),
        (datetime.datetime(2026, 6, 1, 9, 30, 0, 123999), "2026-06-01T09:30:00.123Z"),
        (
            datetime.datetime(2026, 6, 1, 9, tzinfo=datetime.timezone(datetime.timedelta(hours=2))),
            "2026-06-01T07:00:00.000Z",
        ),
        (uuid.UUID(int=1), "00000000000000000000000000000001"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, memoryview) else repr(value),
)
def test_python_values_are_stored_in_one_form(cursor, value, stored):
    assert cursor.execute("SELECT %s", (value,)).fetchone() == (stored,)


@pytest.mark.parametrize(
    "value", [object(), datetime.timedelta(1), [1], {"a": 1}, {1}, 1j], ids=lambda v: type(v).__name__
)
def test_a_value_sqlite_cannot_store_is_a_type_error_naming_it(cursor, value):
    with pytest.raises(TypeError, match=f"SQLite stores no {type(value).__name__}"):
        cursor.execute("SELECT %s", (value,))


# Rows.


def test_rows_can_be_fetched_one_by_one_in_groups_and_by_iteration(cursor):
    cursor.execute("SELECT value FROM json_each('[1,2,3,4,5,6,7]')")
    assert cursor.fetchone() == (1,)
    assert cursor.fetchmany(2) == [(2,), (3,)]
    assert next(iter(cursor)) == (4,)
    assert cursor.fetchone() == (5,)
    assert list(cursor) == [(6,), (7,)]
    assert cursor.fetchone() is None
    assert cursor.fetchmany() == cursor.fetchall() == []


def test_fetching_all_after_one_leaves_the_first_out(cursor):
    cursor.execute("SELECT value FROM json_each('[1,2,3]')")
    cursor.fetchone()
    assert cursor.fetchall() == [(2,), (3,)]
    cursor.execute("SELECT 1")
    assert cursor.fetchall() == [(1,)]
    cursor.close()
    assert cursor.fetchall() == []


def test_a_statement_is_over_when_execute_returns(connection):
    one, other = connection.cursor(), connection.cursor()
    one.execute("SELECT value FROM json_each('[1,2,3]')")
    connection.run("BEGIN")
    other.execute("INSERT INTO t (b) VALUES ('x')")
    connection.commit()
    connection.run("DROP TABLE t")
    assert one.fetchall() == [(1,), (2,), (3,)]


def columns(cursor):
    return cursor.description and [column[0] for column in cursor.description]


def test_the_description_names_the_columns_even_without_rows(cursor):
    assert columns(cursor) is None
    cursor.execute("SELECT a, b AS name, count(*) OVER () FROM t WHERE a = %s", (1,))
    assert columns(cursor) == ["a", "name", "count(*) OVER ()"]
    assert {len(column) for column in cursor.description} == {7}
    cursor.execute("INSERT INTO t (b) VALUES ('x') RETURNING a, b")
    assert columns(cursor) == ["a", "b"]
    assert cursor.fetchall() == [(1, "x")]


@pytest.mark.parametrize(
    "sql",
    ["INSERT INTO t (b) VALUES ('q')", "CREATE TABLE u (a)", "DROP TABLE t", "ALTER TABLE t RENAME TO u", "BEGIN"],
)
def test_the_description_of_a_statement_without_columns_is_none(cursor, sql):
    cursor.execute(sql)
    assert cursor.description is None


def test_asking_for_the_description_runs_nothing_again(cursor):
    cursor.execute("INSERT INTO t (b) VALUES ('once') RETURNING a")
    assert cursor.description
    assert cursor.execute("SELECT count(*) FROM t").fetchone() == (1,)


def test_rowcount_and_lastrowid_tell_of_the_statement_that_ran(cursor):
    cursor.execute("INSERT INTO t (a, b) VALUES (5, 'x'), (9, 'y')")
    assert (cursor.rowcount, cursor.lastrowid) == (2, 9)
    cursor.execute("UPDATE t SET c = 1 WHERE a > 100")
    assert cursor.rowcount == 0
    cursor.execute("  -- a comment\n /* another */ update t SET c = 1")
    assert cursor.rowcount == 2
    cursor.execute("SELECT * FROM t")
    assert cursor.rowcount == -1
    cursor.execute("WITH x AS (SELECT 1) DELETE FROM t")
    assert cursor.rowcount == 2
    cursor.execute("WITH x AS (SELECT 1) SELECT * FROM x")
    assert cursor.rowcount == 0
    cursor.execute("INSERT OR IGNORE INTO t (a, b) VALUES (1, 'z')")
    assert cursor.rowcount == 1
    cursor.execute("INSERT OR IGNORE INTO t (a, b) VALUES (1, 'z')")
    assert cursor.rowcount == 0


def test_executemany_runs_for_each_row_and_counts_them_all(cursor):
    cursor.executemany("INSERT INTO t (b) VALUES (%s)", ((str(i),) for i in range(5)))
    assert cursor.rowcount == 5
    cursor.executemany("DELETE FROM t WHERE b = %s", [("1",), ("2",), ("nobody",)])
    assert cursor.rowcount == 2
    cursor.executemany("DELETE FROM t WHERE b = %s", [])
    assert cursor.rowcount == 0


# Errors.


@pytest.mark.parametrize(
    ("sql", "params", "kind", "text"),
    [
        ("INSERT INTO t (a) VALUES (1), (1)", (), dbapi.IntegrityError, "UNIQUE constraint failed: t.a"),
        ("INSERT INTO t (c) VALUES ('many')", (), dbapi.IntegrityError, "cannot store TEXT value in REAL column t.c"),
        ("INSERT INTO t (a) VALUES ('one')", (), dbapi.IntegrityError, "datatype mismatch"),
        ("SELEC 1", (), dbapi.OperationalError, 'near "SELEC": syntax error'),
        ("SELECT * FROM nowhere", (), dbapi.OperationalError, "no such table: nowhere"),
        ("SELECT nosuch(1)", (), dbapi.OperationalError, "no such function: nosuch"),
        ("SELECT %s, %s", (1,), dbapi.ProgrammingError, "Incorrect number of bindings"),
        ("SELECT %s", (1, 2), dbapi.ProgrammingError, "Incorrect number of bindings"),
        ("SELECT zeroblob(2000000000)", (), dbapi.DataError, "string or blob too big"),
        ("COMMIT", (), dbapi.OperationalError, "no transaction is active"),
        ("SELECT abs(-9223372036854775807 - 1)", (), dbapi.OperationalError, "integer overflow"),
    ],
)
def test_sqlite_errors_become_those_of_the_db_api_with_its_own_words(cursor, sql, params, kind, text):
    with pytest.raises(dbapi.Error, match=text) as caught:
        cursor.execute(sql, params)
    assert type(caught.value) is kind
    assert isinstance(caught.value.__cause__, apsw.Error)


def test_a_closed_connection_says_so(connection):
    connection.close()
    with pytest.raises(dbapi.ProgrammingError, match="closed"):
        connection.cursor().execute("SELECT 1")


def test_the_connection_can_be_used_after_an_error(cursor):
    with pytest.raises(dbapi.IntegrityError):
        cursor.execute("INSERT INTO t (a) VALUES (1), (1)")
    assert cursor.execute("SELECT count(*) FROM t").fetchone() == (0,)


def test_an_error_in_a_python_function_reaches_the_caller_as_it_is(connection):
    def fail(value):
        raise LookupError(f"nothing for {value}")

    connection.create_function("fail", 1, fail)
    with pytest.raises(LookupError, match="nothing for 3"):
        connection.run("SELECT fail(3)")


# Functions, transactions, readings.


def test_functions_may_stand_in_the_schema(connection):
    connection.create_function("shout", 1, str.upper, deterministic=True)
    connection.run("CREATE TABLE s (a TEXT, b TEXT AS (shout(a)) STORED, CHECK (shout(a) <> 'NO'))")
    connection.run("INSERT INTO s (a) VALUES ('yes')")
    assert connection.run("SELECT b FROM s") == [("YES",)]
    with pytest.raises(dbapi.IntegrityError, match="CHECK constraint failed"):
        connection.run("INSERT INTO s (a) VALUES ('no')")


def test_an_aggregate_has_a_state_for_each_group(connection):
    class Longest:
        def __init__(self):
            self.found = ""

        def step(self, value):
            self.found = max(self.found, value, key=len)

        def finalize(self):
            return self.found

    connection.create_aggregate("longest", 1, Longest)
    sql = 'SELECT length(value) % 2, longest(value) FROM json_each(\'["a","bb","ccc","dddd"]\') GROUP BY 1'
    assert connection.run(sql) == [(0, "dddd"), (1, "ccc")]


def test_commit_and_rollback_outside_a_transaction_do_nothing(connection):
    connection.commit()
    connection.rollback()
    connection.run("BEGIN")
    connection.run("INSERT INTO t (b) VALUES ('x')")
    connection.rollback()
    connection.rollback()
    assert connection.run("SELECT count(*) FROM t") == [(0,)]


def test_each_statement_is_announced_once_before_it_runs():
    said = []
    connection = dbapi.Connection(connect(Pages()), lambda: said.append("reading"))
    connection.create_function("note", 0, lambda: said.append("ran"))
    connection.run("SELECT note(), note()")
    connection.cursor().execute("SELECT note()")
    assert said == ["reading", "ran", "ran", "reading", "ran"]
    connection.close()


_values = (
    st.none()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text(st.characters(codec="utf-8"))
    | st.binary()
)


@given(st.lists(_values, min_size=1, max_size=20))
def test_every_value_comes_back_as_it_went_in(values):
    connection = dbapi.Connection(connect(Pages()))
    marks = ", ".join(["%s"] * len(values))
    found = connection.cursor().execute(f"SELECT {marks}", values).fetchone()
    assert found == tuple(values)
    assert [type(value) for value in found] == [type(value) for value in values]
    connection.close()
