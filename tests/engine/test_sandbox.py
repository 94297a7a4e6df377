import re
import time
from contextlib import suppress
from dataclasses import replace

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worlds.engine import describe_schema, installed, run_sql
from worlds.engine.errors import DbError, WorldBug
from worlds.engine.policy import DEFAULT_FUNCTIONS, Policy, inspection_policy, refusal_kind, setup_policy, split
from worlds.engine.sandbox import Authorizer, SqlResult, run_script, run_statement

SCHEMA = """
CREATE TABLE orders (id INTEGER PRIMARY KEY, title TEXT, cents INTEGER CHECK (cents >= 0),
    euros REAL GENERATED ALWAYS AS (cents / 100.0), code TEXT DEFAULT (lower(hex(randomblob(4)))));
CREATE INDEX orders_title ON orders (upper(title));
CREATE TABLE lines (id INTEGER PRIMARY KEY AUTOINCREMENT, order_id REFERENCES orders (id), text);
CREATE TABLE kids (id INTEGER PRIMARY KEY, order_id REFERENCES orders (id) ON DELETE CASCADE);
CREATE TABLE secrets (id INTEGER PRIMARY KEY, title TEXT, word TEXT);
CREATE TABLE keyless (word TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE audit (order_id INTEGER, seen INTEGER);
CREATE VIRTUAL TABLE docs USING fts5 (body);
CREATE VIRTUAL TABLE vault USING fts5 (body);
CREATE VIEW titles AS SELECT title FROM orders;
CREATE VIEW words AS SELECT word FROM secrets;
CREATE TRIGGER orders_seen AFTER INSERT ON orders BEGIN
    UPDATE audit SET seen = seen + 1 WHERE order_id = 0;
    INSERT INTO docs (rowid, body) VALUES (new.id, new.title);
END;
INSERT INTO audit VALUES (0, 0);
INSERT INTO orders (id, title, cents) VALUES (1, 'tea', 250), (2, 'cup', 900);
INSERT INTO secrets VALUES (1, 'tea', 'mellon'), (2, 'jug', 'sesame');
INSERT INTO keyless VALUES ('mellon');
INSERT INTO vault VALUES ('mellon');
"""
READ = Policy(tables=frozenset({"Orders", "lines", "titles", "docs"}), time_limit_s=0.3)
WRITE = replace(READ, writable=frozenset({"orders", "lines"}))
ENDLESS = "WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) "


def database(secrets=True):
    connection = apsw.Connection(":memory:")
    connection.execute("PRAGMA foreign_keys = ON").fetchall()
    connection.execute(SCHEMA).fetchall()
    if not secrets:
        connection.execute("DELETE FROM secrets; DELETE FROM keyless; DELETE FROM vault").fetchall()
    # As on a connection that has just been opened: no virtual table is connected yet.
    opened = apsw.Connection(":memory:")
    opened.deserialize("main", connection.serialize("main"))
    opened.execute("PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY").fetchall()
    return opened


@pytest.fixture
def db():
    with_secrets = database()
    yield with_secrets
    with_secrets.close()


def refused(db, sql, policy=READ):
    with pytest.raises(DbError) as caught:
        run_statement(db, sql, policy=policy)
    return caught.value


def one(db, sql):
    return db.execute(sql).get


# What may be read.


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT id, title FROM ORDERS ORDER BY id", [(1, "tea"), (2, "cup")]),
        ('SELECT "title" FROM "orders" WHERE id = 1', [("tea",)]),
        ("SELECT title FROM titles ORDER BY title", [("cup",), ("tea",)]),
        ("SELECT euros FROM orders WHERE upper(title) = 'TEA'", [(2.5,)]),
        ("WITH big AS (SELECT * FROM orders WHERE cents > 500) SELECT count(*) FROM big", [(1,)]),
        ("WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 5) SELECT count(*) FROM c", [(5,)]),
        ("SELECT sum(cents) OVER (ORDER BY id), rank() OVER (ORDER BY cents) FROM orders", [(250, 1), (1150, 2)]),
        ("SELECT count(*) FROM orders NATURAL JOIN (SELECT 'tea' AS title)", [(1,)]),
        ("SELECT a.id FROM orders a JOIN orders b USING (id, title) WHERE a.id = 1", [(1,)]),
        ("SELECT value FROM json_each('[1, 2]')", [(1,), (2,)]),
        ("SELECT count(*) FROM json_tree('[[1]]')", [(3,)]),
        ("WITH c AS (SELECT value FROM json_each('[1]')) SELECT count(*) FROM c", [(1,)]),
        ("WITH secrets AS (SELECT 1) SELECT count(*) FROM secrets", [(1,)]),
        ("SELECT body FROM docs WHERE docs MATCH 'tea'", [("tea",)]),
        ("SELECT count(*) FROM docs('tea')", [(1,)]),
        ("SELECT rank < 0 FROM docs WHERE docs MATCH 'tea' ORDER BY rank", [(1,)]),
        ("SELECT name FROM sqlite_schema WHERE name = 'lines'", [("lines",)]),
        ("SELECT count(*) > 5 FROM sqlite_master", [(1,)]),
        ("SELECT '{\"a\": 1}' ->> '$.a', pow(2, 3), iif(1, 'y', 'n')", [(1, 8.0, "y")]),
        ("SELECT date('2026-06-01', '+1 day'), CURRENT_TIMESTAMP > '2000'", [("2026-06-02", 1)]),
        ("VALUES (1), (2)", [(1,), (2,)]),
        ("  ;; -- a comment\n SELECT 1 /* ; */ -- ;\n ; /* and another", [(1,)]),
        ("SELECT 'a;b' AS \"c;d\", [id] FROM orders WHERE id = 1;", [("a;b", 1)]),
        ("SELECT id FROM orders WHERE title LIKE '%using%' OR id IN (SELECT rowid FROM docs('tea'))", [(1,)]),
    ],
)  # fmt: skip
def test_a_statement_on_listed_tables_is_answered(db, sql, rows):
    assert run_statement(db, sql, policy=READ).rows == rows


