"""Are the changes of a call its net changes, each written down as the state document promises?"""

import base64
import tracemalloc

import orjson
import pytest
from django.db import IntegrityError, connection, transaction
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.workbench import changes_of, fails, lab, open_store, perform, raising
from worlds.engine.changes import Change, ChangeLog, json_value, sort_key
from worlds.engine.errors import DbError, ToolError, WorldBug

NOTES = "CREATE TABLE notes (id INTEGER PRIMARY KEY, title TEXT, body TEXT DEFAULT '') STRICT;"


@pytest.fixture
def store():
    with open_store(NOTES + "INSERT INTO notes VALUES (1, 'one', 'x'), (2, 'two', 'y')") as store:
        yield store


def short(changes):
    return [(change.op, change.key, change.before, change.after) for change in changes]


# The shape of a record.


def test_an_insert_has_the_whole_row_after_and_nothing_before(store):
    (change,) = changes_of(store, "INSERT INTO notes (title) VALUES ('three')")
    assert change == Change("main", "notes", "insert", {"id": 3}, None, {"id": 3, "title": "three", "body": ""})


def test_a_delete_has_the_whole_row_before_and_nothing_after(store):
    (change,) = changes_of(store, "DELETE FROM notes WHERE id = 1")
    assert change == Change("main", "notes", "delete", {"id": 1}, {"id": 1, "title": "one", "body": "x"}, None)


def test_an_update_has_the_changed_columns_before_and_after_without_the_key(store):
    (change,) = changes_of(store, "UPDATE notes SET title = 'uno', body = body WHERE id = 1")
    assert change == Change("main", "notes", "update", {"id": 1}, {"title": "one"}, {"title": "uno"})


# Net of the call.


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        (["UPDATE notes SET title = title"], []),
        (["UPDATE notes SET title = 'x' WHERE id = 1", "UPDATE notes SET title = 'one' WHERE id = 1"], []),
        (["INSERT INTO notes VALUES (9, 'a', '')", "UPDATE notes SET title = 'b' WHERE id = 9"], [("insert", "b")]),
        (["INSERT INTO notes VALUES (9, 'a', '')", "DELETE FROM notes WHERE id = 9"], []),
        (["DELETE FROM notes WHERE id = 1", "INSERT INTO notes VALUES (1, 'one', 'x')"], []),
        (["DELETE FROM notes WHERE id = 1", "INSERT INTO notes VALUES (1, 'uno', 'x')"], [("update", "uno")]),
        (["UPDATE notes SET title = 'x' WHERE id = 1", "DELETE FROM notes WHERE id = 1"], [("delete", "one")]),
        (["INSERT OR REPLACE INTO notes VALUES (1, 'uno', 'x')"], [("update", "uno")]),
        (["INSERT INTO notes VALUES (1, 'uno', '') ON CONFLICT DO UPDATE SET title = 'uno'"], [("update", "uno")]),
        (["INSERT OR IGNORE INTO notes VALUES (1, 'uno', '')"], []),
        (["UPDATE notes SET id = 5 WHERE id = 1"], [("delete", "one"), ("insert", "one")]),
        (["UPDATE notes SET id = 3 - id WHERE 0", "DELETE FROM notes WHERE id > 100"], []),
        (["SAVEPOINT s", "DELETE FROM notes", "ROLLBACK TO s", "RELEASE s"], []),
        (["DELETE FROM notes"], [("delete", "one"), ("delete", "two")]),
    ],
)
def test_a_record_is_the_net_of_its_transaction(store, statements, expected):
    found = sorted(changes_of(store, *statements), key=sort_key)
    assert [(change.op, (change.after or change.before)["title"]) for change in found] == expected


def test_a_rolled_back_transaction_leaves_no_record(store):
    store.begin_capture()
    run = store.connection.run
    fails(LookupError, store.transaction(), lambda: run("DELETE FROM notes"), raising(LookupError))
    assert store.end_capture()[0] == []
    assert store.connection.run("SELECT count(*) FROM notes") == [(2,)]


