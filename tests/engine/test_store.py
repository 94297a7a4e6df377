"""Is a store one database that notes what changed, and goes back when told?"""

from contextlib import suppress

import pytest

from tests.engine.workbench import NOW, changes_of, fails, open_store, raising
from worlds.engine.db import dbapi
from worlds.engine.db.pages import Pages, connect
from worlds.engine.errors import WorldBug
from worlds.engine.schema import Schema, fingerprint

DDL = "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT) STRICT; INSERT INTO t VALUES (1, 'one');"


@pytest.fixture
def store():
    with open_store(DDL) as store:
        yield store


def rows(store):
    return store.connection.run("SELECT * FROM t ORDER BY id")


# Schema.


def schema_of(ddl):
    connection = connect(Pages())
    try:
        connection.execute(ddl).fetchall()
        return Schema(connection)
    finally:
        connection.close()


def test_a_schema_knows_ordinary_tables_their_columns_and_keys():
    schema = schema_of("""
        CREATE TABLE a (x TEXT, id INTEGER PRIMARY KEY AUTOINCREMENT);
        CREATE TABLE "odd name" (b TEXT, [a "b"] INTEGER, v AS (b), PRIMARY KEY ([a "b"], b)) WITHOUT ROWID;
        CREATE TABLE keyless (x);
        CREATE VIEW seen AS SELECT 1;
        CREATE VIRTUAL TABLE f USING fts5(x);
    """)
    assert schema.tables == {
        "a": ("a", ("x", "id"), ("id",)),
        "keyless": ("keyless", ("x",), ()),
        "odd name": ("odd name", ("b", 'a "b"'), ('a "b"', "b")),
    }
    assert schema.without_key == ["keyless"]
    assert schema.shadow == {"f", "f_config", "f_content", "f_data", "f_docsize", "f_idx"}


def print_of(ddl):
    connection = connect(Pages())
    try:
        connection.execute(ddl).fetchall()
        return fingerprint(connection)
    finally:
        connection.close()


def test_a_fingerprint_is_blind_to_comments_space_and_letter_case():
    one = print_of("CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT DEFAULT 'A -- b') STRICT")
    assert one == print_of(
        "create table t(\n  id integer primary key, -- the key\n v text /* x */ default 'A -- b'\n) strict"
    )
    assert len(one) == 64


@pytest.mark.parametrize(
    "ddl",
    [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT DEFAULT 'a -- b') STRICT",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT DEFAULT 'A --  b') STRICT",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, w TEXT DEFAULT 'A -- b') STRICT",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT DEFAULT 'A -- b')",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT NOT NULL DEFAULT 'A -- b') STRICT",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT DEFAULT 'A -- b') STRICT; CREATE INDEX i ON t (v)",
    ],
)
def test_a_fingerprint_sees_every_other_difference(ddl):
    assert print_of(ddl) != print_of("CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT DEFAULT 'A -- b') STRICT")


def test_the_order_of_declarations_does_not_matter_to_a_fingerprint():
    one, other = "CREATE TABLE a (x); ", "CREATE TABLE b (x); "
    assert print_of(one + other) == print_of(other + one)


# Going back.


def test_an_undo_goes_back_to_the_beginning_of_its_capture(store):
    undos = []
    for n in range(2, 6):
        store.begin_capture()
        with store.transaction():
            store.connection.run("INSERT INTO t VALUES (?, 'x')", (n,))
        undos.append(store.end_capture()[1])
    for n in range(5, 1, -1):
        assert len(rows(store)) == n
        store.revert(undos.pop())
    assert rows(store) == [(1, "one")]


def test_a_capture_that_wrote_nothing_needs_no_undo_and_moves_no_version(store):
    version = store.version
    store.begin_capture()
    with store.transaction():
        rows(store)
    assert store.end_capture() == ([], None)
    assert store.version == version
    changes_of(store, "DELETE FROM t")
    assert store.version > version


