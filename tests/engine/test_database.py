"""Is `ctx.db` plain SQL on the store that runs, beside the ORM?"""

import pytest
from django.db import transaction

from tests.engine.workbench import lab, perform
from worlds.engine.errors import DbError


@pytest.fixture
def inst():
    with lab() as inst:
        yield inst


@pytest.fixture
def db(inst):
    """The `ctx.db` of one long transaction."""
    with inst.bulk() as ctx:
        ctx.db.execute("CREATE TEMP TABLE t (a INTEGER PRIMARY KEY, b TEXT UNIQUE)")
        yield ctx.db


def test_rows_are_dictionaries_by_column(db):
    db.execute("INSERT INTO t VALUES (1, 'x'), (2, 'y')")
    assert db.rows("SELECT a, b AS name FROM t ORDER BY a") == [{"a": 1, "name": "x"}, {"a": 2, "name": "y"}]
    assert db.rows("SELECT * FROM t WHERE a > ?", 5) == []
    assert db.one("SELECT * FROM t WHERE b = ?", "y") == {"a": 2, "b": "y"}
    assert db.one("SELECT * FROM t WHERE b = ?", "z") is None


def test_of_two_columns_with_one_name_the_last_is_kept(db):
    assert db.rows("SELECT 1 AS x, 2 AS x") == [{"x": 2}]


def test_parameters_are_positional_or_named(db):
    assert db.one("SELECT ? AS a, ? AS b", 1, None) == {"a": 1, "b": None}
    assert db.one("SELECT :b AS b, :a AS a", {"a": 1, "b": 2}) == {"b": 2, "a": 1}
    assert db.execute("INSERT INTO t VALUES (:a, :b)", {"a": 7, "b": "n"}) == (1, 7)
    assert db.executemany("INSERT INTO t VALUES (:a, :b)", [{"a": n, "b": str(n)} for n in range(3)]) == 3


def test_values_of_python_are_bound_as_the_orm_would_store_them(db, inst):
    import datetime
    import uuid

    moment = datetime.datetime(2026, 6, 1, 9, tzinfo=datetime.UTC)
    row = db.one("SELECT ? AS at, ? AS id, ? AS yes", moment, uuid.UUID(int=1), True)
    assert row == {"at": "2026-06-01T09:00:00.000Z", "id": "0" * 31 + "1", "yes": 1}


def test_execute_answers_the_rows_changed_and_the_last_rowid(db):
    assert db.execute("INSERT INTO t VALUES (5, 'x')") == (1, 5)
    assert db.execute("INSERT INTO t VALUES (8, 'y'), (9, 'z')") == (2, 9)
    assert db.execute("UPDATE t SET b = b || '!'")[0] == 3
    assert db.execute("SELECT * FROM t")[0] == 0
    assert db.execute("UPDATE t SET b = '' WHERE a > 100")[0] == 0
    assert db.execute("INSERT INTO t VALUES (10, 'n') RETURNING a")[0] == 1
    assert db.execute("DELETE FROM t")[0] == 4
    assert db.execute("DELETE FROM t")[0] == 0


def test_many_rows_are_written_and_counted(db):
    assert db.executemany("INSERT INTO t (b) VALUES (?)", ((str(n),) for n in range(10))) == 10
    assert db.executemany("DELETE FROM t WHERE a = ?", [(1,), (2,), (99,)]) == 2
    assert db.executemany("DELETE FROM t WHERE a = ?", []) == 0


@pytest.mark.parametrize(
    ("method", "sql", "params", "said"),
    [
        ("execute", "INSERT INTO t VALUES (1, 'a'), (1, 'b')", (), "UNIQUE constraint failed: t.a"),
        ("rows", "SELEC 1", (), 'near "SELEC": syntax error'),
        ("one", "SELECT * FROM nowhere", (), "no such table: nowhere"),
        ("execute", "SELECT ?, ?", (1,), "Incorrect number of bindings"),
        ("rows", "SELECT abs(?)", (-(2**63),), "integer overflow"),
        ("executemany", "INSERT INTO t VALUES (?, ?)", ([(1, "a"), (1, "b")],), "UNIQUE constraint failed"),
    ],
)
def test_what_sqlite_refuses_is_a_general_refusal_with_its_own_words_kept_inside(db, method, sql, params, said):
    with pytest.raises(DbError, match="^database error$") as caught:
        getattr(db, method)(sql, *params)
    assert said in caught.value.sqlite_message
    assert caught.value.sqlite_code != 0
    assert caught.value.to_dict() == {"code": "db_error", "message": "database error", "details": {}}
    assert caught.value.__cause__ is not None


def test_a_transaction_in_a_call_undoes_its_part_only(inst):
    def act(ctx):
        assert ctx.db.in_transaction
        ctx.db.execute("INSERT INTO tags VALUES ('kept')")
        with pytest.raises(DbError), ctx.db.transaction():
            _insert_twice(ctx)
        with ctx.db.transaction(), transaction.atomic():
            ctx.db.execute("INSERT INTO tags VALUES ('nested')")

    def _insert_twice(ctx):
        ctx.db.execute("INSERT INTO tags VALUES ('undone')")
        ctx.db.execute("INSERT INTO tags VALUES ('kept')")

    perform(inst, act)
    assert [record["key"]["code"] for record in inst.change_log()] == ["kept", "nested"]


def test_a_transaction_in_a_tool_without_one_is_a_whole_one(inst):
    def act(ctx):
        assert not ctx.db.in_transaction
        with pytest.raises(ZeroDivisionError), ctx.db.transaction():
            _insert_and_fail(ctx)
        ctx.db.execute("INSERT INTO tags VALUES ('kept')")
        assert not ctx.db.in_transaction

    def _insert_and_fail(ctx):
        ctx.db.execute("INSERT INTO tags VALUES ('undone')")
        raise ZeroDivisionError

    perform(inst, act, freely=True)
    assert [record["key"]["code"] for record in inst.change_log()] == ["kept"]


def test_sql_and_the_orm_see_the_same_rows_and_the_same_time(inst):
    from tests.worlds.lab.models import Box

    def act(ctx):
        Box.objects.create(id="1", name="one")
        found = ctx.db.one("SELECT name, made_at, datetime('now') AS now FROM boxes")
        ctx.db.execute("UPDATE boxes SET name = 'uno'")
        return found, Box.objects.get().name

    at = "2026-06-01T09:00:01.000Z"
    assert perform(inst, act) == ({"name": "one", "made_at": at, "now": at}, "uno")


def test_each_statement_takes_a_reading_of_its_own():
    import time

    def act(ctx):
        readings = []
        for _ in range(2):
            readings.append(ctx.db.one("SELECT CURRENT_TIMESTAMP AS now")["now"])
            time.sleep(0.003)
        ctx.db.execute("INSERT INTO tags VALUES (datetime('now'))")
        return [*readings, ctx.db.one("SELECT code FROM tags")["code"]]

    with lab(clock_mode="running") as inst:
        one, two, three = perform(inst, act)
    assert one < two < three


def test_the_connection_underneath_is_apsw_s(inst):
    import apsw

    assert isinstance(perform(inst, lambda ctx: ctx.db.connection), apsw.Connection)