def test_a_commit_that_fails_leaves_no_record():
    ddl = "CREATE TABLE a (id INTEGER PRIMARY KEY, b REFERENCES a DEFERRABLE INITIALLY DEFERRED)"
    with open_store(ddl) as store:
        store.begin_capture()
        with pytest.raises(IntegrityError, match="FOREIGN KEY constraint failed"), store.transaction():
            store.connection.run("INSERT INTO a VALUES (1, 99)")
        assert store.end_capture()[0] == []


def test_what_follows_a_commit_in_the_same_capture_is_in_the_record(store):
    store.begin_capture()
    run = store.connection.run
    run("UPDATE notes SET title = 'before'")
    with store.transaction():
        run("DELETE FROM notes WHERE id = 1")
    run("UPDATE notes SET title = 'after'")
    fails(LookupError, store.transaction(), lambda: run("DELETE FROM notes"), raising(LookupError))
    changes, _ = store.end_capture()
    assert [(c.op, c.key["id"], (c.after or c.before)["title"]) for c in sorted(changes, key=sort_key)] == [
        ("delete", 1, "one"),
        ("update", 2, "after"),
    ]


def test_what_a_transaction_leaves_open_is_undone_at_the_end_of_the_capture(store):
    store.begin_capture()
    store.connection.run("BEGIN")
    store.connection.run("DELETE FROM notes")
    changes, undo = store.end_capture()
    assert (changes, undo) == ([], None)
    assert changes_of(store, "DELETE FROM notes WHERE id = 1") != []


# Keys.


def test_a_key_is_given_in_the_order_it_was_declared():
    ddl = "CREATE TABLE p (note TEXT, b TEXT, a INTEGER, PRIMARY KEY (b, a)) STRICT, WITHOUT ROWID"
    with open_store(ddl) as store:
        found = changes_of(store, "INSERT INTO p VALUES ('x', 'k', 2), ('y', 'k', 1)")
        assert [orjson.dumps(change.key) for change in sorted(found, key=sort_key)] == [
            b'{"b":"k","a":1}',
            b'{"b":"k","a":2}',
        ]
        (change,) = changes_of(store, "UPDATE p SET note = 'z' WHERE a = 2")
        assert (change.key, change.after) == ({"b": "k", "a": 2}, {"note": "z"})
        moved = sorted(changes_of(store, "UPDATE p SET a = 3 WHERE a = 2"), key=sort_key)
        assert [(c.op, c.key["a"]) for c in moved] == [("delete", 2), ("insert", 3)]


def test_rows_with_null_in_their_key_are_not_recorded():
    with open_store("CREATE TABLE p (a INTEGER, b TEXT, PRIMARY KEY (a, b))") as store:
        assert changes_of(store, "INSERT INTO p VALUES (NULL, 'x')", "DELETE FROM p") == []
        (change,) = changes_of(store, "INSERT INTO p VALUES (NULL, 'x'), (1, 'y')")
        assert change.key == {"a": 1, "b": "y"}


def test_a_table_without_a_key_is_left_out():
    with open_store("CREATE TABLE loose (a TEXT); CREATE TABLE kept (a TEXT PRIMARY KEY)") as store:
        found = changes_of(store, "INSERT INTO loose VALUES ('x')", "INSERT INTO kept VALUES ('x')")
        assert [change.table for change in found] == ["kept"]
        assert store.schema.without_key == ["loose"]


# What is tracked.

SEARCHED = """
CREATE VIRTUAL TABLE found USING fts5(title, content='notes', content_rowid='id');
CREATE VIRTUAL TABLE alone USING fts5(text);
CREATE VIRTUAL TABLE places USING rtree(id, x0, x1);
CREATE TRIGGER added AFTER INSERT ON notes BEGIN INSERT INTO found (rowid, title) VALUES (new.id, new.title); END;
CREATE TABLE scratch (id INTEGER PRIMARY KEY) STRICT;
CREATE VIEW titles AS SELECT title FROM notes;
CREATE TRIGGER told INSTEAD OF INSERT ON titles BEGIN INSERT INTO notes (title) VALUES (new.title); END;
"""