@pytest.mark.parametrize("opened", [False, True])
def test_a_full_text_table_can_be_asked_as_the_first_thing_on_a_connection_and_later(db, opened):
    if opened:
        db.execute("SELECT * FROM docs WHERE docs MATCH 'tea'").fetchall()
    assert run_statement(db, "SELECT body FROM docs WHERE docs MATCH 'cup'", policy=READ).rows == [("cup",)]
    assert refusal_kind(refused(db, "SELECT * FROM docs_config")) == "read"


def test_parameters_are_bound_by_position_and_by_name(db):
    assert run_statement(db, "SELECT title FROM orders WHERE id = ?", (2,), policy=READ).rows == [("cup",)]
    assert run_statement(db, "SELECT title FROM orders WHERE id = :id", {"id": 1}, policy=READ).rows == [("tea",)]


def test_a_result_has_columns_even_without_rows(db):
    result = run_statement(db, "SELECT id, title AS t FROM orders WHERE 0", policy=READ)
    assert result == SqlResult(["id", "t"], [], 0, False)


def test_letters_that_are_not_ascii_are_not_folded():
    db = apsw.Connection(":memory:")
    db.execute('CREATE TABLE "É" (a); CREATE TABLE "é" (a)').fetchall()
    policy = Policy(tables=frozenset({"É"}))
    assert run_statement(db, "SELECT * FROM É", policy=policy).rows == []
    assert refusal_kind(refused(db, "SELECT * FROM é", policy)) == "read"


# What is refused.

REFUSALS = [
    ("read", "SELECT word FROM secrets"),
    ("read", "SELECT count(*) FROM secrets"),
    ("read", "SELECT 1 FROM secrets LIMIT 0"),
    ("read", 'SELECT * FROM "secrets"'),
    ("read", "SELECT * FROM [secrets]"),
    ("read", "SELECT * FROM `secrets`"),
    ("read", "SELECT * FROM main.SECRETS"),
    ("read", "SELECT/**/*/**/FROM/**/secrets"),
    ("read", "SELECT * FROM words"),
    ("read", "SELECT count(*) FROM words"),
    ("read", "SELECT count(*) FROM keyless"),
    ("read", "SELECT 1 WHERE EXISTS (SELECT 1 FROM secrets)"),
    ("read", "SELECT 1 WHERE 'mellon' IN keyless"),
    ("read", "SELECT id FROM orders UNION SELECT id FROM secrets"),
    ("read", "SELECT id FROM orders ORDER BY (SELECT word FROM secrets)"),
    ("read", "SELECT count(*) FROM orders, secrets"),
    ("read", "SELECT orders.id FROM orders NATURAL JOIN secrets"),
    ("read", "SELECT count(*) FROM orders JOIN secrets USING (title)"),
    ("read", "SELECT count(*) FROM (SELECT 'mellon' AS word) NATURAL JOIN secrets"),
    ("read", "SELECT count(*) FROM (SELECT 'mellon' AS word) JOIN keyless USING (word)"),
    ("read", "SELECT orders.id FROM orders LEFT JOIN secrets USING (title)"),
    ("read", "WITH orders AS (SELECT * FROM secrets) SELECT * FROM orders"),
    ("read", "WITH titles AS (SELECT * FROM secrets) SELECT * FROM titles"),
    ("read", "WITH orders_seen AS (SELECT * FROM secrets) SELECT * FROM orders_seen"),
    ("read", "SELECT * FROM vault WHERE vault MATCH 'mellon'"),
    ("read", "SELECT count(*) FROM vault('mellon')"),
    ("read", "SELECT count(*) FROM vault"),
    ("read", "SELECT * FROM docs_content"),
    ("read", "SELECT count(*) FROM docs_data"),
    ("read", "SELECT * FROM sqlite_temp_schema"),
    ("read", "SELECT * FROM sqlite_sequence"),
    ("read", "SELECT * FROM pragma_table_info('secrets')"),
    ("read", "SELECT count(*) FROM pragma_table_info('secrets')"),
    ("read", "SELECT name FROM dbstat"),
    ("read", "SELECT count(*) FROM dbstat"),
    ("write", "INSERT INTO orders (id) VALUES (3)"),
    ("write", "REPLACE INTO orders (id) VALUES (1)"),
    ("write", "UPDATE orders SET cents = 0"),
    ("write", "DELETE FROM orders"),
    ("write", "WITH x AS (SELECT 1) DELETE FROM orders"),
    ("write", "INSERT INTO orders (id) VALUES (1) ON CONFLICT DO UPDATE SET cents = 0 RETURNING *"),
    ("function", "SELECT load_extension('x')"),
    ("function", "SELECT LOAD_EXTENSION('x')"),
    ("function", "SELECT sqlite_version()"),
    ("function", "SELECT sqlite_source_id()"),
    ("function", "SELECT sqlite_compileoption_get(1)"),
    ("function", "SELECT changes()"),
    ("function", "SELECT total_changes()"),
    ("function", "SELECT last_insert_rowid()"),
    ("function", "SELECT fts3_tokenizer('simple')"),
    ("function", "SELECT fts5_source_id()"),
    ("function", "SELECT bm25(docs) FROM docs WHERE docs MATCH 'tea'"),
    ("function", "SELECT json_pretty('[]')"),
    ("function", "SELECT sqlite_log(1, 'x')"),
    ("action", "CREATE TABLE t (a)"),
    ("action", "CREATE TEMP TABLE t (a)"),
    ("action", "CREATE TEMP VIEW v AS SELECT * FROM secrets"),
    ("action", "CREATE VIEW v AS SELECT 1"),
    ("action", "CREATE TRIGGER t AFTER INSERT ON orders BEGIN SELECT 1"),
    ("action", "CREATE VIRTUAL TABLE t USING fts5vocab('vault', 'row')"),
    ("action", "CREATE INDEX i ON orders (id)"),
    ("action", "ALTER TABLE orders RENAME TO o"),
    ("action", "DROP TABLE orders"),
    ("action", "/* hello */ drop /**/ view titles"),
    ("action", "ATTACH ':memory:' AS other"),
    ("action", "DETACH main"),
    ("action", "BEGIN"),
    ("action", "COMMIT"),
    ("action", "END"),
    ("action", "ROLLBACK"),
    ("action", "SAVEPOINT a"),
    ("action", "RELEASE a"),
    ("action", "VACUUM"),
    ("action", "VACUUM INTO '/nowhere/x.db'"),
    ("action", "ANALYZE"),
    ("action", "REINDEX"),
    ("action", "PRAGMA table_info(orders)"),
    ("action", "PRAGMA writable_schema = ON"),
    ("statement", ""),
    ("statement", " ; -- nothing\n;"),
    ("statement", "SELECT 1; SELECT 2"),
    ("statement", "SELECT 1;SELECT 2--"),
    ("statement", "SELECT 1; /* */ DROP TABLE orders"),
    ("statement", "SELECT 'a'; DELETE FROM orders; --'"),
    ("statement", "SELECT $a('); DELETE FROM orders --'"),
    ("statement", "EXPLAIN SELECT 1"),
    ("statement", "EXPLAIN QUERY PLAN SELECT 1"),
    ("statement", "SELECT 1\0; SELECT 2"),
    ("statement", "SELECT '\ud800'"),
    ("statement", "SELECT " + "1," * 60_000 + "1"),
    ("statement", "SELECT 1 FROM vault NATURAL JOIN (SELECT 'mellon' AS body)"),
    ("value", "SELECT printf('%2000000d', 1)"),
    ("value", "SELECT zeroblob(2000000)"),
    ("value", "SELECT CAST(x'ff' AS TEXT)"),
    ("time", ENDLESS + "SELECT count(*) FROM c"),
]


