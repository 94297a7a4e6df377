"""Is `Diff` the net difference of a whole run, as SQLite would tell it and as the models mean it?"""

import datetime
import uuid
from contextlib import suppress
from decimal import Decimal

import apsw
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.episodes import moves, play
from tests.engine.workbench import lab, open_store, perform
from worlds.engine import Diff
from worlds.engine.changes import ChangeLog, read_changeset, sort_key
from worlds.engine.db import dbapi
from worlds.engine.diff import fold
from worlds.engine.errors import WorldBug

DDL = """
CREATE TABLE notes (id INTEGER PRIMARY KEY, title TEXT, body BLOB, size ANY) STRICT;
CREATE TABLE pairs (note TEXT DEFAULT 'n', b TEXT, a INTEGER, PRIMARY KEY (b, a)) STRICT, WITHOUT ROWID;
CREATE TABLE loose (k, v, PRIMARY KEY (k));
CREATE TABLE parts (id INTEGER PRIMARY KEY, note INTEGER REFERENCES notes ON DELETE CASCADE ON UPDATE CASCADE,
    twice INTEGER AS (note * 2) STORED, n REAL) STRICT;
CREATE TRIGGER counted AFTER UPDATE ON notes BEGIN
    INSERT INTO pairs (b, a) VALUES ('touched', new.id) ON CONFLICT DO UPDATE SET note = note || '+';
END;
"""

small = st.integers(0, 4)
scalars = (
    st.none()
    | st.integers(-2, 2)
    | st.sampled_from([0.0, 1.0, 2.5, 1e300])
    | st.sampled_from(["", "a", "1", "é"])
    | st.binary(max_size=2)
)
# No floats: to SQLite's sessions 1 and 1.0 are two keys, to its indexes they are one. No empty blob: it looks like "".
keys = st.none() | st.integers(-2, 2) | st.sampled_from(["", "a", "1", "é"]) | st.binary(min_size=1, max_size=2)
titles = st.sampled_from([None, "a", "b", "c"])

statements = st.one_of(
    st.tuples(
        st.just("INSERT OR REPLACE INTO notes VALUES (?, ?, ?, ?)"), small, titles, st.binary(max_size=2), scalars
    ),
    st.tuples(st.just("INSERT OR IGNORE INTO notes VALUES (?, ?, NULL, ?)"), small, titles, scalars),
    st.tuples(st.just("UPDATE notes SET title = ?, size = ? WHERE id = ?"), titles, scalars, small),
    st.tuples(st.just("UPDATE OR REPLACE notes SET id = ? WHERE id = ?"), small, small),
    st.tuples(st.just("UPDATE notes SET size = ? WHERE size IS ?"), scalars, scalars),
    st.tuples(st.just("DELETE FROM notes WHERE id = ?"), small),
    st.tuples(st.just("DELETE FROM notes WHERE title IS ?"), titles),
    st.tuples(st.just("INSERT OR REPLACE INTO pairs VALUES (?, ?, ?)"), titles, st.sampled_from("xy"), small),
    st.tuples(st.just("UPDATE OR IGNORE pairs SET a = a + ?"), small),
    st.tuples(st.just("DELETE FROM pairs WHERE a = ?"), small),
    st.tuples(st.just("INSERT OR REPLACE INTO loose VALUES (?, ?)"), keys, scalars),
    st.tuples(st.just("UPDATE OR REPLACE loose SET v = ?, k = ? WHERE k IS ?"), scalars, keys, keys),
    st.tuples(st.just("DELETE FROM loose WHERE v IS ?"), scalars),
    st.tuples(st.just("INSERT OR REPLACE INTO parts (id, note, n) VALUES (?, ?, ?)"), small, small, st.just(1.0)),
    st.tuples(st.just("UPDATE parts SET n = n + 1, note = ? WHERE id = ?"), small, small),
)
calls = st.tuples(st.lists(statements, min_size=1, max_size=4), st.sampled_from(["commit", "commit", "fail"]))


def differences(changes):
    return [(c.world, c.table, c.op, c.key, c.before, c.after) for c in sorted(changes, key=sort_key)]


def exact(changes):
    """So that 1 and 1.0 are not equal."""
    return [orjson.dumps(difference, option=orjson.OPT_SORT_KEYS) for difference in differences(changes)]