def test_full_text_tables_shadow_tables_and_untracked_tables_are_left_out():
    with open_store(NOTES + SEARCHED, untracked={"scratch"}) as store:
        found = changes_of(
            store,
            "INSERT INTO notes (title) VALUES ('words to find')",
            "INSERT INTO alone VALUES ('text')",
            "INSERT INTO places VALUES (1, 0, 1)",
            "INSERT INTO scratch VALUES (1)",
            "INSERT INTO found (found) VALUES ('optimize')",
        )
        assert [change.table for change in found] == ["notes"]
        assert store.connection.run("SELECT rowid FROM found WHERE found MATCH 'find'") == [(1,)]
        assert {"notes", "scratch"} == set(store.schema.tables)
        assert "found_data" in store.schema.shadow


def test_what_triggers_views_and_cascades_write_is_recorded():
    ddl = (
        NOTES
        + SEARCHED
        + """CREATE TABLE tags (id INTEGER PRIMARY KEY, note INTEGER REFERENCES notes ON DELETE CASCADE,
        again INTEGER REFERENCES notes ON DELETE SET NULL);"""
    )
    with open_store(ddl) as store:
        changes_of(store, "INSERT INTO titles VALUES ('a'), ('b')", "INSERT INTO tags VALUES (1, 1, 2), (2, 2, 1)")
        found = sorted(changes_of(store, "DELETE FROM notes WHERE id = 1"), key=sort_key)
        assert [(c.table, c.op, c.key["id"]) for c in found] == [
            ("notes", "delete", 1),
            ("tags", "delete", 1),
            ("tags", "update", 2),
        ]


def test_generated_columns_are_left_out_and_shift_no_other():
    ddl = """CREATE TABLE g (v TEXT AS (upper(b)) VIRTUAL, id INTEGER, s INTEGER AS (id * 2) STORED, b TEXT,
                             w INTEGER AS (1), c REAL, PRIMARY KEY (id)) STRICT"""
    with open_store(ddl) as store:
        assert short(changes_of(store, "INSERT INTO g (id, b, c) VALUES (1, 'x', 1.5)")) == [
            ("insert", {"id": 1}, None, {"id": 1, "b": "x", "c": 1.5})
        ]
        assert short(changes_of(store, "UPDATE g SET c = 2.5")) == [("update", {"id": 1}, {"c": 1.5}, {"c": 2.5})]
        assert short(changes_of(store, "DELETE FROM g")) == [("delete", {"id": 1}, {"id": 1, "b": "x", "c": 2.5}, None)]


def test_a_model_s_generated_fields_are_left_out():
    from tests.worlds.lab.models import Sample

    with lab() as inst:
        perform(inst, lambda ctx: Sample.objects.create(id="0" * 31 + "1", code="ABC", count=21, share=0.5))
        (record,) = inst.change_log()
        row = record["after"]
        assert not {"shout", "double"} & row.keys()
        assert (row["code"], row["count"], row["share"], row["slug"]) == ("ABC", 21, 0.5, "")
        assert (row["added_on"], row["touched_at"]) == ("2026-06-01", "09:00:01")
        perform(inst, lambda ctx: Sample.objects.update(count=22))
        assert inst.change_log()[1]["after"] == {"count": 22}


# Values.


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, None),
        (2**63 - 1, 2**63 - 1),
        (-(2**63), -(2**63)),
        (1.0, 1.0),
        (0.1 + 0.2, 0.30000000000000004),
        (float("inf"), None),
        (float("-inf"), None),
        ("é\0\U0001f600\n\"'", "é\0\U0001f600\n\"'"),
        ("", ""),
        (b"", ""),
        (b"\0\xff", base64.b64encode(b"\0\xff").decode()),
    ],
    ids=repr,
)
def test_values_are_shown_as_sqlite_stores_them(value, shown):
    with open_store("CREATE TABLE v (id INTEGER PRIMARY KEY, v ANY) STRICT") as store:
        (change,) = changes_of(store, ("INSERT INTO v VALUES (1, ?)", value))
        log = ChangeLog.empty()
        log.append([change], 0, "agent")
        (record,) = log.as_dicts()
        assert record["after"]["v"] == shown == json_value(value)
        assert type(record["after"]["v"]) is type(shown)