@pytest.mark.parametrize(("kind", "sql"), REFUSALS, ids=[f"{kind}: {sql[:50]}" for kind, sql in REFUSALS])
def test_what_the_policy_does_not_name_is_refused(db, kind, sql):
    before = db.serialize("main")
    error = refused(db, sql)
    assert refusal_kind(error) == kind
    assert error.message.startswith("not allowed: ")
    assert db.serialize("main") == before


@pytest.mark.parametrize("sql", [sql for kind, sql in REFUSALS if kind not in ("write", "time")])
def test_being_allowed_to_write_some_tables_allows_nothing_else(db, sql):
    assert refusal_kind(refused(db, sql, WRITE))


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELECT * FROM secrets", "not allowed: read table secrets"),
        ("DELETE FROM orders", "not allowed: write table orders"),
        ("SELECT changes()", "not allowed: call function changes"),
        ("drop table orders", "not allowed: DROP TABLE"),
        ("SELECT 1; SELECT 2", "not allowed: more than one statement"),
        ("SELECT zeroblob(1000001)", "not allowed: a value longer than 1000000 bytes"),
        (ENDLESS + "SELECT count(*) FROM c", "not allowed: run over 0.3 s"),
    ],
)
def test_a_refusal_says_what_was_refused_and_no_more(db, sql, message):
    assert refused(db, sql).message == message


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("SELEC 1", 'near "SELEC": syntax error'),
        ("SELECT * FROM nowhere", "no such table: nowhere"),
        ("SELECT nme FROM orders", "no such column: nme"),
        ("UPDATE sqlite_schema SET sql = ''", "table sqlite_master may not be modified"),
        ("DELETE FROM sqlite_master", "table sqlite_master may not be modified"),
        ("SELECT ?", "Incorrect number of bindings"),
        ("SELECT * FROM docs WHERE docs MATCH '\"'", "unterminated string"),
    ],
)
def test_what_sqlite_itself_refuses_keeps_its_words_in_an_attribute(db, sql, text):
    error = refused(db, sql)
    assert (error.message, error.refusals, refusal_kind(error)) == ("database error", [], None)
    assert text in error.sqlite_message


SPYING = [sql for kind, sql in REFUSALS if kind in ("read", "statement")] + [
    "SELECT * FROM (orders NATURAL JOIN secrets)",
    "SELECT id FROM orders FULL JOIN secrets USING (id)",
    "SELECT (SELECT count(*) FROM secrets a NATURAL JOIN secrets b)",
    "SELECT 1 FROM secrets NATURAL JOIN (VALUES (1))",
    "SELECT count(*) FROM secrets s JOIN orders o USING (id) JOIN json_each('[1]') j ON 1",
    "UPDATE orders SET title = word FROM secrets NATURAL JOIN (SELECT 1 AS id)",
    "UPDATE orders SET title = 'x' FROM secrets",
    "INSERT INTO orders (title) SELECT word FROM secrets",
    "INSERT INTO orders (title) WITH orders_seen AS (SELECT word FROM secrets) SELECT word FROM orders_seen",
    "DELETE FROM orders WHERE EXISTS (SELECT 1 FROM secrets)",
    "INSERT INTO orders (id) VALUES (9) RETURNING (SELECT count(*) FROM secrets)",
    "INSERT INTO orders (id) VALUES (1) ON CONFLICT DO UPDATE SET title = (SELECT word FROM secrets)",
    "SELECT max((SELECT word FROM secrets)) OVER () FROM orders",
    "SELECT 1 FROM orders GROUP BY id HAVING count(*) > (SELECT count(*) FROM secrets)",
    "SELECT 1 LIMIT (SELECT count(*) FROM secrets)",
    "SELECT count(*) FROM vault, docs",
    "SELECT 1 FROM docs WHERE body IN vault",
    "SELECT count(*) FROM (SELECT 1 ORDER BY (SELECT max(body) FROM docs)) a NATURAL JOIN vault",
]  # fmt: skip


