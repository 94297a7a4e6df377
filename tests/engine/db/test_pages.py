"""Is a store on copy-on-write pages a SQLite database like any other, and a private one?"""

import sqlite3
import threading
from typing import Any

import apsw
import hypothesis.strategies as st
import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from worlds.engine.db.pages import PAGE, Image, Pages, connect

DDL = """
CREATE TABLE notes (id INTEGER PRIMARY KEY, title TEXT, body BLOB) STRICT;
CREATE INDEX notes_title ON notes (title);
CREATE TABLE links (a INTEGER REFERENCES notes ON DELETE CASCADE, b INTEGER, PRIMARY KEY (a, b)) STRICT, WITHOUT ROWID;
CREATE VIRTUAL TABLE found USING fts5(title, content='notes', content_rowid='id');
CREATE TRIGGER added AFTER INSERT ON notes BEGIN
  INSERT INTO found (rowid, title) VALUES (new.id, new.title);
END;
CREATE TRIGGER removed AFTER DELETE ON notes BEGIN
  INSERT INTO found (found, rowid, title) VALUES ('delete', old.id, old.title);
END;
CREATE TRIGGER changed AFTER UPDATE ON notes BEGIN
  INSERT INTO found (found, rowid, title) VALUES ('delete', old.id, old.title);
  INSERT INTO found (rowid, title) VALUES (new.id, new.title);
END;
"""


def whole(pages):
    return b"".join(pages.read(PAGE, offset).ljust(PAGE, b"\0") for offset in range(0, pages.size, PAGE))


def dump(connection):
    """Every row of every ordinary and shadow table, and the schema."""
    listed = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"
    tables = {
        name: sorted(connection.execute(f'SELECT * FROM "{name}"').fetchall(), key=repr)
        for (name,) in connection.execute(listed).fetchall()
    }
    return connection.execute("SELECT type, name, sql FROM sqlite_schema ORDER BY 1, 2").fetchall(), tables


def check(connection):
    return connection.execute("PRAGMA integrity_check").get


@pytest.fixture
def image(tmp_path):
    """An image of 200 notes."""
    pages = Pages()
    with connect(pages) as connection:
        connection.execute(DDL).fetchall()
        for i in range(200):
            row = (i, f"note {i}", b"x" * (i * 37 % 9000))
            connection.execute("INSERT INTO notes VALUES (?, ?, ?)", row).fetchall()
    connection.close()
    pages.write_to(tmp_path / "image.sqlite")
    return Image(tmp_path / "image.sqlite")


ids = st.integers(0, 40)
titles = st.sampled_from(["alpha", "beta", "gamma ray", "delta wing", "épsilon", ""])
sizes = st.sampled_from([0, 10, 500, 3000, 5000, 20_000, 150_000])