def test_a_blob_key_is_shown_and_sorted_as_text():
    with open_store("CREATE TABLE k (k BLOB PRIMARY KEY) STRICT") as store:
        found = sorted(changes_of(store, "INSERT INTO k VALUES (x'ff'), (x'00'), (x'6162')"), key=sort_key)
        assert [change.key["k"] for change in found] == sorted(["/w==", "AA==", "YWI="])


def test_text_that_is_no_text_is_refused_before_it_is_stored():
    with lab() as inst:
        inst.call("make_box", name="good")
        with pytest.raises(DbError, match="database error") as caught:
            perform(inst, lambda ctx: ctx.db.execute("UPDATE boxes SET name = CAST(x'ff41' AS TEXT)"))
        assert "table boxes was given text that is not UTF-8" in caught.value.sqlite_message
        assert [box["name"] for box in inst.call("list_boxes")] == ["good"]
        assert len(inst.change_log()) == 1


def test_a_table_altered_in_a_call_is_refused_and_undone():
    with lab() as inst:

        def act(ctx):
            ctx.db.execute("ALTER TABLE boxes ADD COLUMN colour TEXT")
            ctx.db.execute("INSERT INTO boxes (id, name, price, is_open, facts, made_at, changed_at) "
                           "VALUES ('1', 'n', 1, 1, '{}', '', '')")  # fmt: skip

        with pytest.raises(WorldBug, match="the schema was changed in a call; that is for a migration to do"):
            perform(inst, act)
        assert inst.call("list_boxes") == []
        assert "colour" not in inst.inspect().one("SELECT sql FROM sqlite_schema WHERE name = 'boxes'")["sql"]


# Order, and who.


_keys = st.none() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text(max_size=3)


@given(st.lists(st.tuples(st.sampled_from(["main", "pay"]), st.sampled_from("ab"), _keys, _keys)))
def test_records_stand_in_order_of_world_table_and_key(places):
    def rank(value):
        return (0, 0) if value is None else (2, value) if isinstance(value, str) else (1, value)

    log = ChangeLog.empty()
    log.append([Change(w, t, "insert", {"k": k, "l": m}, None, {}) for w, t, k, m in places], 0, "agent")
    expected = sorted(places, key=lambda p: (p[0], p[1], rank(p[2]), rank(p[3])))
    found = [(r["world"], r["table"], r["key"]["k"], r["key"]["l"]) for r in log.as_dicts()]
    assert found == [(w, t, json_value(k), json_value(m)) for w, t, k, m in expected]
    assert [r["seq"] for r in log.as_dicts()] == list(range(len(places)))


def test_a_record_has_its_fields_in_the_published_order_and_says_who_wrote():
    log = ChangeLog.empty()
    change = Change("main", "notes", "insert", {"id": 1}, None, {"id": 1})
    log.append([change], 3, "agent")
    log.append([change], None, "setup")
    assert log.records == [
        b'{"i":3,"world":"main","table":"notes","op":"insert","key":{"id":1},"before":null,"after":{"id":1},"seq":0}',
        b'{"i":null,"world":"main","table":"notes","op":"insert","key":{"id":1},"before":null,"after":{"id":1},"seq":1,'
        b'"by":"setup"}',
    ]