@pytest.mark.parametrize("policy", [READ, WRITE], ids=["reading", "writing"])
@pytest.mark.parametrize("sql", SPYING)
def test_no_answer_depends_on_a_table_that_is_not_listed(sql, policy):
    def outcome(secrets):
        connection = database(secrets)
        try:
            return run_statement(connection, sql, policy=policy)
        except DbError as error:
            return error.message, error.sqlite_message

    assert outcome(secrets=True) == outcome(secrets=False)


@given(st.text(alphabet=";'\"`[]-/*\n$@(): aS1", max_size=40))
def test_the_split_never_sees_fewer_statements_than_sqlite(text):
    db, seen = apsw.Connection(":memory:"), []

    def trace(cursor, statement, bindings):
        seen.append(statement)
        return True

    db.exec_trace = trace
    sql = "SELECT 1;" + text + ";SELECT 2"
    try:
        db.execute(sql, {}).fetchall()
    except (apsw.Error, KeyError):
        return
    blank = re.compile(r"(?:[;\s]|--[^\n]*|/\*.*?(?:\*/|\Z))*", re.DOTALL)
    assert len(split(sql)) >= sum(not blank.fullmatch(statement) for statement in seen)


def test_a_statement_that_was_run_without_a_policy_is_judged_again(db):
    db.execute("SELECT word FROM secrets").fetchall()
    assert refusal_kind(refused(db, "SELECT word FROM secrets")) == "read"
    assert len(db.execute("SELECT word FROM secrets").fetchall()) == 2


def test_a_second_statement_is_found_before_the_first_runs_even_when_its_rows_are_capped(db):
    policy = replace(WRITE, max_rows=0)
    assert refusal_kind(refused(db, "DELETE FROM lines RETURNING id; DROP TABLE orders", policy)) == "statement"
    assert refusal_kind(refused(db, "SELECT * FROM orders; SELECT 2", policy)) == "statement"


def test_functions_are_allowed_by_name_in_any_case(db):
    policy = replace(READ, functions=DEFAULT_FUNCTIONS | {"BM25", "snippet"})
    sql = "SELECT Bm25(docs) < 0, snippet(docs, 0, '', '', '', 3) FROM docs WHERE docs MATCH 'tea'"
    assert run_statement(db, sql, policy=policy).rows == [(1, "tea")]
    assert refusal_kind(refused(db, "SELECT upper('a')", replace(READ, functions=frozenset()))) == "function"


def test_a_policy_must_let_be_read_what_may_be_written():
    with pytest.raises(WorldBug, match="lets orders be written but not read"):
        Policy(tables=frozenset({"lines"}), writable=frozenset({"orders"}))


# Writing.


@pytest.mark.parametrize(
    ("sql", "result"),
    [
        ("INSERT INTO orders (id, title) VALUES (3, 'pot')", SqlResult([], [], 1, False)),
        ("UPDATE orders SET cents = cents + 1", SqlResult([], [], 2, False)),
        ("UPDATE orders SET cents = 1 WHERE id = 9", SqlResult([], [], 0, False)),
        ("DELETE FROM lines", SqlResult([], [], 0, False)),
        ("INSERT INTO lines (order_id) VALUES (1) RETURNING id", SqlResult(["id"], [(1,)], 1, False)),
        ("INSERT INTO orders (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET cents = 1", SqlResult([], [], 1, False)),
        ("WITH n AS (SELECT 7 AS id) INSERT INTO orders (id) SELECT id FROM n", SqlResult([], [], 1, False)),
        ("REPLACE INTO orders (id, title) VALUES (2, 'mug')", SqlResult([], [], 1, False)),
    ],
)  # fmt: skip
def test_writable_tables_are_written(db, sql, result):
    assert run_statement(db, sql, policy=WRITE) == result


@pytest.mark.parametrize(
    ("sql", "table"),
    [
        ("INSERT INTO audit VALUES (1, 1)", "audit"),
        ("INSERT INTO docs (body) VALUES ('x')", "docs"),
        ("INSERT INTO docs_content (id) VALUES (9)", "docs_content"),
        ("INSERT INTO titles VALUES ('x')", "titles"),
        ("UPDATE sqlite_sequence SET seq = 9", "sqlite_sequence"),
    ],
)
def test_other_tables_are_not_written(db, sql, table):
    error = refused(db, sql, WRITE)
    assert error.refusals == [] or error.refusals == [{"kind": "write", "name": table}]
    assert refusal_kind(error) == "write" or "cannot modify titles because it is a view" in error.sqlite_message


def test_a_trigger_does_what_the_world_wrote_whatever_the_policy_lists(db):
    run_statement(db, "INSERT INTO orders (id, title) VALUES (3, 'pot')", policy=WRITE)
    assert one(db, "SELECT seen FROM audit") == 3
    assert one(db, "SELECT count(*) FROM docs('pot')") == 1


def test_nobody_reads_in_the_name_of_a_trigger(db):
    sql = (
        "INSERT INTO orders (id, title) WITH orders_seen AS (SELECT word FROM secrets) SELECT 9, word FROM orders_seen"
    )
    assert refusal_kind(refused(db, sql, WRITE)) == "read"