def test_untracked_writes_leave_no_record_and_can_be_undone():
    with open_store(DDL, untracked={"t"}) as store:
        store.begin_capture()
        store.connection.run("DELETE FROM t")
        changes, undo = store.end_capture()
        assert changes == []
        store.revert(undo)
        assert rows(store) == [(1, "one")]


def test_replacing_the_pages_makes_it_another_database(store):
    before = store.pages.copy()
    changes_of(store, "DELETE FROM t")
    store.replace_pages(before)
    assert rows(store) == [(1, "one")]


def test_closing_is_harmless_twice_and_the_next_use_opens_again(store):
    changes_of(store, "UPDATE t SET v = 'uno'")
    old = store.raw
    store.close()
    store.close()
    assert rows(store) == [(1, "uno")]
    assert store.raw is not old


def test_closing_in_the_middle_of_a_capture_leaves_the_store_usable(store):
    store.begin_capture()
    store.begin()
    store.connection.run("DELETE FROM t")
    store.close()
    assert rows(store) == [(1, "one")]
    assert len(changes_of(store, "UPDATE t SET v = 'uno'")) == 1


# Transactions.


def test_a_transaction_that_raises_is_undone_whatever_it_raises(store):
    for error in (ValueError, KeyboardInterrupt, SystemExit):
        fails(error, store.transaction(), lambda: store.connection.run("DELETE FROM t"), raising(error))
        assert not store.raw.in_transaction
        assert rows(store) == [(1, "one")]


def test_a_rollback_is_safe_when_sqlite_has_rolled_back_already(store):
    run = store.connection.run
    twice = "INSERT OR ROLLBACK INTO t SELECT 5, 'x' UNION ALL SELECT 5, 'y'"
    fails(dbapi.IntegrityError, store.transaction(), lambda: run("DELETE FROM t"), lambda: run(twice))
    assert rows(store) == [(1, "one")]
    assert len(changes_of(store, "UPDATE t SET v = 'uno'")) == 1


def test_a_transaction_that_sqlite_ended_cannot_be_carried_on_unnoticed(store):
    store.begin_capture()
    run = store.connection.run

    def conflict():
        with suppress(dbapi.IntegrityError):
            run("INSERT OR ROLLBACK INTO t VALUES (1, 'again')")

    ended = "the transaction of this call was ended inside it"
    fails(WorldBug, store.transaction(), conflict, lambda: run("INSERT INTO t VALUES (2, 'after')"), match=ended)
    # What was written outside every transaction went with the call that failed.
    changes, _ = store.end_capture()
    assert (changes, rows(store)) == ([], [(1, "one")])


def test_an_interrupted_statement_fails_and_the_store_lives(store):
    store.connection.create_function("stop", 0, store.interrupt)
    with pytest.raises(dbapi.OperationalError, match="interrupted"), store.transaction():
        store.connection.run("WITH RECURSIVE n (i) AS (SELECT stop() UNION ALL SELECT 1 FROM n) SELECT count(*) FROM n")
    assert rows(store) == [(1, "one")]


def test_interrupting_a_closed_store_does_nothing(store):
    store.close()
    store.interrupt()


def test_a_store_that_only_reads_refuses_to_write(store):
    from worlds.engine.chance import Stream
    from worlds.engine.store import Store

    reader = Store(
        "main", store.pages.copy(), schema=store.schema, clock=store.clock, chance=Stream(b"", "x"), writable=False
    )
    assert rows(reader) == [(1, "one")]
    with pytest.raises(dbapi.OperationalError, match="readonly|only reads"):
        reader.connection.run("DELETE FROM t")
    reader.close()


def test_a_reading_is_the_clock_s_when_it_is_taken(store):
    store.clock.advance(1000)
    store.take_reading()
    assert store.reading_ms == store.clock.ms()
    assert store.connection.run("SELECT datetime('now')") == [("2026-06-01T09:00:01.000Z",)]
    assert NOW == "2026-06-01T09:00:00.000Z"