class SameAsPlainSQLite(RuleBasedStateMachine):
    """The same random work on a store and on a plain in-memory database."""

    @initialize(rows=st.integers(0, 60))
    def begin(self, rows):
        self.pages = Pages()
        self.open_store()
        self.plain = apsw.Connection(":memory:")
        self.plain.execute("PRAGMA foreign_keys = ON").fetchall()
        self.savepoints = 0
        self.marks = []
        self.run(DDL)
        self.run(
            "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?) "
            "INSERT INTO notes SELECT 100 + i, 'row ' || i, zeroblob(i * 50) FROM n",
            rows,
        )

    def open_store(self):
        self.store = connect(self.pages, cache_kib=16)

    def run(self, sql, *params):
        outcomes: list[Any] = []
        for connection in (self.store, self.plain):
            try:
                outcomes.append(connection.execute(sql, params).fetchall())
            except apsw.Error as error:
                outcomes.append((type(error), str(error)))
        assert outcomes[0] == outcomes[1]

    def is_idle(self):
        return not self.store.in_transaction

    @rule(id=ids, title=titles, size=sizes, fill=st.sampled_from([b"a", b"z"]))
    def insert(self, id, title, size, fill):
        self.run("INSERT INTO notes VALUES (?, ?, ?)", id, title, fill * size)

    @rule(id=ids, title=titles, size=sizes)
    def upsert(self, id, title, size):
        self.run("INSERT OR REPLACE INTO notes VALUES (?, ?, zeroblob(?))", id, title, size)

    @rule(id=ids, other=ids, size=sizes)
    def update(self, id, other, size):
        self.run("UPDATE notes SET body = zeroblob(?), title = title || '!' WHERE id BETWEEN ? AND ?", size, id, other)

    @rule(id=ids, other=ids)
    def move(self, id, other):
        self.run("UPDATE notes SET id = ? WHERE id = ?", other, id)

    @rule(a=ids, b=ids)
    def link(self, a, b):
        self.run("INSERT OR IGNORE INTO links VALUES (?, ?)", a, b)

    @rule(id=ids, other=ids)
    def delete(self, id, other):
        self.run("DELETE FROM notes WHERE id BETWEEN ? AND ?", id, other)

    @rule(count=st.integers(1, 400))
    def fill_the_cache(self, count):
        self.run(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) "
            "INSERT OR REPLACE INTO notes SELECT 1000 + i, 'bulk ' || i, zeroblob(2000) FROM n",
            count,
        )

    @rule()
    def empty(self):
        self.run("DELETE FROM notes WHERE id >= 100")

    @precondition(is_idle)
    @rule()
    def begin_transaction(self):
        self.run("BEGIN")
        self.savepoints = 0

    @precondition(lambda self: not self.is_idle())
    @rule(commit=st.booleans())
    def end_transaction(self, commit):
        self.run("COMMIT" if commit else "ROLLBACK")

    @precondition(lambda self: not self.is_idle())
    @rule()
    def savepoint(self):
        self.savepoints += 1
        self.run(f"SAVEPOINT s{self.savepoints}")

    @precondition(lambda self: not self.is_idle() and self.savepoints)
    @rule(rollback=st.booleans())
    def end_savepoint(self, rollback):
        if rollback:
            self.run(f"ROLLBACK TO s{self.savepoints}")
        self.run(f"RELEASE s{self.savepoints}")
        self.savepoints -= 1

    @precondition(is_idle)
    @rule()
    def vacuum(self):
        self.run("VACUUM")

    @precondition(is_idle)
    @rule()
    def mark(self):
        if self.marks:
            self.marks[-1][2] = self.pages.take_undo()
        self.begin_mark()

    def begin_mark(self):
        self.marks.append([whole(self.pages), self.plain.serialize("main"), None])
        self.pages.mark()

    @precondition(lambda self: self.is_idle() and self.marks)
    @rule(steps=st.integers(1, 3))
    def go_back(self, steps):
        self.store.close()
        self.marks[-1][2] = self.pages.take_undo()
        for _ in range(min(steps, len(self.marks))):
            earlier, serialized, undo = self.marks.pop()
            if undo is not None:
                self.pages.revert(undo)
            assert whole(self.pages) == earlier
        self.plain.deserialize("main", serialized)
        self.open_store()
        if self.marks:
            # The mark before ended where the one gone back to was set, which is here.
            self.begin_mark()

    @precondition(is_idle)
    @rule()
    def fork(self):
        """The work goes on in the copy; the original is worked on too, and neither sees the other."""
        original, before = self.pages, whole(self.pages)
        self.pages = original.copy()
        with connect(original) as connection:
            connection.execute("DELETE FROM notes; INSERT INTO notes VALUES (1, 'only here', NULL)").fetchall()
        connection.close()
        assert whole(self.pages) == before
        self.store.close()
        self.open_store()
        self.marks.clear()

    @precondition(is_idle)
    @rule()
    def reopen(self):
        self.store.close()
        self.open_store()

    @invariant()
    def both_say_the_same(self):
        if hasattr(self, "store"):
            self.run("SELECT count(*), sum(id), sum(length(body)), group_concat(title) FROM (SELECT * FROM notes)")
            self.run("SELECT rowid FROM found WHERE found MATCH 'row OR alpha OR gamma' ORDER BY rowid")

    def teardown(self):
        if hasattr(self, "store"):
            assert dump(self.store) == dump(self.plain)
            assert check(self.store) == "ok"
            self.store.close()
            self.plain.close()


TestSameAsPlainSQLite = SameAsPlainSQLite.TestCase
TestSameAsPlainSQLite.settings = settings(max_examples=100, stateful_step_count=50, deadline=None)


def test_stores_on_one_image_do_not_see_each_other(image):
    stores = [connect(Pages(image)) for _ in range(20)]
    for i, store in enumerate(stores):
        store.execute("UPDATE notes SET title = ? WHERE id < ?", (f"by {i}", i + 1)).fetchall()
        store.execute("DELETE FROM notes WHERE id = ?", (100 + i,)).fetchall()
    for i, store in enumerate(stores):
        assert store.execute("SELECT count(*) FROM notes WHERE title = ?", (f"by {i}",)).get == i + 1
        left = {id for (id,) in store.execute("SELECT id FROM notes")}
        assert set(range(200)) - left == {100 + i}
        store.close()
    untouched = connect(Pages(image))
    assert untouched.execute("SELECT count(*) FROM notes WHERE title LIKE 'note %'").get == 200
    untouched.close()