def test_foreign_keys_look_up_and_cascade_whatever_the_policy_lists(db):
    db.execute("INSERT INTO kids VALUES (1, 2)").fetchall()
    orders, lines = (Policy(tables=frozenset({name}), writable=frozenset({name})) for name in ("orders", "lines"))
    assert run_statement(db, "INSERT INTO lines (order_id) VALUES (1)", policy=lines).row_count == 1
    assert run_statement(db, "DELETE FROM orders WHERE id = 2", policy=orders).row_count == 1
    assert one(db, "SELECT count(*) FROM kids") == 0
    assert "FOREIGN KEY" in refused(db, "DELETE FROM orders", orders).sqlite_message


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM orders WHERE id IN (SELECT order_id FROM kids)",
        "DELETE FROM orders WHERE EXISTS (SELECT 1 FROM (SELECT 2 AS order_id) NATURAL JOIN kids)",
        "DELETE FROM kids",
        "INSERT INTO orders (title) SELECT order_id FROM parents",
    ],
)
def test_nobody_reads_or_writes_in_the_name_of_a_foreign_key(db, sql):
    db.execute("CREATE VIEW parents AS SELECT order_id FROM kids").fetchall()
    policy = Policy(tables=frozenset({"orders", "parents"}), writable=frozenset({"orders"}))
    assert refusal_kind(refused(db, sql, policy)) in ("read", "write")


# Limits.


def test_a_row_cap_cuts_and_says_so(db):
    cut = run_statement(db, "VALUES (1), (2), (3)", policy=replace(READ, max_rows=2))
    assert (cut.rows, cut.row_count, cut.truncated) == ([(1,), (2,)], 2, True)
    assert not run_statement(db, "VALUES (1), (2)", policy=replace(READ, max_rows=2)).truncated
    assert run_statement(db, "VALUES (1)", policy=replace(READ, max_rows=0)).truncated


def test_a_byte_cap_cuts_before_the_row_that_does_not_fit(db):
    cut = run_statement(db, "VALUES ('aaaa'), ('bbbb'), ('cccc')", policy=replace(READ, max_bytes=23))
    assert (cut.rows, cut.truncated) == ([("aaaa",), ("bbbb",)], True)
    assert run_statement(db, "SELECT zeroblob(10)", policy=replace(READ, max_bytes=19)).truncated


def test_rows_that_are_cut_off_were_written_all_the_same(db):
    policy = replace(WRITE, max_rows=1)
    cut = run_statement(db, "INSERT INTO orders (id) VALUES (7), (8), (9) RETURNING id", policy=policy)
    assert (cut.rows, cut.truncated, one(db, "SELECT count(*) FROM orders")) == ([(7,)], True, 5)


def big(n, letter):
    return f"printf('%.*c', {n}, '{letter}')"


HOSTILE = {
    "endless recursion": ENDLESS + "SELECT count(*) FROM c",
    "endless rows": ENDLESS + "SELECT n FROM c",
    "endless aggregate": ENDLESS + "SELECT group_concat(n) FROM c",
    "endless sort": ENDLESS + "SELECT hex(zeroblob(400000)) || n FROM c ORDER BY 1",
    "endless numbers": ENDLESS + "SELECT median(n) FROM c",
    "endless JSON": ENDLESS + "SELECT json_group_array(hex(zeroblob(100000))) FROM c",
    "endless big rows": ENDLESS + "SELECT hex(zeroblob(400000)) FROM c",
    "cross join": "SELECT count(*) FROM " + ", ".join(["sqlite_schema"] * 12),
    "window": ENDLESS + "SELECT sum(n) OVER (ORDER BY n ROWS UNBOUNDED PRECEDING) FROM c",
    "instr": f"SELECT instr({big(900_000, 'a')}, {big(450_000, 'a')} || 'b')",
    "replace": f"SELECT replace({big(900_000, 'a')}, {big(450_000, 'a')} || 'b', '')",
    "trim": f"SELECT ltrim({big(900_000, 'a')}, {big(80_000, 'b')} || 'a')",
    "unhex": f"SELECT unhex({big(900_000, 'z')}, {big(900_000, 'y')} || 'z')",
    "like": f"SELECT {big(900_000, 'a')} LIKE '%' || {big(40_000, 'a')} || 'b'",
    "glob": f"SELECT {big(900_000, 'a')} GLOB '*[' || {big(40_000, 'c')} || ']b'",
    "likes": f"WITH k (a) AS MATERIALIZED (SELECT {big(90_000, 'a')}) SELECT "
    + "+".join([f"(a LIKE '%{'a' * 150}b')"] * 500)
    + " FROM k",
    "trims": f"WITH k (a, b) AS MATERIALIZED (SELECT {big(20_000, 'a')}, {big(1_000, 'b')} || 'a') SELECT "
    + ", ".join(["+".join(["length(ltrim(a, b))"] * 20)] * 200)
    + " FROM k",
    "trims in a loop": f"{ENDLESS}, k (a, b) AS MATERIALIZED (SELECT {big(28_000, 'a')}, {big(1_600, 'b')} || 'a') "
    "SELECT sum(length(ltrim(a || n, b))) FROM c, k",
    "json_patch": "WITH RECURSIVE k (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM k LIMIT 60000), a (x) AS "
    "(SELECT json_group_object(n, 1) FROM k), b (x) AS (SELECT json_group_object(-n, 1) FROM k) "
    "SELECT json_patch(a.x, b.x) FROM a, b",
    "json_array": f"WITH k (j) AS MATERIALIZED (SELECT {big(900_000, chr(1))}) SELECT json_array("
    + ", ".join(["j"] * 120)
    + ") FROM k",
    "json_extract": "WITH k (j) AS MATERIALIZED (SELECT '[' || replace(hex(zeroblob(200000)), '00', '1,') || '1]') "
    "SELECT " + ", ".join(["json_extract(j, " + ", ".join(["'$[#-1]'"] * 120) + ")"] * 60) + " FROM k",
    "many columns": "SELECT " + ", ".join(["hex(zeroblob(499000))"] * 1900),
    "many arguments": "SELECT concat(" + ", ".join(["zeroblob(9)"] * 500) + ")",
    "many common tables": "WITH a0 AS (SELECT 1 AS x), "
    + ", ".join(f"a{n} AS (SELECT p.x FROM a{n - 1} p, a{n - 1} q, a{n - 1} r)" for n in range(1, 30))
    + " SELECT * FROM a29",
    "deep": "SELECT " + "(" * 5000 + "1" + ")" * 5000,
    "printf": "SELECT printf('%.*c', 999999999, 'x')",
    "a write": ENDLESS + "INSERT INTO orders (id, title) SELECT n + 10, n FROM c",
    "a slow condition": "DELETE FROM lines WHERE (SELECT count(*) FROM " + ", ".join(["sqlite_schema"] * 12) + ") = 0",
}