@settings(max_examples=300)
@given(st.lists(statements, max_size=6), st.lists(calls, max_size=12))
def test_the_fold_of_a_log_is_sqlite_s_own_cumulative_changeset(before, episode):
    with open_store(DDL) as store:
        run = store.connection.run
        for sql, *params in before:
            _try(run, sql, params)
        whole = apsw.Session(store.raw, "main")
        whole.attach()
        log = ChangeLog.empty()
        for call, (work, end) in enumerate(episode):
            store.begin_capture()
            try:
                with store.transaction():
                    for sql, *params in work:
                        _try(run, sql, params)
                    if end == "fail":
                        raise ZeroDivisionError
            except ZeroDivisionError:
                pass
            log.append(store.end_capture()[0], call, "agent")
        expected = list(read_changeset(whole.changeset(), store.schema.tables, "main"))
        whole.close()
    assert exact(fold(log.as_dicts())) == exact(expected)


def _try(run, sql, params):
    with suppress(dbapi.IntegrityError):
        run(sql, params)


@settings(max_examples=60)
@given(st.lists(moves, max_size=15))
def test_the_diff_of_an_instance_is_the_cumulative_changeset_of_its_store(episode):
    with lab(startup={"owner": "Zoë"}) as inst:
        store = inst._at.root.store
        whole = apsw.Session(store.raw, "main")
        whole.table_filter(lambda table: table in store.schema.tables and table not in store.untracked)
        whole.attach()
        for move in episode:
            play(inst, move)
        expected = list(read_changeset(whole.changeset(), store.schema.tables, "main"))
        whole.close()
        diff = inst.diff()
        assert exact(diff) == exact(expected)
        assert Diff.of(inst.state()) == diff


def test_each_pair_of_changes_folds_as_the_document_says():
    def record(op, before=None, after=None):
        return {"world": "main", "table": "t", "op": op, "key": {"id": 1}, "before": before, "after": after}

    def folded(*records):
        return [(change.op, change.before, change.after) for change in fold(records)]

    insert, delete = record("insert", None, {"id": 1, "a": 1, "b": 2}), record("delete", {"id": 1, "a": 5, "b": 2})
    update = record("update", {"a": 1}, {"a": 5})
    assert folded(update) == [("update", {"a": 1}, {"a": 5})]
    assert folded(insert, update) == [("insert", None, {"id": 1, "a": 5, "b": 2})]
    assert folded(insert, update, delete) == []
    assert folded(insert, delete) == []
    assert folded(update, record("update", {"a": 5, "b": 2}, {"a": 1, "b": 3})) == [("update", {"b": 2}, {"b": 3})]
    assert folded(update, record("update", {"a": 5}, {"a": 1})) == []
    assert folded(update, delete) == [("delete", {"id": 1, "a": 1, "b": 2}, None)]
    assert folded(delete, record("insert", None, {"id": 1, "a": 5, "b": 7})) == [("update", {"b": 2}, {"b": 7})]
    assert folded(delete, record("insert", None, {"id": 1, "a": 5, "b": 2})) == []
    assert folded(delete, record("insert", None, {"id": 1, "a": 5.0, "b": 2})) == [("update", {"a": 5}, {"a": 5.0})]
    assert folded(insert, delete, insert) == folded(insert)


@pytest.mark.parametrize(
    "ops", [("insert", "insert"), ("delete", "delete"), ("update", "insert"), ("delete", "update")]
)
def test_a_log_that_cannot_be_is_refused(ops):
    rows = {"insert": (None, {"id": 1}), "delete": ({"id": 1}, None), "update": ({"a": 1}, {"a": 2})}
    records = [
        {"world": "main", "table": "t", "op": op, "key": {"id": 1}, "before": rows[op][0], "after": rows[op][1]}
        for op in ops
    ]
    with pytest.raises(ValueError, match=f"a log cannot hold {ops[0]} and then {ops[1]} of t"):
        fold(records)


def test_rows_of_other_nodes_tables_and_key_types_are_kept_apart():
    def insert(world, table, key):
        return {
            "world": world,
            "table": table,
            "op": "insert",
            "key": {"id": key},
            "before": None,
            "after": {"id": key},
        }

    places = [("main", "a", 1), ("main", "b", 1), ("pay", "a", 1), ("main", "a", "1"), ("main", "a", 1.5)]
    assert len(fold(insert(*place) for place in reversed(places))) == 5


# Reading it.