def test_the_image_file_is_never_written(image):
    before = image.path.read_bytes()
    store = connect(Pages(image))
    store.execute("DELETE FROM notes").fetchall()
    store.execute("VACUUM").fetchall()
    store.close()
    assert image.path.read_bytes() == before
    assert [file.name for file in image.path.parent.iterdir()] == [image.path.name]


def test_a_store_costs_only_the_pages_it_changes(image):
    pages = Pages(image)
    store = connect(pages)
    assert store.execute("SELECT sum(length(body)) FROM notes").get > 100_000
    assert pages.changed == {}
    store.execute("UPDATE notes SET title = 'x' WHERE id = 5").fetchall()
    assert 1 <= len(pages.changed) < 12
    store.close()


def test_a_hundred_changed_pages_are_put_back_exactly(image):
    pages = Pages(image)
    store = connect(pages)
    store.execute("UPDATE notes SET body = zeroblob(5000) WHERE id < 10").fetchall()
    before = whole(pages)
    pages.mark()
    store.execute("UPDATE notes SET body = randomblob(6000)").fetchall()
    undo = pages.take_undo()
    assert undo is not None
    assert len(undo[0]) > 100
    assert whole(pages) != before
    store.close()
    pages.revert(undo)
    assert whole(pages) == before
    again = connect(pages)
    assert check(again) == "ok"
    assert again.execute("SELECT count(*) FROM notes WHERE length(body) = 5000").get == 10
    again.close()


def test_an_undo_taken_after_nothing_changed_is_none(image):
    pages = Pages(image)
    store = connect(pages)
    pages.mark()
    store.execute("SELECT * FROM notes").fetchall()
    store.execute("BEGIN; COMMIT").fetchall()
    assert pages.take_undo() is None
    assert pages.take_undo() is None
    store.close()


def test_shrinking_and_growing_again_is_undone_exactly(image):
    pages = Pages(image)
    store = connect(pages)
    before, size = whole(pages), pages.size
    pages.mark()
    store.execute("DELETE FROM notes").fetchall()
    store.execute("VACUUM").fetchall()
    assert pages.size < size
    store.execute("INSERT INTO notes VALUES (1, 'big', zeroblob(2000000))").fetchall()
    assert pages.size > size
    undo = pages.take_undo()
    assert undo is not None
    store.close()
    pages.revert(undo)
    assert (whole(pages), pages.size) == (before, size)


def test_pages_cut_from_the_image_do_not_come_back(image):
    pages = Pages(image)
    store = connect(pages)
    store.execute("DELETE FROM notes WHERE id > 3").fetchall()
    store.execute("VACUUM").fetchall()
    assert pages.read(PAGE, pages.size) == b""
    assert pages.read(PAGE, image.size - PAGE) == b""
    store.execute("INSERT INTO notes SELECT id + 1000, title, body FROM notes").fetchall()
    assert check(store) == "ok"
    store.close()


def test_a_written_file_opens_in_plain_sqlite(image, tmp_path):
    pages = Pages(image)
    store = connect(pages)
    store.execute("DELETE FROM notes WHERE id % 3 = 0").fetchall()
    pages.write_to(tmp_path / "out.sqlite")
    with sqlite3.connect(tmp_path / "out.sqlite") as plain:
        assert plain.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        rows = plain.execute("SELECT id, title FROM notes ORDER BY id").fetchall()
    plain.close()
    assert rows == store.execute("SELECT id, title FROM notes ORDER BY id").fetchall()
    store.close()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["image.sqlite", "out.sqlite"]


def test_pages_that_were_freed_before_they_were_written_leave_no_gap_in_a_written_file(tmp_path):
    pages = Pages()
    store = connect(pages, cache_kib=8192)
    store.execute("CREATE TABLE gone (b); CREATE TABLE kept (b)").fetchall()
    store.execute("BEGIN").fetchall()
    for _ in range(100):
        store.execute("INSERT INTO gone VALUES (zeroblob(3000)); INSERT INTO kept VALUES (zeroblob(3000))").fetchall()
    store.execute("DELETE FROM gone").fetchall()
    store.execute("COMMIT").fetchall()
    store.close()
    assert len(pages.changed) < pages.size // PAGE, "this SQLite wrote every page, so the test tests nothing"
    pages.write_to(tmp_path / "out.sqlite")
    with sqlite3.connect(tmp_path / "out.sqlite") as plain:
        assert plain.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert plain.execute("SELECT count(*) FROM kept").fetchall() == [(100,)]
    plain.close()
    again = connect(Pages(Image(tmp_path / "out.sqlite")))
    assert check(again) == "ok"
    again.close()