@pytest.mark.parametrize("sql", HOSTILE.values(), ids=HOSTILE)
def test_no_statement_takes_much_longer_than_its_time_or_more_than_its_memory(db, sql):
    db.execute("INSERT INTO lines (text) VALUES ('x')").fetchall()
    apsw.status(apsw.SQLITE_STATUS_MEMORY_USED, True)
    before = apsw.status(apsw.SQLITE_STATUS_MEMORY_USED)[0]
    started = time.monotonic()
    refused(db, sql, replace(WRITE, max_memory_bytes=64_000_000))
    assert time.monotonic() - started < 5
    assert apsw.status(apsw.SQLITE_STATUS_MEMORY_USED)[1] - before < 250_000_000


def test_a_value_that_is_stored_and_too_long_is_refused(db):
    db.execute("INSERT INTO lines (text) VALUES (printf('%1500000d', 1))").fetchall()
    assert refusal_kind(refused(db, "SELECT text FROM lines")) == "value"
    assert run_statement(db, "SELECT length(text) FROM lines", policy=inspection_policy(5)).rows == [(1_500_000,)]


# What is left behind.


def allow(*_):
    return apsw.SQLITE_OK


@pytest.mark.parametrize(
    "sql", ["SELECT 1", "SELECT * FROM secrets", "SELEC", "SELECT 1; SELECT 2", HOSTILE["cross join"]]
)
def test_the_connection_is_as_it_was_before(db, sql):
    ticks = []

    def tick():
        ticks.append(1)
        return False

    db.authorizer = allow
    db.limit(apsw.SQLITE_LIMIT_LENGTH, 2_000_000)
    db.limit(apsw.SQLITE_LIMIT_FUNCTION_ARG, 50)
    db.set_progress_handler(tick, 1)
    with suppress(DbError):
        run_statement(db, sql, policy=READ)
    assert db.authorizer is allow
    assert db.limit(apsw.SQLITE_LIMIT_LENGTH) == 2_000_000
    assert db.limit(apsw.SQLITE_LIMIT_FUNCTION_ARG) == 50
    del ticks[:]
    assert one(db, "SELECT count(*) FROM secrets, orders, secrets") == 8
    assert ticks


def test_a_function_may_run_a_statement_under_a_policy_of_its_own(db):
    inner = Policy(tables=frozenset({"secrets"}), functions=frozenset())
    db.create_scalar_function("word", lambda: run_statement(db, "SELECT word FROM secrets", policy=inner).rows[0][0])
    outer = replace(READ, functions=DEFAULT_FUNCTIONS | {"word"})
    assert run_statement(db, "SELECT word(), upper(title) FROM orders ORDER BY id", policy=outer).rows[1] == (
        "mellon",
        "CUP",
    )
    assert refusal_kind(refused(db, "SELECT word() FROM secrets", outer)) == "read"


def test_an_exception_of_a_function_is_not_dressed_up(db):
    def fail():
        raise KeyError("a bug")

    db.create_scalar_function("fail", fail)
    with pytest.raises(KeyError, match="a bug"):
        run_statement(db, "SELECT fail()", policy=replace(READ, functions=frozenset({"fail"})))
    assert db.authorizer is None


@pytest.fixture
def call(db):
    """In the middle of a call: a transaction with a row written, and a session that notes it."""
    session = apsw.Session(db, "main")
    session.attach()
    db.execute("BEGIN; INSERT INTO orders (id, title) VALUES (3, 'pot')").fetchall()
    yield session
    session.close()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM secrets",
        "DROP TABLE orders",
        "ROLLBACK",
        "UPDATE orders SET title = printf('%2000000d', 1)",
        "INSERT OR FAIL INTO orders (id) SELECT 8 UNION ALL SELECT 1",
        "INSERT INTO orders (id) VALUES (8), (9) RETURNING CAST(x'ff' AS TEXT)",
        "INSERT INTO orders (id, cents) VALUES (8, 1), (9, -1)",
        ENDLESS + "SELECT count(*) FROM c",
    ],
)
def test_a_statement_that_fails_in_a_call_leaves_what_the_call_wrote(db, call, sql):
    before = call.changeset()
    assert "rolled_back" not in refused(db, sql, WRITE).details
    assert db.in_transaction
    assert call.changeset() == before
    db.execute("COMMIT").fetchall()
    assert [id for (id,) in db.execute("SELECT id FROM orders ORDER BY id")] == [1, 2, 3]


@pytest.mark.parametrize("sql", [HOSTILE["a write"], "INSERT OR ROLLBACK INTO orders (id) VALUES (1)"])
def test_a_write_that_takes_the_transaction_with_it_says_so_and_leaves_another_open(db, call, sql):
    assert refused(db, sql, WRITE).details == {"rolled_back": True}
    assert db.in_transaction
    assert call.changeset() == b""
    assert run_statement(db, "INSERT INTO orders (id) VALUES (7)", policy=WRITE).row_count == 1
    db.execute("ROLLBACK").fetchall()
    assert [id for (id,) in db.execute("SELECT id FROM orders ORDER BY id")] == [1, 2]