def test_a_reader_may_change_what_it_was_given():
    log = ChangeLog.empty()
    log.append([Change("main", "t", "insert", {"id": 1}, None, {"id": 1})], 0, "agent")
    log.as_dicts()[0]["after"]["id"] = "changed"
    assert log.as_dicts()[0]["after"] == {"id": 1}


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 3)), max_size=12))
def test_the_records_of_one_call_are_found_whatever_lies_between(steps):
    """A step is a call, or a transaction between calls, with some records."""
    log = ChangeLog.empty()
    expected: list[list[int]] = []
    for is_call, count in steps:
        call = len(expected) if is_call else None
        changes = [Change("main", "t", "insert", {"id": n}, None, {}) for n in range(count)]
        if is_call:
            expected.append([len(log.records) + n for n in range(count)])
        log.append(changes, call, "agent")
    for call, seqs in enumerate(expected):
        assert [orjson.loads(record)["seq"] for record in log.of_call(call)] == seqs
    assert log.of_call(len(expected)) == []


def test_a_cut_or_copied_log_stands_for_itself():
    log = ChangeLog.empty()
    for n in range(4):
        log.append([Change("main", "t", "insert", {"id": n}, None, {})], n, "agent")
    copy = log.copy()
    log.cut(2)
    log.append([Change("main", "t", "insert", {"id": 9}, None, {})], 2, "agent")
    assert [r["key"]["id"] for r in log.as_dicts()] == [0, 1, 9]
    assert [r["key"]["id"] for r in copy.as_dicts()] == [0, 1, 2, 3]
    assert [r["seq"] for r in log.as_dicts()] == [0, 1, 2]


# Through calls.


def test_each_call_has_records_of_its_own_and_failed_ones_none():
    from tests.worlds.lab.models import Box

    with lab() as inst:
        inst.call("make_box", name="a")
        with pytest.raises(ToolError):
            inst.call("fail_after_writing", how="refusal")
        inst.call("change_box", name="a", price="2.00")
        inst.call("change_box", name="a", price="3.00")
        inst.call("list_boxes")
        with inst.bulk() as ctx:
            Box.objects.create(id=ctx.ids.token(), name="bulk")
        inst.call("drop_box", name="a")
        log = inst.change_log()
    assert [(r["i"], r["op"], r.get("by")) for r in log] == [
        (0, "insert", None),
        (2, "update", None),
        (3, "update", None),
        (None, "insert", "setup"),
        (5, "delete", None),
    ]
    assert [r["after"]["price"] for r in log[1:3]] == [2.0, 3.0]
    assert log[0]["key"] == log[1]["key"] == log[4]["key"]


def test_a_savepoint_undone_in_a_call_leaves_no_record():
    def act(ctx):
        with connection.cursor() as cursor:
            cursor.execute("INSERT INTO tags (code) VALUES ('kept')")
        with pytest.raises(LookupError), transaction.atomic():
            _insert_and_fail()

    def _insert_and_fail():
        connection.cursor().execute("INSERT INTO tags (code) VALUES ('undone')")
        raise LookupError

    with lab() as inst:
        perform(inst, act)
        assert [r["key"] for r in inst.change_log()] == [{"code": "kept"}]


def test_identical_episodes_have_byte_identical_logs():
    def episode():
        with lab() as inst:
            for name in ("b", "a", "c"):
                inst.call("make_box", name=name)
                inst.call("put_item", box=name, label=name, weight=3)
                inst.call("tag_box", box=name, code="red")
            inst.call("drop_box", name="a")
            return inst.state_json(), len(inst.change_log())

    (one, count), (other, _) = episode(), episode()
    assert orjson.loads(one)["state"] == orjson.loads(other)["state"]
    state = one[one.index(b'"state":') :]
    assert state == other[other.index(b'"state":') :]
    assert count == 3 * 3 + 1 + 3


def test_a_log_takes_no_more_memory_than_its_text_and_the_list_around_it():
    log, changes = ChangeLog.empty(), [Change("main", "boxes", "insert", {"id": 1}, None, {"id": 1, "name": "x"})]
    log.append(changes, 0, "agent")
    tracemalloc.start()
    try:
        for call in range(1, 2001):
            log.append(changes, call, "agent")
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert taken < sum(map(len, log.records)) + 2000 * 128