@pytest.fixture
def inst():
    with lab() as inst:
        yield inst


def test_a_diff_is_read_by_table_operation_and_as_dictionaries(inst):
    inst.call("make_box", name="a")
    inst.call("put_item", box="a", label="pen")
    inst.call("change_box", name="a", price="9.00")
    diff = inst.diff()
    assert len(diff) == 2
    assert bool(diff)
    assert [change.table for change in diff] == ["boxes", "items"]
    assert diff.of_table("boxes", "insert")[0].after["price"] == 9.0
    assert diff.of_table("boxes", "update") == diff.of_table("boxes", world="pay") == []
    assert repr(diff) == "<Diff of 2 rows: boxes, items>"
    assert diff == Diff.of(orjson.loads(orjson.dumps(inst.state())))
    assert diff.as_dicts()[1]["key"] == {"id": 1}
    inst.call("drop_box", name="a")
    assert not inst.diff()
    assert repr(inst.diff()) == "<Diff of 0 rows: nothing>"
    assert inst.diff() != diff


def test_a_diff_of_a_fresh_instance_is_empty_and_start_up_rows_are_not_in_it():
    with lab(startup={"owner": "Ada"}) as inst:
        assert not inst.diff()
        inst.call("drop_box", name="Ada's box")
        (change,) = inst.diff()
        assert (change.op, change.before["name"]) == ("delete", "Ada's box")


def test_typed_values_are_what_the_models_have(inst):
    from tests.worlds.lab.models import Sample, Shelf

    values = {
        "at": datetime.datetime(2026, 2, 3, 4, 5, 6, 789_000, tzinfo=datetime.UTC),
        "day": datetime.date(2026, 2, 3),
        "hour": datetime.time(4, 5, 6, 7),
        "took": datetime.timedelta(days=2, microseconds=3),
        "amount": Decimal("10.100"),
        "code": "x",
        "count": 5,
        "few": 3,
        "share": 0.5,
        "is_ok": False,
        "facts": {"a": [1, None, "é"]},
        "blob": b"\0\xff",
        "ref": uuid.UUID(int=7),
        "ip": "2001:db8::1",
        "slug": "s",
        "cents": "12.05",
    }
    perform(inst, lambda ctx: Sample.objects.create(id=uuid.UUID(int=1), **values))
    perform(inst, lambda ctx: Shelf.objects.create(room="a", number=1))
    sample, shelf = inst.diff().typed()
    assert (sample.model, sample.op, sample.key) == (Sample, "insert", {"id": uuid.UUID(int=1)})
    found = {name: sample.after[name] for name in values}
    assert found == values
    assert {name: type(value) for name, value in found.items()} == {name: type(v) for name, v in values.items()}
    assert str(found["amount"]) == "10.100"
    assert sample.after["added_on"] == datetime.date(2026, 6, 1)
    assert sample.roles["added_on"] == "bookkeeping"
    assert sample.roles["at"] == "business"
    assert (shelf.model, shelf.key, shelf.after["holds_id"]) == (Shelf, {"room": "a", "number": 1}, None)
    perform(inst, lambda ctx: Sample.objects.update(is_ok=None, facts=None))
    perform(inst, lambda ctx: Sample.objects.update(is_ok=True, facts=["x"]))
    assert inst.diff().typed()[0].after["facts"] == ["x"]


def test_a_typed_update_has_both_sides_of_what_changed():
    with lab(startup={"owner": "Ada"}) as inst:
        inst.call("change_box", name="Ada's box", price="4.50", is_open=False)
        (change,) = inst.diff().typed()
        assert change.op == "update"
        assert {n: change.before[n] for n in ("price", "is_open")} == {"price": Decimal("0.00"), "is_open": True}
        assert {n: change.after[n] for n in ("price", "is_open")} == {"price": Decimal("4.50"), "is_open": False}
        assert change.after["changed_at"] == datetime.datetime(2026, 6, 1, 9, 0, 1, tzinfo=datetime.UTC)


def test_a_table_without_a_model_cannot_be_typed_and_is_named():
    record = {"world": "main", "table": "mystery", "op": "delete", "key": {"id": 1}, "before": {"id": 1}, "after": None}
    diff = Diff([record], {"main": "lab"})
    assert diff.changes[0].table == "mystery"
    with pytest.raises(WorldBug, match="no model of world lab stands for table 'mystery'; give it one"):
        diff.typed()