def test_a_session_sees_what_a_stranger_wrote(db, call):
    before = len(call.changeset())
    run_statement(db, "INSERT INTO lines (order_id, text) VALUES (1, 'x')", policy=WRITE)
    assert len(call.changeset()) > before


def test_outside_a_transaction_a_write_commits_and_a_failed_one_leaves_none_open(db):
    run_statement(db, "DELETE FROM lines", policy=WRITE)
    refused(db, HOSTILE["a write"], WRITE)
    refused(db, "INSERT INTO orders (id) VALUES (1)", WRITE)
    assert not db.in_transaction


def test_the_authorizer_says_what_it_refused(db):
    authorizer = db.authorizer = Authorizer(READ)
    with pytest.raises(apsw.AuthError):
        db.execute("SELECT word FROM secrets")
    assert authorizer.refusals == [("read", "secrets")]


# Inspecting.


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM secrets NATURAL JOIN orders",
        "SELECT count(*) FROM docs_data",
        "SELECT bm25(vault) FROM vault WHERE vault MATCH 'mellon'",
        "PRAGMA table_info(secrets)",
        "PRAGMA main.foreign_key_list(lines)",
        "PRAGMA user_version",
        "SELECT * FROM pragma_index_list('orders')",
        "SELECT sqlite_version()",
    ],
)
def test_an_inspector_reads_everything(db, sql):
    assert run_statement(db, sql, policy=inspection_policy(1)).rows


@pytest.mark.parametrize(
    ("kind", "sql"),
    [
        ("write", "DELETE FROM orders"),
        ("write", "INSERT INTO secrets DEFAULT VALUES"),
        ("action", "PRAGMA user_version = 3"),
        ("action", "PRAGMA writable_schema = ON"),
        ("action", "PRAGMA foreign_keys = OFF"),
        ("action", "PRAGMA journal_mode = WAL"),
        ("action", "PRAGMA optimize"),
        ("action", "SELECT * FROM pragma_optimize"),
        ("action", "ATTACH ':memory:' AS other"),
        ("action", "CREATE TABLE t (a)"),
        ("action", "VACUUM"),
        ("function", "SELECT load_extension('x')"),
        ("statement", "SELECT 1; DELETE FROM orders"),
        ("time", ENDLESS + "SELECT count(*) FROM c"),
    ],
)
def test_an_inspector_changes_nothing(db, kind, sql):
    before = db.serialize("main")
    assert refusal_kind(refused(db, sql, inspection_policy(0.2))) == kind
    assert db.serialize("main") == before


# Scripts.

SETUP = setup_policy({"orders", "lines", "kids", "secrets"})


def test_a_script_runs_all_its_statements_in_the_callers_transaction(db):
    db.execute("BEGIN").fetchall()
    script = """
        -- a quiet shop; nothing sold
        DELETE FROM lines;
        UPDATE orders SET title = 'a; b' WHERE id = 1; /* ; */
        INSERT INTO orders (id, title) VALUES (3, 'it''s; fine');;
    """
    assert run_script(db, script, policy=SETUP) == 3
    assert db.in_transaction
    assert [title for (title,) in db.execute("SELECT title FROM orders ORDER BY id")] == ["a; b", "cup", "it's; fine"]
    assert one(db, "SELECT count(*) FROM docs('fine')") == 1


@pytest.mark.parametrize("script", ["", "  \n", "-- nothing;\n;;"])
def test_a_script_of_nothing_runs_nothing(db, script):
    assert run_script(db, script, policy=SETUP) == 0


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("DELETE FROM lines; DROP TABLE orders", "statement 2 of 2: not allowed: DROP TABLE (DROP TABLE orders)"),
        ("DELETE FROM audit; SELECT 1; SELECT 2", "statement 1 of 3: not allowed: write table audit (DELETE"),
        ("SELECT 1; COMMIT; SELECT 2", "statement 2 of 3: not allowed: COMMIT (COMMIT)"),
        ("ATTACH ':memory:' AS x", "statement 1 of 1: not allowed: ATTACH"),
        ("PRAGMA foreign_keys = OFF", "statement 1 of 1: not allowed: PRAGMA"),
        ("SELECT load_extension('x')", "statement 1 of 1: not allowed: call function load_extension"),
        ("DELETE FROM orders WHERE title MATCH 'x'", "statement 1 of 1: not allowed: call function match"),
        ("DELETE FROM orders WHERE id IN json_each('[1]')", "statement 1 of 1: not allowed: read table json_each"),
        ("INSERT INTO docs_data (id) VALUES (1)", "statement 1 of 1: not allowed: write table docs_data"),
        ("UPDATE sqlite_sequence SET seq = 1", "statement 1 of 1: not allowed: write table sqlite_sequence"),
        ("DELETE FROM lines; DELETE FROM nowhere", "statement 2 of 2: no such table: nowhere (DELETE FROM nowhere)"),
        ("DELETE FROM lines; 'unended", "statement 2 of 2: unrecognized token"),
        ("INSERT INTO orders (id) VALUES (1)", "statement 1 of 1: UNIQUE constraint failed: orders.id"),
    ],
)  # fmt: skip
def test_a_script_that_is_refused_names_the_statement(db, script, message):
    with pytest.raises(WorldBug, match=re.escape("setup_sql " + message)):
        run_script(db, script, policy=SETUP)


def test_a_long_statement_is_quoted_in_part(db):
    with pytest.raises(WorldBug) as caught:
        run_script(db, f"DROP TABLE orders /* {'x' * 500} */", policy=SETUP)
    quoted = str(caught.value).partition("(")[2].removesuffix(")")
    assert len(quoted) == 200
    assert quoted.endswith("…")