@pytest.mark.parametrize(
    "pragma", ["page_size = 8192", "journal_mode = wal", "JOURNAL_MODE(delete)", "main.journal_mode = truncate"]
)
def test_pragmas_that_would_ruin_a_store_are_refused(image, pragma):
    pages = Pages(image)
    store = connect(pages)
    with pytest.raises(apsw.SQLError, match="a store keeps its page size, and its journal in memory"):
        store.execute(f"PRAGMA {pragma}").fetchall()
    store.execute("VACUUM").fetchall()
    store.execute("INSERT INTO notes VALUES (1000, 'after', NULL)").fetchall()
    assert store.execute("PRAGMA page_size").get == PAGE
    assert store.execute("PRAGMA journal_mode").get == "memory"
    store.close()
    again = connect(pages)
    assert check(again) == "ok"
    again.close()


def test_a_page_size_set_by_a_detour_fails_the_vacuum_and_harms_nothing(image):
    pages = Pages(image)
    store = connect(pages)
    before = dump(store)
    store.execute("ATTACH ':memory:' AS side; PRAGMA side.page_size = 8192").fetchall()
    with pytest.raises(apsw.IOError, match="pages of 4096 bytes"):
        store.execute("VACUUM").fetchall()
    assert dump(store) == before
    store.close()
    again = connect(pages)
    assert (dump(again), check(again)) == (before, "ok")
    again.close()


@pytest.mark.parametrize("sql", ["ATTACH '{}' AS other", "ATTACH 'file:{}?vfs=unix' AS other", "VACUUM INTO '{}.copy'"])
def test_a_store_reaches_no_file(image, sql, tmp_path):
    store = connect(Pages(image))
    with pytest.raises(apsw.CantOpenError, match="a store has no file"):
        store.execute(sql.format(image.path)).fetchall()
    assert len(list(tmp_path.iterdir())) == 1
    store.close()


def test_big_sorts_and_temporary_tables_stay_in_memory(image):
    store = connect(Pages(image))
    store.execute("CREATE TEMP TABLE big AS SELECT a.title || b.title AS t, zeroblob(500) AS z FROM notes a, notes b")
    assert store.execute("SELECT count(*) FROM (SELECT DISTINCT t, z FROM big ORDER BY z, t DESC)").get == 40_000
    store.close()


def test_a_reading_connection_cannot_write(image):
    pages = Pages(image)
    store = connect(pages, writable=False)
    for sql in ("DELETE FROM notes", "CREATE TABLE t (a)", "PRAGMA query_only = OFF; DELETE FROM notes", "VACUUM"):
        with pytest.raises((apsw.ReadOnlyError, apsw.SQLError)):
            store.execute(sql).fetchall()
    assert pages.changed == {}
    assert store.execute("SELECT count(*) FROM notes").get == 200
    store.close()


def test_an_image_that_is_no_whole_number_of_pages_is_refused(tmp_path):
    (tmp_path / "cut.sqlite").write_bytes(b"x" * 5000)
    with pytest.raises(ValueError, match="is 5000 bytes, no whole number of 4096-byte pages"):
        Image(tmp_path / "cut.sqlite")


def test_many_threads_each_with_a_store_of_one_image_do_the_work_of_one(image):
    def work(store, seed):
        for i in range(60):
            key = (seed * 7 + i * 13) % 200
            store.execute("BEGIN").fetchall()
            store.execute(
                "INSERT OR REPLACE INTO notes VALUES (?, ?, zeroblob(?))", (key, f"t {i}", i * 200)
            ).fetchall()
            store.execute("DELETE FROM notes WHERE id = ?", ((key + 3) % 200,)).fetchall()
            store.execute("ROLLBACK" if i % 4 == 0 else "COMMIT").fetchall()
        store.execute("VACUUM").fetchall()

    found = {}

    def run(seed):
        store = connect(Pages(image))
        work(store, seed)
        found[seed] = dump(store), check(store)
        store.close()

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seed in range(12):
        plain = apsw.Connection(":memory:")
        plain.deserialize("main", image.path.read_bytes())
        work(plain, seed)
        assert found[seed] == (dump(plain), "ok")
        plain.close()