@pytest.mark.parametrize("script", [None, ["DELETE FROM orders"], b"DELETE FROM orders"])
def test_a_script_is_one_string(db, script):
    with pytest.raises(WorldBug, match="setup_sql must be one string"):
        run_script(db, script, policy=SETUP)


def test_a_script_writes_listed_tables_only(db):
    with pytest.raises(WorldBug, match="lists the tables"):
        run_script(db, "DELETE FROM orders", policy=inspection_policy(1))


# The agent's tools.


@pytest.fixture
def lab():
    with installed.get("lab").instance(seed=1) as instance:
        instance.call("make_box", name="red", price="2.00")
        instance.call("make_box", name="blue")
        instance.call("put_item", box="red", label="ball")
        yield instance


def test_an_agent_queries_and_reads_columns_and_rows(lab):
    answer = lab.call(
        "run_sql", query="SELECT name, blob IS NULL AS empty FROM boxes LEFT JOIN items ON box_id = boxes.id ORDER BY 1"
    )
    assert answer == {
        "columns": ["name", "empty"],
        "rows": [["blue", 1], ["red", 0]],
        "row_count": 2,
        "truncated": False,
    }


def test_blobs_are_base64_text_and_infinity_is_null(lab):
    assert lab.call("run_sql", query="SELECT x'00ff', 9e999, -9e999, NULL, 1.5")["rows"] == [
        ["AP8=", None, None, None, 1.5]
    ]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT * FROM tags", "not allowed: read table tags"),
        ("DELETE FROM boxes", "not allowed: write table boxes"),
        ("", "not allowed: an empty query"),
        ("SELECT nme FROM boxes", "no such column: nme"),
        ("SELECT * FORM boxes", 'near "FORM": syntax error'),
    ],
)
def test_an_agent_reads_sqlites_own_words_unless_the_policy_refused(lab, query, message):
    with pytest.raises(DbError) as caught:
        lab.call("run_sql", query=query)
    assert caught.value.message == message


def test_what_an_agent_writes_is_in_the_state_document(lab):
    records = len(lab.change_log())
    assert lab.call("write_sql", query="UPDATE boxes SET is_open = 0 WHERE name = 'red'")["row_count"] == 1
    assert len(lab.change_log()) == records + 1


def test_a_write_that_fails_leaves_nothing(lab):
    with pytest.raises(DbError, match="UNIQUE constraint failed: boxes.name"):
        lab.call("write_sql", query="UPDATE boxes SET name = 'one'")
    assert lab.call("run_sql", query="SELECT count(*) FROM boxes WHERE name = 'one'")["rows"] == [[0]]


def test_the_agents_sql_reads_the_instances_clock(lab):
    lab.advance(seconds=3600)
    sql, clock = lab.call("run_sql", query="SELECT unixepoch()")["rows"][0][0], lab.clock.now().timestamp()
    assert abs(clock - sql) <= 1


def test_a_slow_query_is_stopped_at_the_sites_time_limit(lab, settings):
    settings.SEAHAVEN_SQL_TIMEOUT_S = 0.1
    with pytest.raises(DbError, match=r"not allowed: run over 0\.1 s"):
        lab.call("run_sql", query=ENDLESS + "SELECT count(*) FROM c")


def test_a_write_that_is_stopped_leaves_the_instance_as_it_was(lab, settings):
    settings.SEAHAVEN_SQL_TIMEOUT_S = 0.1
    before = lab.state()
    with pytest.raises(DbError, match="not allowed: run over") as caught:
        lab.call("write_sql", query=f"UPDATE boxes SET facts = ({ENDLESS}SELECT count(*) FROM c)")
    assert caught.value.to_dict()["details"] == {"rolled_back": True}
    assert lab.state()["state"] == before["state"]
    assert lab.call("change_box", name="red", price="5.00")["price"] == "5.00"


def test_the_tables_are_described_as_they_are(lab):
    boxes, items = lab.call("describe_schema")["tables"]
    assert boxes["name"] == "boxes"
    assert boxes["columns"][0] == {"name": "id", "type": "TEXT", "nullable": False, "primary_key": True}
    assert {"name": "weight", "type": "INTEGER", "nullable": True, "primary_key": False} in items["columns"]
    assert boxes["foreign_keys"] == []
    assert items["foreign_keys"] == [{"columns": ["box_id"], "references": {"table": "boxes", "columns": ["id"]}}]


@pytest.mark.parametrize("factory", [run_sql, describe_schema])
@pytest.mark.parametrize("tables", [[], "boxes", [""], [1]])
def test_a_tool_needs_tables(factory, tables):
    with pytest.raises(WorldBug, match="needs the names of the tables"):
        factory(tables)


def test_a_tool_refuses_negative_limits():
    with pytest.raises(WorldBug, match="max_rows=-1 is negative"):
        run_sql(["boxes"], max_rows=-1)
    with pytest.raises(WorldBug, match="max_bytes=-2 is negative"):
        run_sql(["boxes"], max_bytes=-2)
    with pytest.raises(WorldBug, match=r"time_limit_s=-0\.5 is negative"):
        run_sql(["boxes"], time_limit_s=-0.5)


def test_an_agent_reads_what_it_may_do():
    reading, writing = run_sql(["b", "a"], max_rows=50), run_sql(["a"], read_only=False, name="write_sql")
    assert reading.name == "run_sql"
    assert "Tables: b, a;" in reading.description
    assert "At most 50 rows" in reading.description
    assert "Only reading" in reading.description
    assert "INSERT, UPDATE and DELETE" in writing.description
    assert list(reading.schema["properties"]) == ["query"]
    assert run_sql(["a"], description="Ask.").description == "Ask."
    assert describe_schema(["a"]).schema["properties"] == {}
